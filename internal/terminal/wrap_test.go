package terminal_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/terminal"
)

func TestWrap(t *testing.T) {
	tests := []struct {
		name, line string
		n          int
		want       []string
	}{
		{"fits", "one two", 7, []string{"one two"}},
		{"one too few", "one two", 6, []string{"one", "two"}},
		{"several", "a bb ccc dddd", 4, []string{"a bb", "ccc", "dddd"}},
		{"a long word", "see runs/with/a/long/path now", 8, []string{"see", "runs/with/a/long/path", "now"}},
		{"no bound", "one  two", 0, []string{"one  two"}},
		{"characters", "äöü äöü", 7, []string{"äöü äöü"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, terminal.Wrap(tt.line, tt.n)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
