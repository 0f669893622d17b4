package terminal_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"airqa/internal/terminal"
)

func TestPager(t *testing.T) {
	broken := errors.New("broken")
	long := strings.Repeat("a line\n", 100_000)
	for _, tt := range []struct {
		command, text, want string
		err                 error
		fails               bool
	}{
		{command: "cat", text: "a\nb\n", want: "a\nb\n"},
		{command: "head -n 1", text: long, want: "a line\n"},
		{command: "no-such-pager -x", text: "a\n", want: "a\n"},
		{command: "cat", err: broken, fails: true},
		{command: "false", text: "a\n", fails: true},
	} {
		var out strings.Builder
		err := terminal.Pager{Command: tt.command, Out: &out, Errs: io.Discard}.Page(t.Context(), func(w io.Writer) error {
			if tt.err != nil {
				return tt.err
			}
			_, err := io.WriteString(w, tt.text)
			return err
		})
		if out.String() != tt.want || (err != nil) != tt.fails || tt.err != nil && !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, %v; want %q", tt.command, out.String(), err, tt.want)
		}
	}
}
