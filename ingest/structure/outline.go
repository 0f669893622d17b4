package structure

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/env/pdf"
	"airqa/ingest/layout"
	"airqa/internal/fuzzy"
	"airqa/internal/lazyregexp"
)

// outlined locates the entries of the outline on the pages they point to. If less than half of them are printed there,
// the outline belongs to another version of the file or lists something else, and the result is nil.
func (r *paperReader) outlined() []heading {
	entries := topLevel(r.Outline)
	var heads []heading
	taken := map[int]bool{}
	for _, e := range entries {
		h, ok := r.headingOf(e, taken)
		if !ok {
			continue
		}
		heads = append(heads, h)
		for i := range h.lines {
			taken[h.at+i] = true
		}
	}
	if len(heads) < 2 || len(heads)*2 < len(entries) {
		return nil
	}
	return heads
}

// topLevel drops entries without a title or a page. A single entry above all others is the title of the paper: it is
// dropped, too, and the others move up.
func topLevel(outline []pdf.Heading) []pdf.Heading {
	entries := slices.DeleteFunc(slices.Clone(outline), func(e pdf.Heading) bool { return e.Page == 0 || folded(e.Title) == "" })
	if len(entries) == 0 {
		return nil
	}
	top := slices.MinFunc(entries, func(a, b pdf.Heading) int { return a.Level - b.Level }).Level
	roots := 0
	for _, e := range entries {
		if e.Level == top {
			roots++
		}
	}
	if roots == 1 && len(entries) > 2 && entries[0].Level == top {
		entries, top = entries[1:], top+1
	}
	for i := range entries {
		entries[i].Level -= top - 1
	}
	return entries
}

type match struct {
	extent
	cost float64
}

// Costs of a match, in points of distance from the target of the outline entry.
const (
	costPlain = 250  // does not stand out
	costRunIn = 1000 // text follows on the line
	costFuzzy = 2000 // differs in some letters
	farAway   = 400
)

// headingOf locates the title of an entry on its page, the next one or the previous one: anchors are off by one where
// LaTeX sets them before a page break.
func (r *paperReader) headingOf(e pdf.Heading, taken map[int]bool) (heading, bool) {
	for _, page := range []int{e.Page, e.Page + 1, e.Page - 1} {
		if page != e.Page {
			e.Y = 0
		}
		best := match{cost: math.Inf(1)}
		for i, l := range r.flow {
			if l.Page != page || taken[i] {
				continue
			}
			if m, ok := r.matchAt(e, i); ok && m.cost < best.cost && (page == e.Page || m.cost < costPlain) {
				best = m
			}
		}
		if best.lines > 0 {
			return r.entryHeading(e, best), true
		}
	}
	return heading{}, false
}

// matchAt compares an entry with the text at line i.
func (r *paperReader) matchAt(e pdf.Heading, i int) (match, bool) {
	const longest = 6
	_, title := splitNumber(strings.TrimSpace(e.Title))
	w := targetTitle{titles: []string{folded(e.Title), folded(title)}, cut: strings.HasSuffix(e.Title, "...") || strings.HasSuffix(e.Title, "…")}
	m, got := match{extent: extent{at: i}, cost: r.placeCost(e, i)}, ""
	first := len(folded(r.flow[i].Text()))
	for k := i; k < min(i+longest, len(r.flow)) && r.flow[k].Page == r.flow[i].Page && len(got) <= len(w.titles[0])+maxLabel; k++ {
		line := r.flow[k]
		before := got
		got += folded(line.Text())
		m.lines = k - i + 1
		// The first line must extend beyond a label of first bytes.
		exact := slices.ContainsFunc(w.titles, func(t string) bool { return isTitle(got, t) && first > len(got)-len(t) })
		switch {
		case exact, w.cut && r.standsOut(line) && w.begins(got):
			return m, true
		case w.runIn(line, before, &m):
			m.cost += costRunIn
			return m, true
		case r.standsOut(r.flow[i]) && w.like(got):
			m.cost += costFuzzy
			return m, true
		}
	}
	return match{}, false
}

// targetTitle is a folded title, with and without its number.
type targetTitle struct {
	titles []string
	cut    bool // truncated with dots in the outline
}

// begins reports whether lines begin with a title that the outline truncates.
func (w targetTitle) begins(got string) bool {
	return slices.ContainsFunc(w.titles, func(t string) bool {
		label, _, ok := strings.Cut(got, t)
		return ok && len(t) > 4 && isLabel(label)
	})
}

// like is a fuzzy match that tolerates formulas, footnote marks and characters that the outline encodes differently.
func (w targetTitle) like(got string) bool {
	const shortest, least = 10, 85
	return slices.ContainsFunc(w.titles, func(t string) bool {
		n, m := utf8.RuneCountInString(got), utf8.RuneCountInString(t)
		return m >= shortest && n*10 >= m*8 && n*8 <= m*10 && fuzzy.Ratio(got, t) >= least
	})
}

