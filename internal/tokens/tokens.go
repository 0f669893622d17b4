// Package tokens counts and truncates texts in tokens of cl100k_base, the vocabulary of the paper's limits (5,000
// tokens per observation). The vocabulary is compiled in; nothing is fetched.
package tokens

import (
	"sync"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// cl100k loads the vocabulary once, on first use. It is made without tokenizer.Get, which links all other vocabularies.
var cl100k = sync.OnceValue(codec.NewCl100kBase)

// Count returns the number of tokens of text. Text that looks like a special token counts as ordinary text.
func Count(text string) int {
	if text == "" {
		return 0
	}
	return known.sum(text)
}

// known caches the counts of words.
var known = newWords(whole)

func whole(text string) int {
	n, err := cl100k().Count(text)
	if err != nil {
		// The codec fails only for broken patterns; a token has at least one byte.
		return len(text)
	}
	return n
}

// Cut returns the longest prefix of text with at most limit tokens, and whether it truncated the text. It never splits
// a character.
func Cut(text string, limit int) (string, bool) {
	if limit <= 0 {
		return "", text != ""
	}
	if len(text) <= limit {
		return text, false
	}
	// Ordinary text has about four bytes per token: try a probable prefix before the whole text.
	for _, factor := range []int{6, 48} {
		if cut, ok := cutPiece(head(text, factor*limit), limit); ok {
			return cut, true
		}
	}
	if cut, ok := cutPiece(text, limit); ok {
		return cut, true
	}
	return text, false
}

// cutPiece returns the first limit tokens of a longer piece.
func cutPiece(piece string, limit int) (string, bool) {
	ids, _, err := cl100k().Encode(piece)
	if err != nil {
		return head(piece, limit), true
	}
	if len(ids) <= limit {
		return "", false
	}
	cut, err := cl100k().Decode(ids[:limit])
	if err != nil {
		return head(piece, limit), true
	}
	return head(piece, len(cut)), true
}

// head returns the first n bytes of s, or fewer to avoid splitting a character.
func head(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
