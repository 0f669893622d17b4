package web

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"airqa/internal/terminal"
)

// Limits of a text on a page. A longer one shows its beginning, its end, and what is around its marks; the rest has an
// address of its own.
const (
	wholeText = 64 << 10
	headText  = 40 << 10
	tailText  = 8 << 10
	aroundRef = 600
)

// textView is a text of an episode on a page.
type textView struct {
	// ID is the id of the element, and with Href the address of the whole text.
	ID, Href string
	Size     int
	// Field is the name of the text, see [Text].
	Field string
	// Prose texts are not code, Marked texts have marks.
	Prose, Marked bool
	Parts         []textPart
}

// textPart is a piece of a text, or the number of bytes that are left out before it.
type textPart struct {
	Text string
	// Mark is the class of a marked piece; ID and Title are its own.
	Mark, ID, Title string
	Left            int
}

// span is a marked byte range of a text.
type span struct {
	First, End      int
	Class, ID, Note string
}

// long reports whether a text is not shown whole.
func (v textView) long() bool { return v.Size > wholeText }

// Cut reports whether something is left out.
func (v textView) Cut() bool { return v.long() }

// newText cuts a text at its marks. Ranges outside of it are moved inside, and overlapping ones share a piece.
func newText(id, href, text string, spans []span) textView {
	v := textView{ID: id, Href: href, Size: len(text), Marked: len(spans) > 0}
	spans = inside(text, spans)
	last := 0
	for _, r := range shownRanges(len(text), spans) {
		first, end := border(text, r[0]), border(text, r[1])
		if first > last {
			v.Parts = append(v.Parts, textPart{Left: first - last})
		}
		v.add(text, first, end, spans)
		last = end
	}
	return v
}

// inside sorts marks and moves them to the borders of characters.
func inside(text string, spans []span) []span {
	list := slices.Clone(spans)
	for i := range list {
		m := &list[i]
		m.First = border(text, m.First)
		m.End = border(text, max(m.End, m.First))
		if m.End == m.First && m.First < len(text) { // a position: one character
			_, n := utf8.DecodeRuneInString(text[m.First:])
			m.End += n
		}
	}
	slices.SortStableFunc(list, func(a, b span) int { return cmp.Compare(a.First, b.First) })
	return list
}

// border is the next border between characters, inside the text.
func border(text string, at int) int {
	at = min(max(at, 0), len(text))
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return at
}

// shownRanges are the byte ranges of a text of n bytes that are on the page.
func shownRanges(n int, spans []span) [][2]int {
	if n <= wholeText {
		return [][2]int{{0, n}}
	}
	list := [][2]int{{0, headText}, {n - tailText, n}}
	for _, m := range spans {
		list = append(list, [2]int{max(m.First-aroundRef, 0), min(m.First+aroundRef, n)})
	}
	slices.SortFunc(list, func(a, b [2]int) int { return a[0] - b[0] })
	merged := list[:1]
	for _, r := range list[1:] {
		if last := &merged[len(merged)-1]; r[0] <= last[1] {
			last[1] = max(last[1], r[1])
			continue
		}
		merged = append(merged, r)
	}
	return merged
}

// add adds a range of the text, in pieces between the borders of its marks.
func (v *textView) add(text string, first, end int, spans []span) {
	at := first
	for _, m := range spans {
		from, to := max(m.First, at), min(m.End, end)
		if from >= to {
			if m.ID != "" && m.First >= first && m.First < end { // inside another mark: a place without a text of its own
				v.Parts = append(v.Parts, textPart{Mark: m.Class, ID: m.ID, Title: m.Note})
			}
			continue
		}
		v.plain(text[at:from])
		v.Parts = append(v.Parts, textPart{Text: terminal.Safe(text[from:to]), Mark: cmp.Or(m.Class, "ref"), ID: m.ID, Title: m.Note})
		at = to
	}
	v.plain(text[at:end])
}

func (v *textView) plain(text string) {
	if text != "" {
		v.Parts = append(v.Parts, textPart{Text: terminal.Safe(text)})
	}
}
