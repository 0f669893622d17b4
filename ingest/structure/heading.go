package structure

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/env/pdf"
	"airqa/ingest/layout"
	"airqa/internal/lazyregexp"
)

// extent is where a title is.
type extent struct {
	at, lines int // first line in flow, and number of lines of the title
	words     int // number of title words on its last line if text follows there, else 0
}

// heading is the start of a section in the flow.
type heading struct {
	extent
	label         string // the number as printed, "3.1", "IV.", "Appendix A:"
	number, title string
	level         int
	look          fontStyle
}

// findHeadings uses the outline, if its titles are printed on the pages it points to, and section anchors. Without
// either, it uses font style and numbering. It then adds headings that resemble those found.
func (r *paperReader) findHeadings() {
	r.heads = r.outlined()
	useOutline := len(r.heads) > 0
	r.complete = useOutline && len(r.heads)*10 >= len(topLevel(r.Outline))*8
	r.addAnchored(useOutline)
	switch {
	case len(r.heads) < 2:
		r.heads = r.numbered()
	case useOutline:
		r.addMissing()
	}
	r.addStarred()
	r.addUnnumbered()
	if !useOutline {
		r.addPlain()
	}
	slices.SortStableFunc(r.heads, func(a, b heading) int { return cmp.Compare(a.at, b.at) })
	end := 0 // of the last title
	r.heads = slices.DeleteFunc(r.heads, func(h heading) bool {
		inside := h.at < end
		if !inside {
			end = h.at + h.lines
		}
		return inside || abstractTitles[folded(h.title)] && r.flow[h.at].Page < 3
	})
	// Small capitals are extracted as capitals: titles that differ from the outline only in typography are the outline's.
	names := map[string]string{}
	for _, e := range r.Outline {
		_, title := splitNumber(strings.TrimSpace(e.Title))
		names[folded(title)] = title
	}
	for i := range r.heads {
		if name, ok := names[folded(r.heads[i].title)]; ok && name != "" {
			r.heads[i].title = name
		}
	}
}

// addAnchored adds headings from anchors that are not in the outline, such as deep levels. A thesis has chapters above
// its sections; their levels follow the outline's.
func (r *paperReader) addAnchored(useOutline bool) {
	shift := 0
	var more []heading
	for _, a := range r.anchored() {
		at := slices.IndexFunc(r.heads, func(h heading) bool { return a.at < h.at+h.lines && h.at < a.at+a.lines })
		if at < 0 {
			more = append(more, a)
		} else if useOutline {
			shift = r.heads[at].level - a.level
		}
	}
	for _, h := range more {
		h.level = max(1, h.level+shift)
		r.heads = append(r.heads, h)
	}
}

// anchored finds the lines that section anchors point to.
func (r *paperReader) anchored() []heading {
	var heads []heading
	taken := map[int]bool{}
	for _, a := range r.Anchors {
		kind, number, numbered := strings.Cut(a.Name, ".") // subsection.3.1
		level := anchorKinds[kind]
		if level == 0 || !numbered {
			continue
		}
		at := r.lineAt(a, number)
		if at < 0 || taken[at] {
			continue
		}
		taken[at] = true
		if h := r.headingAt(at, level); h.number != "" || isTitleText(h.title) {
			heads = append(heads, h)
		}
	}
	return heads
}

// lineAt returns the line of the flow that an anchor points to, or -1. It prefers a line that starts with the number to
// one that stands out.
func (r *paperReader) lineAt(a pdf.Anchor, number string) int {
	const misfit = 40 // how much nearer a line without the number must be
	best, cost := -1, 0.0
	for i, l := range r.flow {
		d, near := r.near(l, a)
		if !near {
			continue
		}
		printed, title := splitNumber(l.Text())
		if !startsTitle(title) {
			continue
		}
		c := abs(d - 10)
		if !sameNumber(printed, number) {
			if printed != "" || !r.couldBeTitle(l, title) || !r.alone(i) {
				continue
			}
			c += misfit
		}
		if best < 0 || c < cost {
			best, cost = i, c
		}
	}
	return best
}

// near reports whether a line is a candidate for an anchor, and its distance below the anchor.
func (r *paperReader) near(l layout.Line, a pdf.Anchor) (float64, bool) {
	const above, below = 28, 64
	d := l.Baseline - a.Y
	return d, l.Page == a.Page && d > -above && d < below && r.sameColumn(l, a)
}

