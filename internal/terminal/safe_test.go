package terminal_test

import (
	"testing"

	"airqa/internal/terminal"
)

func TestSafe(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "a\n\tb é", "a\n\tb é"},
		{"colour", "\x1b[31mred", `\x1b[31mred`},
		{"C1 control", "a\u009bb", `a\x9bb`},
		{"return hides a line", "real\rfake", `real\x0dfake`},
		{"reordering", "a\u202eb", `a\u202eb`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := terminal.Safe(tt.text); got != tt.want {
				t.Errorf("Safe = %q, want %q", got, tt.want)
			}
		})
	}
}

// A newline in a name begins no line of its own.
func TestMessage(t *testing.T) {
	got := terminal.Message("paper \x1b[2Ja\nairqa: done.pdf\n  hint\xff")
	if want := "paper \\x1b[2Ja\n  airqa: done.pdf\n  hint\ufffd"; got != want {
		t.Errorf("Message = %q, want %q", got, want)
	}
}
