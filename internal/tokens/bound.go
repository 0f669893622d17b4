package tokens

import (
	"unicode"
	"unicode/utf8"
)

// What [Bound] counts, in hundredths of a token. Nearly all vocabularies split text as cl100k_base does, but smaller ones have
// fewer words. The numbers were chosen by measurement with eleven tokenizers: Llama 2 and two of Mistral (32,000 to 32,768
// words), SmolLM2 (49,152), Claude (65,000), DeepSeek V3, Llama 3, Qwen 3, o200k, Gemma and Gemma 3 (262,144). For the texts of
// testdata/counts.jsonl the bound is above the worst of them by 10 to 14 % for rows of exports, 5 to 34 % for code, tables, JSON
// and LaTeX, up to 20 % for languages in Latin letters, and 24 to 139 % for other scripts and formulas. It is too low for texts
// that repeat a rare word which is a token of cl100k_base alone, such as "lorem".
const (
	perDigit       = 105 // many vocabularies have no longer numbers
	perCommonWord  = 105 // a word of one token: a short one after a space,
	perLongWord    = 160 // a longer one after a space,
	perOtherWord   = 135 // or one at the start of a line, in quotes or in an identifier
	perPartOfWord  = 180 // each token of other words, and a word in capitals
	perMark        = 100 // each character of punctuation
	perSpace       = 165 // each token of whitespace
	perForeign     = 165 // each token of a piece with characters outside of ASCII,
	perForeignByte = 45  // and each byte of such a character if it is not Latin
)

// commonWord is the number of letters from which a word is a long one.
const commonWord = 8

// LeastWords is the size of the smallest vocabulary for which [Bound] holds, in words.
const LeastWords = 32_000

// Bound estimates the tokens of text in the least favorable of the usual vocabularies. It may be too low for texts that repeat
// rare words, and for vocabularies that spell whitespace or other scripts byte by byte, such as GPT-2's.
func Bound(text string) int { return (bounds.sum(text) + 99) / 100 }

// bounds caches the hundredths of pieces.
var bounds = newWords(hundredths)

// hundredths is the bound of one piece of a text, or of a text that is not valid UTF-8, of which each byte may be a token.
func hundredths(piece string) int {
	if !utf8.ValidString(piece) {
		return 100 * len(piece)
	}
	c := classesOf(piece)
	sum := perDigit * c.digits
	switch {
	case c.foreign > 0:
		return sum + perForeign*Count(piece) + perForeignByte*c.bytes
	case c.letters > 0:
		return sum + ofWord(piece, c.letters)
	case c.marks > 0:
		return sum + perMark*(c.marks+c.breaks)
	case c.digits > 0:
		return sum
	}
	return perSpace * Count(piece)
}

// classes counts the characters of a piece. Those outside of ASCII are foreign; bytes are of those that are not Latin.
type classes struct{ letters, digits, marks, breaks, foreign, bytes int }

func classesOf(piece string) (c classes) {
	for _, r := range piece {
		switch {
		case r >= utf8.RuneSelf:
			c.foreign++
			if !unicode.Is(unicode.Latin, r) {
				c.bytes += utf8.RuneLen(r)
			}
		case unicode.IsLetter(r):
			c.letters++
		case unicode.IsDigit(r):
			c.digits++
		case r == '\n':
			c.breaks++
		case r != ' ' && r != '\t' && r != '\r':
			c.marks++
		}
	}
	return c
}

// ofWord is the bound of a word and the character before it.
func ofWord(piece string, letters int) int {
	n := Count(piece)
	switch {
	case n > 1 || letters > 1 && unicode.IsUpper(rune(piece[len(piece)-1])):
		return perPartOfWord * n
	case piece[0] != ' ':
		return perOtherWord
	case letters < commonWord:
		return perCommonWord
	}
	return perLongWord
}
