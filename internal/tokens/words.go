package tokens

import (
	"strings"
	"sync"
	"sync/atomic"
)

// Counts of single words are remembered: most of a text is words that came before. Longer pieces seldom come again.
const (
	longestWord = 64
	mostWords   = 1 << 16
)

// words counts texts word by word. Its methods may be called by several goroutines.
type words struct {
	counts sync.Map // string to int
	held   atomic.Int64
	count  func(string) int
}

// sum counts a text in pieces that no token crosses: the vocabulary's pattern always begins a new token at a space
// between two letters, whatever stands before and behind.
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
	w.counts.Store(strings.Clone(piece), n) // a part of a long text would keep all of it
	return n
}

// isLetter tells whether a byte is a letter of ASCII.
func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
