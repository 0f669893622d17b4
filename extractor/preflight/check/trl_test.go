package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/preflight"
	"airqa/extractor/preflight/check"
)

// What TRL 1.16 with datasets 5.2 did with each file.
func TestTRL(t *testing.T) {
	const (
		prompt = `"prompt":[{"role":"user","content":"q"}]`
		answer = `"completion":[{"role":"assistant","content":"x"}]`
		pair   = `"chosen":[{"role":"assistant","content":"x"}],"rejected":[{"role":"assistant","content":"y"}]`
	)
	tests := []struct {
		name string
		rows []string
		load string
		want []preflight.Outcome
	}{
		{"a column of numbers and texts", []string{"{" + prompt + "," + answer + `,"n":1}`, "{" + prompt + "," + answer + `,"n":"s"}`}, "ok", []preflight.Outcome{"kept", "kept"}},
		{"an object beside a text", []string{"{" + prompt + "," + answer + `,"n":{"a":1}}`, "{" + prompt + "," + answer + `,"n":"s"}`}, "ok", []preflight.Outcome{"kept", "kept"}},
		{"a list of a number and a text", []string{"{" + prompt + "," + answer + `,"n":[1,"x"]}`}, "ok", []preflight.Outcome{"kept"}},
		{"an empty answer", []string{"{" + prompt + `,"completion":[]}`, "{" + prompt + "," + answer + "}"}, "ok", []preflight.Outcome{"dropped", "kept"}},
		{"an empty prompt", []string{`{"prompt":[],` + answer + "}"}, "crash", []preflight.Outcome{"crash"}},
		{"no answer", []string{"{" + prompt + `,"completion":null}`, "{" + prompt + "," + answer + "}"}, "crash", []preflight.Outcome{"crash", "kept"}},
		{"a pair", []string{"{" + prompt + "," + pair + "}"}, "ok", []preflight.Outcome{"kept"}},
		{"a pair of texts", []string{`{"prompt":"hello ","chosen":"there","rejected":"you"}`}, "ok", []preflight.Outcome{"kept"}},
		{"a pair whose prompt is its common start", []string{
			`{"chosen":[{"role":"user","content":"q"},{"role":"assistant","content":"x"}],"rejected":[{"role":"user","content":"q"},{"role":"assistant","content":"y"}]}`,
		}, "ok", []preflight.Outcome{"kept"}},
		{"a pair without an answer", []string{"{" + prompt + `,"chosen":null,"rejected":[{"role":"assistant","content":"y"}]}`, "{" + prompt + "," + pair + "}"}, "crash", []preflight.Outcome{"crash", "kept"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "data.jsonl")
			if err := os.WriteFile(path, []byte(strings.Join(tt.rows, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			got, total := checked(t, check.Options{Path: path, Trainer: preflight.TRL, Today: time.Unix(0, 0)})
			if total.Load != tt.load {
				t.Errorf("load = %s, want %s", total.Load, tt.load)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
		})
	}
}
