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
	count        func(string) int
	words, texts *Memo
}

func newWords(count func(string) int) *words {
	w := &words{count: count, words: NewMemo(mostWords, count)}
	w.texts = NewMemo(mostTexts, w.pieces)
	return w
}

func (w *words) sum(text string) int {
	if len(text) < shortestText || len(text) > longestText {
		return w.pieces(text)
	}
	return w.texts.Count(text)
}

// pieces counts a text in pieces that no token crosses.
func (w *words) pieces(text string) (n int) {
	if !utf8.ValidString(text) {
		return w.count(text)
	}
	bpe.Words(text, func(piece string) { n += w.one(piece) })
	return n
}

func (w *words) one(piece string) int {
	if len(piece) > longestWord {
		return w.count(piece)
	}
	return w.words.Count(piece)
}

// Memo caches the counts of texts. A text takes the place of another one. It is safe for concurrent use.
type Memo struct {
	count func(string) int
	seed  maphash.Seed
	slots []atomic.Pointer[counted]
}

type counted struct {
	text string
	n    int
}

// NewMemo returns a cache of token counts. Its capacity in texts must be a power of two.
func NewMemo(texts int, count func(string) int) *Memo {
	return &Memo{count, maphash.MakeSeed(), make([]atomic.Pointer[counted], texts)}
}

// Count counts a text, or returns the count from the cache.
func (m *Memo) Count(text string) int {
	slot := &m.slots[maphash.String(m.seed, text)&uint64(len(m.slots)-1)]
	if known := slot.Load(); known != nil && known.text == text {
		return known.n
	}
	n := m.count(text)
	slot.Store(&counted{strings.Clone(text), n}) // a substring would keep the whole text in memory
	return n
}
