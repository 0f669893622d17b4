package tokens_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"airqa/internal/tokens"
)

// Counts are those of OpenAI's cl100k_base.
func TestCount(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0},
		{"hello world", 2},
		{"tiktoken is great!", 6},
		{"<|endoftext|>", 7},
	}
	for _, tt := range tests {
		if got := tokens.Count(tt.text); got != tt.want {
			t.Errorf("Count(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	texts := map[string]string{
		"words": strings.Repeat("hello world, ", 500),
		"kanji": strings.Repeat("論文を読む", 500),
		"short": "hello",
		"empty": "",
		"emoji": strings.Repeat("👩‍🔬", 300),
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			for _, limit := range []int{0, 1, 2, 7, 100, 100_000} {
				got, cut := tokens.Cut(text, limit)
				if !strings.HasPrefix(text, got) || !utf8.ValidString(got) {
					t.Errorf("limit %d: not a whole beginning: %q", limit, got)
				}
				if cut != (len(got) < len(text)) {
					t.Errorf("limit %d: cut = %v with %d of %d bytes", limit, cut, len(got), len(text))
				}
				if n := tokens.Count(got); n > limit+1 {
					t.Errorf("limit %d: %d tokens", limit, n)
				}
			}
		})
	}
	if got, cut := tokens.Cut("hello world", 1); got != "hello" || !cut {
		t.Errorf("Cut = %q, %v", got, cut)
	}
}
