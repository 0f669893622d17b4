package bpe

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The scanners split as a regular expression engine does.
func TestWordsAreThePattern(t *testing.T) {
	parts := []string{
		" ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u2028", "a", "B", "the", "ABC", "Abc", "é", "e\u0301", "\u0301", "ß", "ſ", "ǅ",
		"ʰ", "ª", "中文", "한", "ا", "1", "12", "3456", "٣", "Ⅳ", "½", "'", "'s", "'S", "'ſ", "'ll", "'LL", "'rE", "'v", ".", "--", "/", "_",
		"(", "😀", "👩\u200d🔬", "\ufe0f", "\ufffd", "\x00", "\U00020000", "\u0378",
	}
	patterns := map[string]splitter{}
	for pattern := range knownPatterns {
		w, _ := wordsOf(pattern)
		patterns[pattern] = w.split
	}
	for pattern, longest := range digitPatterns {
		patterns[pattern] = digits{longest, classes()}.split
	}
	for pattern, scan := range patterns {
		regex, err := regexSplitter(pattern, true, true)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(r *rapid.T) {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 20).Draw(r, "parts"), "") + rapid.StringN(0, 5, -1).Draw(r, "end")
			if diff := cmp.Diff(pieces(regex, text), pieces(scan, text)); diff != "" {
				r.Fatalf("%s on %q (-regular expression +scanner):\n%s", pattern, text, diff)
			}
		})
	}
}

func pieces(split splitter, text string) (all []string) {
	split(text, func(piece string) { all = append(all, piece) })
	return all
}

// The heap merges in the order of the definition: the lowest rank first, the leftmost of its pairs first.
func TestMergeOrder(t *testing.T) {
	tokenizer, err := Open("testdata/qwen2.json")
	if err != nil {
		t.Fatal(err)
	}
	m := &tokenizer.model
	rapid.Check(t, func(r *rapid.T) {
		word := rapid.StringOf(rapid.SampledFrom([]rune(" aeinorst.é中"))).Draw(r, "word")
		if got, want := m.merge(nil, word), mergeByDefinition(m, word); !slices.Equal(got, want) {
			r.Fatalf("merge(%q) = %d, want %d", word, got, want)
		}
	})
}

func mergeByDefinition(m *model, word string) (ids []int32) {
	for i := range len(word) {
		ids = append(ids, m.bytes[word[i]])
	}
	for {
		best, at := merge{}, 0
		for i := 1; i < len(ids); i++ {
			if found := m.merges.at(ids[i-1], ids[i]).merge; found.rank > 0 && (best.rank == 0 || found.rank < best.rank) {
				best, at = found, i
			}
		}
		if best.rank == 0 {
			return ids
		}
		ids = slices.Replace(ids, at-1, at+1, best.id)
	}
}

// Every byte has its own character.
func TestAlphabet(t *testing.T) {
	seen := map[string]bool{}
	for b := range 256 {
		token := spell(string([]byte{byte(b)}))
		if seen[token] {
			t.Errorf("byte %#x is spelled %q, like another one", b, token)
		}
		seen[token] = true
	}
	if got := spell(" the\n"); got != "ĠtheĊ" {
		t.Errorf("spell = %q", got)
	}
}
