package tokens

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"airqa/internal/bpe"
)

// The counts of words are cached, because most words of a text recur. Longer pieces rarely do.
const (
	longestWord = 64
	mostWords   = 1 << 16 // a power of two
)

// words counts texts word by word. It is safe for concurrent use.
type words struct {
	// slots has the counts by the hash of the word. A word takes the place of another one.
	slots [mostWords]atomic.Pointer[counted]
	seed  maphash.Seed
	count func(string) int
}

// counted is the number of tokens of a word.
type counted struct {
	word string
	n    int
}

func newWords(count func(string) int) *words { return &words{seed: maphash.MakeSeed(), count: count} }

// sum counts a text in pieces that no token crosses.
func (w *words) sum(text string) (n int) {
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
	slot := &w.slots[maphash.String(w.seed, piece)%mostWords]
	if known := slot.Load(); known != nil && known.word == piece {
		return known.n
	}
	n := w.count(piece)
	slot.Store(&counted{strings.Clone(piece), n}) // a substring would keep the whole text in memory
	return n
}
