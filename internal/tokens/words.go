package tokens

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"airqa/internal/bpe"
)

// The counts of words are cached, because most words of a text recur. Longer pieces rarely do, but whole passages do: an
// agent finds the same ones again, and so does the next rollout of its question.
const (
	longestWord  = 64
	mostWords    = 1 << 16 // a power of two
	shortestText = 256
	longestText  = 4096
	mostTexts    = 1 << 10 // a power of two
)

// words counts texts word by word. It is safe for concurrent use.
type words struct {
	// slots has the counts by the hash of the word. A word takes the place of another one.
	slots [mostWords]atomic.Pointer[counted]
	texts [mostTexts]atomic.Pointer[counted]
	seed  maphash.Seed
	count func(string) int
}

// counted is the number of tokens of a word or a text.
type counted struct {
	text string
	n    int
}

func newWords(count func(string) int) *words { return &words{seed: maphash.MakeSeed(), count: count} }

// sum counts a text.
func (w *words) sum(text string) int {
	if len(text) < shortestText || len(text) > longestText {
		return w.pieces(text)
	}
	return cached(&w.texts[maphash.String(w.seed, text)%mostTexts], text, w.pieces)
}

// pieces counts a text in pieces that no token crosses.
func (w *words) pieces(text string) (n int) {
	if !utf8.ValidString(text) {
		return w.count(text)
	}
	bpe.Words(text, func(piece string) { n += w.one(piece) })
	return n
}

// one counts a piece.
func (w *words) one(piece string) int {
	if len(piece) > longestWord {
		return w.count(piece)
	}
	return cached(&w.slots[maphash.String(w.seed, piece)%mostWords], piece, w.count)
}

// cached returns the count in the slot if it is that of the text. Otherwise it counts the text and stores the count.
func cached(slot *atomic.Pointer[counted], text string, count func(string) int) int {
	if known := slot.Load(); known != nil && known.text == text {
		return known.n
	}
	n := count(text)
	slot.Store(&counted{strings.Clone(text), n}) // a substring would keep the whole text in memory
	return n
}
