package minilm

import (
	"unicode"
	"unicode/utf8"

	"airqa/env/embed"
)

// parts counts the pieces of each stretch of a text that is encoded by itself: a word, an ideograph, a punctuation character.
// A special token counts as what it is written with, which is more.
func (w *wordPiece) parts(text string) []embed.Part {
	var parts []embed.Part
	var ids []int32
	begin, open := 0, false // open: there is something since begin
	cut := func(end int) {
		if !open {
			return
		}
		ids = ids[:0]
		for _, word := range words(text[begin:end]) {
			ids = w.pieces(ids, word)
		}
		parts = append(parts, embed.Part{End: end, Tokens: len(ids)})
		begin, open = end, false
	}
	for i, r := range text {
		alone := isIdeograph(r) || isPunctuation(unicode.ToLower(r))
		if alone || isBlank(r) {
			cut(i)
		}
		open = open || !isBlank(r)
		if alone {
			cut(i + utf8.RuneLen(r))
		}
	}
	cut(len(text))
	return parts
}

// isBlank reports whether a rune parts words: white space, but for what [clean] drops.
func isBlank(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || unicode.Is(unicode.White_Space, r) && !isDropped(r)
}
