package tokens

import (
	"strings"
	"sync"
	"sync/atomic"
)

// The counts of single words are cached, because most words of a text recur. Longer pieces rarely do.
const (
	longestWord = 64
	mostWords   = 1 << 16
)

// words counts texts word by word. It is safe for concurrent use.
type words struct {
	counts sync.Map // string to int
	held   atomic.Int64
	count  func(string) int
}

// sum counts a text in pieces that no token crosses: the vocabulary's pattern always starts a token at a space between
// two letters.
func (w *words) sum(text string) int {
	n, start := 0, 0
	for i := 1; i+1 < len(text); i++ {
		if text[i] == ' ' && isLetter(text[i-1]) && isLetter(text[i+1]) {
			n += w.one(text[start:i])
			start = i
		}
	}
	return n + w.one(text[start:])
}

// one counts a piece.
func (w *words) one(piece string) int {
	if len(piece) > longestWord {
		return w.count(piece)
	}
	if known, ok := w.counts.Load(piece); ok {
		n, _ := known.(int)
		return n
	}
	n := w.count(piece)
	if w.held.Add(1) > mostWords {
		w.counts.Clear()
		w.held.Store(1)
	}
	w.counts.Store(strings.Clone(piece), n) // a substring would keep the whole text in memory
	return n
}

// isLetter reports whether a byte is an ASCII letter.
func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