// addStarred adds the unnumbered headings that anchors point to: lines of their own that look like a heading found
// before, whose level they take. If there is none to compare with, all that stand out become level 1.
func (r *paperReader) addStarred() {
	starredKinds := []string{"section*.", "chapter*.", "subsection*.", "subsubsection*."} // all levels use "section*"
	for _, a := range r.Anchors {
		starred := slices.ContainsFunc(starredKinds, func(kind string) bool { return strings.HasPrefix(a.Name, kind) })
		if !starred {
			continue
		}
		best, cost, level := -1, 0.0, 1
		for i, l := range r.flow {
			d, near := r.near(l, a)
			if c := abs(d - 10); near && (best < 0 || c < cost) && !r.isHeading(i) {
				if of, ok := r.starredLevel(i, l); ok {
					best, cost, level = i, c, of
				}
			}
		}
		if best < 0 {
			continue
		}
		if h := r.headingAt(best, level); len(h.title) <= maxTitle && isTitleText(h.title) {
			r.heads = append(r.heads, h)
		}
	}
}

// isWords reports whether most characters of a title are letters, unlike a row of symbols or a formula.
func isWords(s string) bool {
	return 2*letters(s) > utf8.RuneCountInString(strings.ReplaceAll(s, " ", ""))
}

func (r *paperReader) starredLevel(i int, l layout.Line) (int, bool) {
	text := l.Text()
	number, _ := splitNumber(text)
	regular := slices.ContainsFunc(l.Words, func(w layout.Word) bool { return !w.Bold }) // after bold words: a paragraph
	if number != "" || !r.couldBeTitle(l, text) || !isWords(text) || !r.alone(i) || regular == l.Bold {
		return 0, false
	}
	for _, h := range r.heads {
		if h.look.like(printOf(l)) {
			return h.level, true
		}
	}
	return 1, len(r.heads) == 0 && l.Baseline > 0.1*r.Doc.Pages[l.Page-1].Height || commonTitles[folded(text)]
}

// sameColumn compares a line with an anchor, whose x is the left edge of its column, or 0 if unknown.
func (r *paperReader) sameColumn(l layout.Line, a pdf.Anchor) bool {
	gutter := r.Doc.Pages[a.Page-1].Gutter
	if gutter == 0 || l.Column == layout.Span || a.X == 0 {
		return true
	}
	return (l.Column == 1) == (a.X > gutter-12)
}

