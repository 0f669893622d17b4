package structure

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"airqa/env/ingest/layout"
)

// heading is where a section starts in the flow.
type heading struct {
	at, lines     int // first line in flow, and how many lines the title takes
	number, title string
	level         int
	look          print
}

// known are the titles of sections that seldom have a number.
var known = map[string]bool{
	"references": true, "bibliography": true, "acknowledgements": true, "acknowledgments": true, "acknowledgement": true,
	"acknowledgment": true, "limitations": true, "limitation": true, "conclusion": true, "conclusions": true,
	"introduction": true, "appendix": true, "appendices": true, "supplementarymaterial": true, "ethicsstatement": true,
	"ethicalconsiderations": true, "broaderimpact": true, "broaderimpacts": true, "impactstatement": true,
	"reproducibilitystatement": true, "authorcontributions": true, "relatedwork": true, "discussion": true,
	"dataavailability": true, "codeavailability": true, "funding": true, "conflictofinterest": true,
}

// findHeadings takes the anchors' word, else the outline's, else goes by print and numbering. Unnumbered headings that
// neither names are added when they look like the others of level 1.
func (r *paperReader) findHeadings() {
	r.heads = r.anchored()
	if len(r.heads) < 2 {
		r.heads = r.outlined()
	}
	if len(r.heads) < 2 {
		r.heads = r.numbered()
	}
	r.addUnnumbered()
	slices.SortStableFunc(r.heads, func(a, b heading) int { return cmp.Compare(a.at, b.at) })
	r.heads = apart(r.heads)
	r.nameFromOutline()
}

// apart drops headings that begin within the title before.
func apart(heads []heading) []heading {
	var out []heading
	for _, h := range heads {
		if n := len(out); n == 0 || h.at >= out[n-1].at+out[n-1].lines {
			out = append(out, h)
		}
	}
	return out
}

// anchored finds the lines that section anchors lead to.
func (r *paperReader) anchored() []heading {
	var heads []heading
	taken := map[int]bool{}
	for _, a := range r.Anchors {
		level, number, ok := parseAnchor(a.Name)
		if !ok {
			continue
		}
		if at := r.lineAt(a, number); at >= 0 && !taken[at] {
			taken[at] = true
			heads = append(heads, r.headingAt(at, level))
		}
	}
	return heads
}

// lineAt finds the line of the flow that an anchor leads to, or -1: one with its number first, else one that stands out.
func (r *paperReader) lineAt(a Anchor, number string) int {
	const above, below = 28, 64 // points around the anchor
	best, cost := -1, 0.0
	for i, l := range r.flow {
		d := l.Baseline - a.Y
		if l.Page != a.Page || d < -above || d > below || !r.sameColumn(l, a) {
			continue
		}
		printed, title := splitNumber(l.Text())
		c := abs(d - 10)
		switch {
		case number != "" && sameNumber(printed, number) && startsTitle(title):
		case number != "" || !r.standsOut(l) || !startsTitle(title):
			if !r.standsOut(l) || printed != "" && number != "" {
				continue
			}
			c += 40
		}
		if best < 0 || c < cost {
			best, cost = i, c
		}
	}
	return best
}

// sameColumn compares a line with an anchor, whose x is the left edge of its column, or 0 when unknown.
func (r *paperReader) sameColumn(l layout.Line, a Anchor) bool {
	gutter := r.Doc.Pages[a.Page-1].Gutter
	if gutter == 0 || l.Column == layout.Span || a.X == 0 {
		return true
	}
	return (l.Column == 1) == (a.X > gutter-12)
}

func startsTitle(title string) bool {
	first, _ := utf8.DecodeRuneInString(title)
	return !unicode.IsLower(first) && !strings.ContainsRune("=<>()[]{},;:+−-·", first)
}

