package terminal_test

import (
	"testing"

	"airqa/internal/terminal"
)

func TestFold(t *testing.T) {
	tests := []struct {
		name, in string
		width    int
		want     string
	}{
		{"no width", "a b\x1b", 0, `a b\x1b`},
		{"fits", "  a b", 20, "  a b"},
		{"between words", "  one two three four five six", 20, "  one two three four\n    five six"},
		{"inside a word", "aaaaaaaaaabbbbbbbbbbcc d", 20, "aaaaaaaaaabbbbbbbbbb\n    cc d"},
		{"too narrow", "one two three four five", 1, "one two three four\n    five"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := terminal.Fold(tt.in, tt.width); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
