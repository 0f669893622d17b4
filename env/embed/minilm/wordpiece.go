package minilm

import (
	"strings"
	"unicode/utf8"
)

// Ids of the special tokens; limits of texts and words.
const (
	idUnknown = 100
	idStart   = 101 // [CLS]
	idEnd     = 102 // [SEP]

	maxPieces    = 256 // with [CLS] and [SEP]
	maxWordRunes = 100 // a longer word is one [UNK]

	// windowPieces is the window length of passages. The encoder reads more, but the mean over a long text represents
	// none of its sentences: docs/PERFORMANCE.md compares lengths.
	windowPieces = 100
)

// special has the tokens recognised anywhere in raw text. None is a prefix of another.
var special = map[string]int32{"[PAD]": 0, "[UNK]": idUnknown, "[CLS]": idStart, "[SEP]": idEnd, "[MASK]": 103}

// wordPiece splits words into the longest pieces of a vocabulary. It is immutable.
type wordPiece struct {
	first map[string]int32 // pieces that begin a word
	rest  map[string]int32 // continuation pieces, without their ##
	width int              // bytes of the longest piece
}

// newWordPiece reads a vocabulary with one piece per line; the id is the line number from 0.
func newWordPiece(vocab string) *wordPiece {
	w := &wordPiece{first: make(map[string]int32, vocabulary), rest: make(map[string]int32, vocabulary/4)}
	id := int32(0)
	for line := range strings.Lines(vocab) {
		line = strings.TrimRight(line, "\r\n")
		if rest, ok := strings.CutPrefix(line, "##"); ok {
			w.rest[rest] = id
		} else {
			w.first[line] = id
		}
		w.width = max(w.width, len(line))
		id++
	}
	return w
}

// encode returns at most maxPieces ids of a text, including [CLS] and [SEP].
func (w *wordPiece) encode(text string) []int32 {
	ids := append(make([]int32, 0, 64), idStart)
	for text != "" && len(ids) < maxPieces {
		at, length, id := nextSpecial(text)
		for _, word := range words(text[:at]) {
			if ids = w.pieces(ids, word); len(ids) >= maxPieces {
				break
			}
		}
		if length > 0 {
			ids = append(ids, id)
		}
		text = text[at+length:]
	}
	return append(ids[:min(len(ids), maxPieces-1)], idEnd)
}

// nextSpecial returns the position, length and id of the first special token. If there is none, it returns the end of
// the text and length 0.
func nextSpecial(text string) (at, length int, id int32) {
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '[')
		if next < 0 {
			return len(text), 0, 0
		}
		at += next
		for token, id := range special {
			if strings.HasPrefix(text[at:], token) {
				return at, len(token), id
			}
		}
	}
}

// pieces appends the pieces of one word, or one [UNK] if the vocabulary cannot compose it.
func (w *wordPiece) pieces(ids []int32, word string) []int32 {
	if utf8.RuneCountInString(word) > maxWordRunes {
		return append(ids, idUnknown)
	}
	before, known := len(ids), w.first
	for word != "" {
		n, id := w.longest(known, word)
		if n == 0 {
			return append(ids[:before], idUnknown)
		}
		ids, word, known = append(ids, id), word[n:], w.rest
	}
	return ids
}

func (w *wordPiece) longest(known map[string]int32, word string) (n int, id int32) {
	for n := min(len(word), w.width); n > 0; n-- {
		if n < len(word) && !utf8.RuneStart(word[n]) {
			continue
		}
		if id, ok := known[word[:n]]; ok {
			return n, id
		}
	}
	return 0, 0
}
