package terminal_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/terminal"
)

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		width      int
		indent     string
		want       string
	}{
		{"fits", "one two", 7, "  ", "one two"},
		{"breaks between words", "one two three", 8, "  ", "one two\n  three"},
		{"counts the indent", "one two three four", 9, "    ", "one two\n    three\n    four"},
		{"keeps a path whole", "see /a/very/long/path now", 8, "", "see\n/a/very/long/path\nnow"},
		{"keeps the first indentation", "  one two three", 9, "", "  one two\nthree"},
		{"wide characters take two columns", "漢字 漢字", 8, "", "漢字\n漢字"},
		{"no bound", "one two three", 0, "  ", "one two three"},
		{"escapes", "a\x1b[2Jb", 0, "", `a\x1b[2Jb`},
		{"empty", "", 5, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, terminal.Wrap(tt.text, tt.width, tt.indent)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestHard(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  []string
	}{
		{"short", 8, []string{"short"}},
		{"eval_string_match", 12, []string{"eval_string_", "match"}},
		{"two words", 5, []string{"two", "words"}},
		{"aaaaaaaaaa", 4, []string{"aaaa", "aaaa", "aa"}},
		{"漢字漢字", 5, []string{"漢字", "漢字"}},
	} {
		if diff := cmp.Diff(tt.want, terminal.Hard(tt.text, tt.width)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  string
	}{
		{"a\n b  cdef", 6, "a b c…"}, {"abc", 3, "abc"}, {"abc", 0, "abc"}, {"漢字漢字", 5, "漢字…"},
	} {
		if got := terminal.Clip(tt.text, tt.width); got != tt.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", tt.text, tt.width, got, tt.want)
		}
	}
}

func TestPad(t *testing.T) {
	if got := terminal.Pad("漢", 4, true) + "|" + terminal.Pad("漢", 4, false) + "|"; got != "  漢|漢  |" {
		t.Errorf("got %q", got)
	}
}

func TestPlural(t *testing.T) {
	if got := terminal.Plural(1, "row") + ", " + terminal.Plural(2, "row"); got != "1 row, 2 rows" {
		t.Errorf("got %q", got)
	}
}

func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		n          int
	}{{"", "", 0}, {"ab", "ab", 2}, {"abc", "ab…", 2}, {"äöü", "äöü", 3}, {"äöüß", "äöü…", 3}} {
		if got := terminal.Truncate(tt.text, tt.n, "…"); got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}
