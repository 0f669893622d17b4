package pdf

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Glyphs returns the characters of page n of the PDF at path, see [Document.Glyphs].
func (v Viewer) Glyphs(ctx context.Context, path string, n int) ([]Glyph, error) {
	book, err := v.Pool.borrow(ctx, path)
	if err != nil {
		return nil, err
	}
	glyphs, err := book.doc.Glyphs(ctx, n)
	v.Pool.giveBack(book, err)
	return glyphs, err
}

// seed is the number of letters and digits that a part of a text must have to be recognized on its own.
const seed = 24

// Find returns the smallest box around a text on a page. Only letters and digits are compared, so spaces, hyphens and
// line breaks do not matter. Where the page has other characters in between, parts of the text are searched. Of a text
// in two columns, it returns the part in the column with more of it. It reports false if less than half of the text is
// found.
func Find(glyphs []Glyph, text string) (Box, bool) {
	var page []rune
	var places []int // the indexes of their glyphs
	for i, g := range glyphs {
		for _, r := range folded(string(g.Rune)) {
			page, places = append(page, r), append(places, i)
		}
	}
	want := folded(text)
	if len(want) == 0 {
		return Box{}, false
	}
	var hits []int // indexes of glyphs
	for _, s := range spansOf(page, want) {
		hits = append(hits, places[s.from:s.to]...)
	}
	if len(hits)*2 < len(want) {
		return Box{}, false
	}
	// The box contains the largest block of glyphs between two jumps up the page, as between columns.
	var best, current Box
	most, n := 0, 0
	bottom := 0.0
	for _, i := range hits {
		g := glyphs[i]
		if g.Box.Empty() {
			continue
		}
		if n > 0 && g.Box.Y1 < bottom-3*max(g.Size, g.Box.Height()) {
			current, n, bottom = Box{}, 0, 0
		}
		current, n, bottom = current.Union(g.Box), n+1, max(bottom, g.Box.Y1)
		if n > most {
			best, most = current, n
		}
	}
	return best, true
}

type span struct{ from, to int }

// least is the number of characters from which a part of a part is searched, behind what was found before.
const least = 6

// spansOf finds the text, or else its parts in order, each after the previous one if possible.
func spansOf(page, want []rune) []span {
	if at := indexFrom(page, want, 0); at >= 0 {
		return []span{{at, at + len(want)}}
	}
	var spans []span
	next := 0
	for part := range slices.Chunk(want, seed) {
		if len(part) < seed && len(spans) == 0 {
			break
		}
		found := partSpans(page, part, next)
		if len(found) == 0 && len(part) == seed {
			if at := indexFrom(page, part, 0); at >= 0 {
				found = []span{{at, at + len(part)}}
			}
		}
		if len(found) > 0 {
			spans = append(spans, found...)
			next = found[len(found)-1].to
		}
	}
	return spans
}

// partSpans finds a part, or the halves of it, from a position on. Halves must be near the position.
func partSpans(page, part []rune, from int) []span {
	at := indexFrom(page, part, from)
	switch {
	case at >= 0 && (len(part) == seed || at < from+seed):
		return []span{{at, at + len(part)}}
	case len(part) < 2*least || from == 0:
		return nil
	}
	half := len(part) / 2
	spans := partSpans(page, part[:half], from)
	if len(spans) > 0 {
		from = spans[len(spans)-1].to
	}
	return append(spans, partSpans(page, part[half:], from)...)
}

// indexFrom is the first position of part in text from a position on, or -1.
func indexFrom(text, part []rune, from int) int {
	at := strings.Index(string(text[min(from, len(text)):]), string(part))
	if at < 0 {
		return -1
	}
	return from + len([]rune(string(text[from:])[:at]))
}

// folded are the letters and digits of a text in lower case.
func folded(text string) []rune {
	var list []rune
	for _, r := range norm.NFKD.String(text) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			list = append(list, unicode.ToLower(r))
		}
	}
	return list
}
