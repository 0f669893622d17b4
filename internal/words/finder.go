package words

import (
	"encoding/json"
	"iter"
	"strings"

	"airqa/internal/lazyregexp"

	"golang.org/x/text/unicode/norm"
)

// Finder finds words in a text, compared as by [Fold], and returns their byte ranges in the text itself.
type Finder struct {
	folded string
	// places has the range of the original for each byte of folded.
	places []place
}

type place struct{ first, end int }

// Word is a word of a text, folded, with its byte range.
type Word struct {
	Text       string
	First, End int
}

// Split returns the words of a text as [Fold] separates them.
func Split(text string) (list []Word) {
	f, at := NewFinder(text), 1
	for w := range strings.FieldsSeq(f.folded) {
		list = append(list, Word{w, f.places[at].first, f.places[at+len(w)-1].end})
		at += len(w) + 1
	}
	return list
}

// NewFinder folds a text once for many searches.
func NewFinder(text string) *Finder { return newFinder(composed(text)) }

// NewJSONFinder folds a text that is, or is part of, encoded JSON: an escape sequence counts as its character.
func NewJSONFinder(text string) *Finder {
	var plain traced
	at := 0
	for _, m := range escape.FindAllStringIndex(text, -1) {
		plain.copy(text, at, m[0])
		var char string
		_ = json.Unmarshal([]byte(`"`+text[m[0]:m[1]]+`"`), &char) // the pattern matches valid sequences only
		plain.add(char, place{m[0], m[1]})
		at = m[1]
	}
	plain.copy(text, at, len(text))
	inner := composed(string(plain.text))
	for i, p := range inner.places {
		inner.places[i] = place{plain.places[p.first].first, plain.places[p.end-1].end}
	}
	return newFinder(inner)
}

// All yields the byte ranges of the places that have the words of a part, in order. A part without words has none.
func (f *Finder) All(part string) iter.Seq2[int, int] {
	return func(yield func(first, end int) bool) {
		words := Fold(part)
		if strings.TrimSpace(words) == "" {
			return
		}
		for from := 0; ; {
			i := strings.Index(f.folded[from:], words)
			if i < 0 {
				return
			}
			first, last := from+i+1, from+i+len(words)-2
			if !yield(f.places[first].first, f.places[last].end) {
				return
			}
			from += i + 1
		}
	}
}

// Find returns the first range of [Finder.All]. It reports false if there is none.
func (f *Finder) Find(part string) (first, end int, ok bool) {
	for first, end := range f.All(part) {
		return first, end, true
	}
	return 0, 0, false
}

// traced is a text whose bytes know where they come from.
type traced struct {
	text   []byte
	places []place
}

func (t *traced) add(text string, from place) {
	for i := range len(text) {
		t.text = append(t.text, text[i])
		t.places = append(t.places, from)
	}
}

func composed(text string) (t traced) {
	var it norm.Iter
	it.InitString(norm.NFKC, text)
	for !it.Done() {
		first := it.Pos()
		t.add(ScriptMark(text, first), place{first, first})
		segment := it.Next()
		t.add(string(segment), place{first, it.Pos()})
	}
	return t
}

// escape matches escape sequences of JSON; surrogates belong together.
var escape = lazyregexp.New(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]`)

func (t *traced) copy(text string, first, end int) {
	for i := first; i < end; i++ {
		t.add(text[i:i+1], place{i, i + 1})
	}
}

func (t *traced) keep(from traced, first, end int) {
	t.text = append(t.text, from.text[first:end]...)
	t.places = append(t.places, from.places[first:end]...)
}

func newFinder(whole traced) *Finder {
	var t traced // without what [Fold] leaves out
	at := 0
	for c := range cuts(string(whole.text)) {
		t.keep(whole, at, c.first)
		if c.tag {
			t.add(" ", place{whole.places[c.first].first, whole.places[c.end-1].end})
		}
		at = c.end
	}
	t.keep(whole, at, len(whole.text))
	f := &Finder{places: make([]place, 1, len(t.text)+1)}
	folded := make([]byte, 1, len(t.text)+2)
	folded[0] = ' '
	each(string(t.text), func(word []byte, first, end int) {
		folded = append(append(folded, word...), ' ')
		from := place{t.places[first].first, t.places[end-1].end}
		for range len(word) + 1 {
			f.places = append(f.places, from)
		}
	})
	f.folded = string(folded)
	return f
}
