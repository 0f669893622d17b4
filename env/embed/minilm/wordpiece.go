package minilm

import (
	"strings"
	"unicode/utf8"
)

// Ids of the special tokens, and the limits of a text and of a word.
const (
	idUnknown = 100
	idStart   = 101 // [CLS]
	idEnd     = 102 // [SEP]

	maxPieces    = 256 // with [CLS] and [SEP]
	maxWordRunes = 100 // a longer word is one [UNK]

	// windowPieces is the length of a window of a passage. The encoder reads more, but the mean over a long text stands for
	// none of its sentences: docs/PERFORMANCE.md compares lengths.
	windowPieces = 100
)

// special spells the tokens that are cut out of the raw text wherever they stand.
func special() []struct {
	text string
	id   int32
} {
	return []struct {
		text string
		id   int32
	}{{"[PAD]", 0}, {"[UNK]", idUnknown}, {"[CLS]", idStart}, {"[SEP]", idEnd}, {"[MASK]", 103}}
}

// wordPiece cuts words into the longest pieces that a vocabulary has. It is not changed after it is made.
type wordPiece struct {
	first map[string]int32 // pieces that begin a word
	rest  map[string]int32 // pieces that go on, without their ##
	width int              // bytes of the longest piece
}

// newWordPiece reads a vocabulary of one piece a line; the line's number from 0 is the id.
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

// encode returns the ids of a text, [CLS] and [SEP] included, at most maxPieces.
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

// nextSpecial finds the first special token: its place, its length and its id. Without one the place is the end and the
// length is 0.
func nextSpecial(text string) (at, length int, id int32) {
	for at := 0; ; at++ {
		next := strings.IndexByte(text[at:], '[')
		if next < 0 {
			return len(text), 0, 0
		}
		at += next
		for _, s := range special() {
			if strings.HasPrefix(text[at:], s.text) {
				return at, len(s.text), s.id
			}
		}
	}
}

// pieces appends the pieces of one word, or one [UNK] when some part of it is in no piece.
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