// runIn matches a title at the start of a line, before text in another font style, and counts its words there.
func (w targetTitle) runIn(l layout.Line, before string, m *match) bool {
	for n := 1; n < len(l.Words); n++ {
		before += folded(l.Words[n-1].Text)
		if slices.ContainsFunc(w.titles, func(t string) bool { return isTitle(before, t) }) {
			last, next := l.Words[n-1], l.Words[n]
			m.words = n
			return last.Font != next.Font && !last.Math
		}
	}
	return false
}

// placeCost rates how much a line differs from a heading and its distance from the target of the entry.
func (r *paperReader) placeCost(e pdf.Heading, i int) float64 {
	l := r.flow[i]
	cost := 0.0
	if !r.standsOut(l) {
		cost += costPlain
	}
	if e.Y > 0 {
		cost += min(farAway, abs(l.Baseline-e.Y-10))
	}
	return cost - 10*max(0, min(5, l.Size-r.Doc.BodySize))
}

// maxLabel is the maximum number of letters before a title: "Appendix A", "Chapter 12".
const maxLabel = 14

// titleLabel matches folded text that may precede a title: "31", "a", "chapter2", "appendixb", "第三章".
var titleLabel = lazyregexp.New(`^(\p{L}{0,9}\d{1,4}[a-z]{0,2}|(appendix|chapter|part|annex|annexe|anhang)?([a-z]\d{0,4}|[ivxlc]{1,6})?|第.{1,3}[章节])$`)

// isTitle reports whether lines match a title, with or without a label. A single letter, as in an index, must have
// none.
func isTitle(got, want string) bool {
	label, ok := strings.CutSuffix(got, want)
	return want != "" && ok && (label == "" || utf8.RuneCountInString(want) > 1 && isLabel(label))
}

func isLabel(s string) bool { return s == "" || len(s) <= maxLabel && titleLabel.MatchString(s) }

// entryHeading returns the heading of an entry. It uses the printed label, but the title of the outline, since letters
// in formulas may be missing in print.
func (r *paperReader) entryHeading(e pdf.Heading, m match) heading {
	h := heading{extent: m.extent, level: e.Level, look: printOf(r.flow[m.at])}
	lines := slices.Clone(r.flow[m.at : m.at+m.lines])
	if m.words > 0 {
		lines[m.lines-1].Words = lines[m.lines-1].Words[:m.words]
	}
	printed := r.Doc.Joined(lines)
	h.number, _ = splitNumber(printed)
	_, h.title = splitNumber(strings.TrimSpace(e.Title))
	h.label = labelOf(printed, folded(h.title))
	if m.at == 0 || h.label != "" {
		return h
	}
	above, l := r.flow[m.at-1], r.flow[m.at]
	if text := above.Text(); above.Page == l.Page && l.Baseline > above.Baseline && chapterLabel.MatchString(text) {
		h.at, h.lines, h.label = h.at-1, h.lines+1, text
	}
	return h
}

// labelOf returns the words printed before a title.
func labelOf(printed, title string) string {
	words := strings.Fields(printed)
	for n := range words {
		if rest := folded(strings.Join(words[n:], "")); rest == title {
			return strings.Join(words[:n], " ")
		}
	}
	number, rest := splitNumber(printed)
	if number == "" {
		return ""
	}
	return strings.TrimSpace(strings.TrimSuffix(printed, rest))
}

// chapterLabel matches a line of its own above the title of a chapter.
var chapterLabel = lazyregexp.New(`^(?i:appendix|annex|annexe|anhang|` + layout.Pattern(layout.ChapterTerm) +
	`)\s+(\d{1,2}|[A-Z]|[IVX]{1,4})[.:]?$`)

// addMissing adds headings that are not in the outline: lines with an unused number in the font style of the headings
// with equally many number parts.
func (r *paperReader) addMissing() {
	looks, numbers := map[int][]fontStyle{}, map[string]bool{}
	for _, h := range r.heads {
		if h.number != "" {
			looks[levelOf(h.number)] = append(looks[levelOf(h.number)], h.look)
			numbers[h.number] = true
		}
	}
	for i, l := range r.flow {
		number, title := splitNumber(l.Text())
		like := func(look fontStyle) bool { return look.like(printOf(l)) }
		if number == "" || numbers[number] || r.isHeading(i) || !startsTitle(title) || !slices.ContainsFunc(looks[levelOf(number)], like) {
			continue
		}
		if follows(numbers, number) && r.isTitleLine(i) && isWords(title) {
			r.heads = append(r.heads, r.headingAt(i, r.levelLike(number)))
			numbers[number] = true
		}
	}
}

// follows reports whether the parent section of a number has been found. Top-level sections have no parent.
func follows(numbers map[string]bool, number string) bool {
	parent := number[:max(0, strings.LastIndexByte(number, '.'))]
	return parent == "" || numbers[parent]
}

// isTitleLine reports whether a line looks like a heading: short, alone, in a font style that stands out.
func (r *paperReader) isTitleLine(i int) bool {
	l := r.flow[i]
	return r.standsOut(l) && r.alone(i) && l.Chars() <= maxTitle
}

// levelLike returns the level of the headings whose number has as many parts.
func (r *paperReader) levelLike(number string) int {
	for _, h := range r.heads {
		if h.number != "" && levelOf(h.number) == levelOf(number) {
			return h.level
		}
	}
	return levelOf(number)
}
