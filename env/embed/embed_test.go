package embed_test

import (
	"errors"
	"strings"
	"testing"

	"airqa/env/embed"
)

func TestInfoCheck(t *testing.T) {
	full := embed.Info{Model: "m", Hash: "aa", Dim: 384}
	tests := []struct {
		name   string
		stored embed.Info
		wantOK bool
	}{
		{"same", full, true},
		{"another model", embed.Info{Model: "n", Hash: "aa", Dim: 384}, false},
		{"other weights", embed.Info{Model: "m", Hash: "bb", Dim: 384}, false},
		{"no digest stored", embed.Info{Model: "m", Dim: 384}, false},
		{"another dimension", embed.Info{Model: "m", Hash: "aa", Dim: 768}, false},
		{"dimension not known", embed.Info{Model: "m", Hash: "aa"}, true},
		{"nothing stored", embed.Info{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := full.Check(tt.stored)
			if (err == nil) != tt.wantOK || err != nil && !errors.Is(err, embed.ErrMismatch) {
				t.Errorf("Check(%+v) = %v, want ok %v or ErrMismatch", tt.stored, err, tt.wantOK)
			}
		})
	}
}

func TestMismatchNamesBoth(t *testing.T) {
	err := embed.Info{Model: "all-MiniLM-L6-v2/int8", Hash: "0123456789abcdef", Dim: 384}.Check(embed.Info{Model: "openai:x", Dim: 1536})
	for _, want := range []string{"all-MiniLM-L6-v2/int8 (0123456789ab)", "openai:x"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not name %q", err, want)
		}
	}
}
