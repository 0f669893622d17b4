package tokens

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"airqa/internal/testkit"

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

// A word that takes the place of another one is counted again later.
func TestWordsForget(t *testing.T) {
	w := newWords(func(s string) int { return len(s) })
	for i := range 2 * mostWords {
		word := strconv.Itoa(i)
		if n := w.one(word); n != len(word) {
			t.Fatalf("%s counts %d", word, n)
		}
	}
}

// A text of the length of a passage has the same count each time, also when others have taken its place.
func TestTextsForget(t *testing.T) {
	counts := 0
	w := newWords(func(s string) int { counts++; return len(s) })
	text := func(i int) string { return strings.Repeat(strconv.Itoa(i)+" ", shortestText) }
	for range 2 {
		for i := range 2 * mostTexts {
			if n := w.sum(text(i)); n != len(text(i)) {
				t.Fatalf("text %d counts %d", i, n)
			}
		}
	}
	before := counts
	if w.sum(text(7)); counts != before {
		w.sum(text(7))
	}
	before = counts
	if w.sum(text(7)); counts != before {
		t.Error("a text is counted again at once")
	}
}

// Every character is counted as the codec counts it, beside letters, digits, spaces and symbols.
func TestEveryCharacter(t *testing.T) {
	testkit.OneGoroutine(t)
	step := rune(37) // all of them take a minute
	if os.Getenv("AIRQA_TEST_EVERY_CHARACTER") != "" {
		step = 1
	}
	for r := rune(0); r <= unicode.MaxRune; r += step {
		c := string(r)
		text := "a" + c + "b " + c + "C1" + c + "2  " + c + c + ".'" + c + "s\n" + c
		if got, want := Count(text), whole(text); got != want {
			t.Errorf("U+%04X: Count(%q) = %d, the codec has %d", r, text, got, want)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	for kind, text := range map[string]string{
		"prose": "We describe the window of the encoder, whose size (384 tokens) is set on the development set. ",
		"json":  `{\"score\": 0.5, \"pdf_id\": \"p1\", \"bbox\": [102.5, 66.0, 300.25, 12.75], \"content\": \"window_size=384\"}\n`,
	} {
		text = strings.Repeat(text, 100)
		for name, count := range map[string]func(string) int{"whole": whole, "words": Count} {
			b.Run(kind+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					count(text)
				}
			})
		}
	}
}