// headingAt reads the title that begins at a line of the flow, over up to four lines of the same print.
func (r *paperReader) headingAt(at, level int) heading {
	h := heading{at: at, lines: 1, level: level, look: printOf(r.flow[at])}
	for h.lines < 4 && at+h.lines < len(r.flow) && r.titleGoesOn(at+h.lines, h.look) {
		h.lines++
	}
	h.number, h.title = splitNumber(r.Doc.Joined(r.flow[at : at+h.lines]))
	return h
}

func (r *paperReader) titleGoesOn(i int, look print) bool {
	above, l := r.flow[i-1], r.flow[i]
	step := l.Baseline - above.Baseline
	if l.Page != above.Page || l.Column != above.Column || step <= 0 || step > 1.5*max(l.Size, above.Size) || l.Bold != above.Bold {
		return false
	}
	if number, _ := splitNumber(l.Text()); number != "" && levelOf(number) > 1 {
		return false
	}
	bodyPrint := print{font: r.Doc.BodyFont, size: r.Doc.BodySize}
	return printOf(l).like(look) && !look.like(bodyPrint)
}

// outlined finds the entries of the outline on their pages.
func (r *paperReader) outlined() []heading {
	if len(r.Outline) < 2 {
		return nil
	}
	var heads []heading
	from := 0
	for _, e := range r.Outline {
		if at := r.lineOf(e, from); at >= 0 {
			heads = append(heads, r.headingAt(at, e.Level))
			from = at + 1
		}
	}
	return heads
}

func (r *paperReader) lineOf(e Entry, from int) int {
	_, title := splitNumber(e.Title)
	want := folded(title)
	for i := from; i < len(r.flow) && want != ""; i++ {
		l := r.flow[i]
		if l.Page < e.Page || e.Page == 0 {
			continue
		}
		if l.Page > e.Page+1 {
			break
		}
		_, printed := splitNumber(l.Text())
		got := folded(printed)
		if got == want || len(got) > 12 && strings.HasPrefix(want, got) && r.standsOut(l) {
			return i
		}
	}
	return -1
}

// nameFromOutline takes titles from the outline where they differ in print only: small capitals read as capitals.
func (r *paperReader) nameFromOutline() {
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

// addUnnumbered adds headings with a known title that stand out, and lines that look like the level 1 headings found.
func (r *paperReader) addUnnumbered() {
	look, ok := r.topLook()
	for i, l := range r.flow {
		text := l.Text()
		if r.isHeading(i) || len(text) > 90 || !r.standsOut(l) || !startsTitle(text) || folded(text) == "abstract" {
			continue
		}
		number, title := splitNumber(text)
		named := known[folded(title)] && (number == "" || len(r.heads) == 0)
		alike := ok && number == "" && l.Break && printOf(l).like(look) && i > r.firstHeading()
		if named || alike && r.alone(i) {
			r.heads = append(r.heads, r.headingAt(i, 1))
		}
	}
}

func (r *paperReader) isHeading(i int) bool {
	return slices.ContainsFunc(r.heads, func(h heading) bool { return i >= h.at && i < h.at+h.lines })
}

func (r *paperReader) firstHeading() int {
	first := len(r.flow)
	for _, h := range r.heads {
		first = min(first, h.at)
	}
	return first
}

// topLook is the print of most level 1 headings, if it differs from that of deeper ones and of the text.
func (r *paperReader) topLook() (print, bool) {
	count := map[print]int{}
	for _, h := range r.heads {
		if h.level == 1 {
			count[h.look]++
		}
	}
	var best print
	for look, n := range count {
		if n > count[best] || n == count[best] && look.font < best.font {
			best = look
		}
	}
	deeper := slices.ContainsFunc(r.heads, func(h heading) bool { return h.level > 1 && h.look.like(best) })
	return best, count[best] > 1 && !deeper && (best.size > 1.05*r.Doc.BodySize || best.font != r.Doc.BodyFont && isCapsName(best.font))
}

func isCapsName(font string) bool { return capsFont.MatchString(font) }

// alone tells whether a line has space above it and is short: bold words that open a paragraph are not.
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
