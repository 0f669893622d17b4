package tokens

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Counting word by word gives what counting the whole gives.
func TestSumIsTheCount(t *testing.T) {
	pieces := []string{
		" ", "  ", "\n", " \n", "\r\n", "\t", "a", "I", "the", " window", "'s", "'LL", "ſ", "é", "ﬁ", "論文", "12", "3.14", "2024", "-", "—",
		"(", ")", "\\n", `"`, "{\"score\": 0.5, ", "\u00a0", "\xff", "👩‍🔬", "<|endoftext|>", "tokenization", "x y", "A b C",
	}
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 60).Draw(r, "pieces"), "")
		if got, want := Count(text), whole(text); got != want {
			r.Fatalf("Count(%q) = %d, the codec has %d", text, got, want)
		}
	})
}

// A full memo forgets everything and continues.
func TestWordsForget(t *testing.T) {
	w := words{count: func(s string) int { return len(s) }}
	w.held.Store(mostWords)
	if n := w.sum("one two"); n != 7 {
		t.Errorf("sum = %d, want 7", n)
	}
	if held := w.held.Load(); held != 2 {
		t.Errorf("%d words held, want the 2 that came since", held)
	}
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat("We describe the window of the encoder, whose size (384 tokens) is set on the development set. ", 100)
	for name, count := range map[string]func(string) int{"whole": whole, "words": Count} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				count(text)
			}
		})
	}
}
