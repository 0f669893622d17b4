package minilm

import (
	"unicode"
	"unicode/utf8"

	"airqa/env/embed"
)

// parts counts the pieces of each unit that is encoded on its own: a word, an ideograph, a punctuation character. A
// special token counts as its characters, which is an upper bound.
func (w *wordPiece) parts(text string) []embed.Part {
	var parts []embed.Part
	var ids []int32
	begin, open := 0, false // open reports whether there is text since begin
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
		if alone || isSpace(r) {
			cut(i)
		}
		open = open || !isSpace(r)
		if alone {
			cut(i + utf8.RuneLen(r))
		}
	}
	cut(len(text))
	return parts
}

// isSpace reports whether a rune separates words: whitespace that [clean] does not drop.
func isSpace(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || unicode.Is(unicode.White_Space, r) && !isDropped(r)
}
