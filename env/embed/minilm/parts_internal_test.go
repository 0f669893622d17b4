package minilm

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The encoder reads every window to its end, and each run of 40 pieces lies within one window.
func TestWindowsHoldEverything(t *testing.T) {
	m, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	vocabulary := m.words()
	encode := func(text string) (ids []int32) {
		for _, word := range words(text) {
			ids = vocabulary.pieces(ids, word)
		}
		return ids
	}
	word := rapid.OneOf(
		rapid.StringMatching(`[a-z]{1,12}`), rapid.StringMatching(`[A-Z0-9.,()\[\]-]{1,9}`), rapid.SampledFrom([]string{"学习", "naïve", "e\u0301t\u00e9", "한국어", "[SEP]", "a\fb"}),
	)
	rapid.Check(t, func(t *rapid.T) {
		blank := rapid.SampledFrom([]string{" ", "\n", "\u00a0", "  "})
		var b strings.Builder
		fields := rapid.SliceOfN(word, 150, 400).Draw(t, "words")
		for _, w := range fields {
			b.WriteString(w + blank.Draw(t, "blank"))
		}
		text := b.String()
		windows := m.Windows(text)
		var read [][]int32
		for _, w := range windows {
			ids := encode(w)
			if len(ids) > windowPieces {
				t.Fatalf("%d pieces in %q", len(ids), w)
			}
			read = append(read, ids)
		}
		from := rapid.IntRange(0, len(fields)-1).Draw(t, "from")
		want := encode(strings.Join(fields[from:min(from+4, len(fields))], " "))
		if len(want) > 40 {
			return
		}
		if !slices.ContainsFunc(read, func(ids []int32) bool { return within(ids, want) }) {
			t.Fatalf("no window holds %v", want)
		}
	})
}

func within(all, part []int32) bool {
	for i := 0; i+len(part) <= len(all); i++ {
		if slices.Equal(all[i:i+len(part)], part) {
			return true
		}
	}
	return false
}
