package bpe

import "sync"

// cl100k splits text as the cl100k vocabulary does.
var cl100k = sync.OnceValue(func() *words {
	w, ok := wordsOf(cl100kPattern)
	if !ok {
		panic("bpe: the pattern of cl100k is unknown")
	}
	return w
})

// Words passes the pieces of a text that no token of the cl100k vocabulary crosses to emit, in order. The text must be
// valid UTF-8. Each piece is one piece by itself, too.
func Words(text string, emit func(piece string)) { cl100k().split(text, emit) }
