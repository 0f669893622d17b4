package ledger_test

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"airqa/internal/ledger"

	"github.com/google/go-cmp/cmp"
)

func TestLines(t *testing.T) {
	lost := errors.New("lost")
	tests := []struct {
		name string
		in   io.Reader
		want []string
		err  error
	}{
		{"none", strings.NewReader(""), nil, nil},
		{"whole", strings.NewReader("{}\n\n{}\n"), []string{"{}\n", "\n", "{}\n"}, nil},
		{"half a line", strings.NewReader("{}\n{"), []string{"{}\n"}, nil},
		{"an error", io.MultiReader(strings.NewReader("{}\n"), iotest.ErrReader(lost)), []string{"{}\n"}, lost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			var err error
			for line, bad := range ledger.Lines(bufio.NewReader(tt.in)) {
				if err = bad; err == nil {
					got = append(got, string(line))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.err) {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestStrict(t *testing.T) {
	var v struct{ A int }
	if err := ledger.Strict([]byte(`{"A": 1}`), &v); err != nil || v.A != 1 {
		t.Errorf("got %v, %v", v, err)
	}
	if err := ledger.Strict([]byte(`{"B": 1}`), &v); err == nil || !strings.Contains(err.Error(), "unknown field") {
		t.Errorf("unknown field: got %v", err)
	}
}