func startsTitle(title string) bool {
	first, _ := utf8.DecodeRuneInString(title)
	return !unicode.IsLower(first) && !strings.ContainsRune(`=<>()[]{},;:+−-·•⟨\`, first)
}

// statement matches the start of a theorem, a remark or a note.
var statement = lazyregexp.New(`^(?i:theorem|lemma|corollary|proposition|definition|example|remark|remarque|warning|avertissement|note|proof)(\s+\d+(\.\d+)*)?\s*[.:–—]`)

// isTitleText reports whether an unnumbered heading reads as a title rather than a statement, a sentence or the start
// of a list.
func isTitleText(title string) bool {
	return startsTitle(title) && isWords(title) && !statement.MatchString(title) && !strings.ContainsAny(title[len(title)-1:], ".:;,-")
}

// headingAt reads the title at a line of the flow, over up to four lines of the same font style.
func (r *paperReader) headingAt(at, level int) heading {
	h := heading{extent: extent{at: at, lines: 1}, level: level, look: printOf(r.flow[at])}
	if h.words = leadWords(r.flow[at]); h.words > 0 {
		h.setTitle(layout.Line{Words: r.flow[at].Words[:h.words]}.Text())
		return h
	}
	first := r.flow[at]
	for h.lines < 4 && at+h.lines < len(r.flow) && r.titleGoesOn(at+h.lines, h.look) {
		l := r.flow[at+h.lines]
		// A title ends far before the end of a line of text that begins at the same edge.
		text := abs(first.Box.X0-l.Box.X0) < 4 && first.Box.Width() < 0.5*l.Box.Width()
		if text || !aligned(first, l) {
			break
		}
		h.lines++
	}
	h.setTitle(r.Doc.Joined(r.flow[at : at+h.lines]))
	return h
}

func (h *heading) setTitle(text string) {
	h.number, h.title = splitNumber(text)
	h.label = strings.TrimSpace(strings.TrimSuffix(text, h.title))
}

// leadWords counts the bold words at the start of a numbered line before regular text; 0 if there are none.
func leadWords(l layout.Line) int {
	const fewest = 3 // of the text: a word in another font may end a title
	n := slices.IndexFunc(l.Words, func(w layout.Word) bool { return !w.Bold && !w.Math })
	number, _ := splitNumber(l.Text())
	if number == "" || n < 2 || len(l.Words)-n < fewest {
		return 0
	}
	if slices.ContainsFunc(l.Words[n:], func(w layout.Word) bool { return w.Bold }) {
		return 0
	}
	return n
}

// aligned reports whether a line starts where a title does, is indented to its text after the number, or has the same
// centre. The labels of a figure do not.
func aligned(first, l layout.Line) bool {
	a, _ := first.Box.Center()
	b, _ := l.Box.Center()
	if abs(a-b) < 4 || abs(first.Box.X0-l.Box.X0) < 4 {
		return true
	}
	indent := first.Box.X0
	if len(first.Words) > 1 {
		indent = first.Words[1].Box.X0
	}
	return l.Box.X0 > first.Box.X0 && l.Box.X0 < max(indent, first.Box.X0+2*first.Size)+4
}

func (r *paperReader) titleGoesOn(i int, look fontStyle) bool {
	above, l := r.flow[i-1], r.flow[i]
	step := l.Baseline - above.Baseline
	if l.Page != above.Page || l.Column != above.Column || step <= 0 || step > 1.5*max(l.Size, above.Size) || l.Bold != above.Bold {
		return false
	}
	if number, _ := splitNumber(l.Text()); number != "" && levelOf(number) > 1 {
		return false
	}
	bodyPrint := fontStyle{font: r.Doc.BodyFont, size: r.Doc.BodySize}
	return printOf(l).like(look) && !look.like(bodyPrint)
}

// addUnnumbered adds headings with a known title that stand out, and lines that look like the level 1 headings found.
func (r *paperReader) addUnnumbered() {
	look, ok := r.topLook()
	start, search := r.firstHeading(), ok && !r.complete
	for i, l := range r.flow {
		if l.Chars() > maxTitle || r.isHeading(i) {
			continue
		}
		text := l.Text()
		if r.couldBeTitle(l, text) && (r.isKnown(text) || search && i > start && r.isUnnumberedLike(i, look)) {
			if h := r.headingAt(i, 1); h.number != "" || isTitleText(h.title) {
				r.heads = append(r.heads, h)
			}
		}
	}
}

// isUnnumberedLike reports whether line i is alone, unnumbered and in the given font style.
func (r *paperReader) isUnnumberedLike(i int, look fontStyle) bool {
	l := r.flow[i]
	number, _ := splitNumber(l.Text())
	return number == "" && l.Break && printOf(l).like(look) && r.alone(i)
}

// maxTitle is the maximum length of a one-line heading, in bytes.
const maxTitle = 90

func (r *paperReader) couldBeTitle(l layout.Line, text string) bool {
	return len(text) <= maxTitle && r.standsOut(l) && startsTitle(text) && !contentsTitles[folded(text)]
}

// isKnown reports whether a line is a title that seldom has a number.
func (r *paperReader) isKnown(text string) bool {
	number, title := splitNumber(text)
	name := folded(title)
	if number == "" && chapterLabel.MatchString(text) {
		return true // Appendix A
	}
	return (commonTitles[name] || bibliographyTitles[name]) && (number == "" || len(r.heads) == 0)
}

func (r *paperReader) isHeading(i int) bool { return r.headAt(i) != nil }

func (r *paperReader) firstHeading() int {
	first := len(r.flow)
	for _, h := range r.heads {
		first = min(first, h.at)
	}
	return first
}

// topLook returns the font style of most level 1 headings, if it differs from that of deeper ones and of the text.
func (r *paperReader) topLook() (fontStyle, bool) {
	count := map[fontStyle]int{}
	for _, h := range r.heads {
		if h.level == 1 {
			count[h.look]++
		}
	}
	var best fontStyle
	for look, n := range count {
		if n > count[best] || n == count[best] && look.font < best.font {
			best = look
		}
	}
	deeper := slices.ContainsFunc(r.heads, func(h heading) bool { return h.level > 1 && h.look.like(best) })
	return best, count[best] > 1 && !deeper && (best.size > 1.05*r.Doc.BodySize || best.font != r.Doc.BodyFont && capsFont.MatchString(best.font))
}

// alone reports whether a line is short and has space above it, unlike bold words at the start of a paragraph.
func (r *paperReader) alone(i int) bool {
	l := r.flow[i]
	if i > 0 {
		above := r.flow[i-1]
		if above.Page == l.Page && above.Column == l.Column && l.Baseline-above.Baseline < 1.15*l.Size {
			return false
		}
	}
	text := l.Text()
	return utf8.RuneCountInString(text) > 3 && !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, ",") && l.MathShare() < 0.3
}
