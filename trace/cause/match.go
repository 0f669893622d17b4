package cause

import (
	"cmp"
	"slices"
	"strings"

	"airqa/internal/words"
)

// match is how well a row fits an item.
type match int

const (
	none match = iota
	weak
	strong
)

// place returns an item with its level: that of the row that got farthest.
func (s seen) place(it Item) Item {
	best := none
	for _, r := range s.rows {
		m := s.match(it, r)
		farther := slices.Index(ladder, r.level) - slices.Index(ladder, it.Level)
		if m == none || best != none && farther < 0 {
			continue
		}
		if best == none || farther > 0 {
			it.Level, it.Steps, it.Rank, it.rows, best = r.level, nil, 0, nil, none
		}
		best, it.rows = max(best, m), append(it.rows, r)
		if !slices.Contains(it.Steps, r.step) {
			it.Steps = append(it.Steps, r.step)
		}
		if r.rank > 0 && (it.Rank == 0 || r.rank < it.Rank) {
			it.Rank = r.rank
		}
	}
	if best == none {
		return s.absent(it)
	}
	it.Weak = best == weak
	return it
}

func (s seen) absent(it Item) Item {
	// If its place is known, not finding it means that it was not there.
	known := it.whole && len(it.Papers) > 0 || it.Page > 0 || it.Element != ""
	it.Level, it.Weak = LevelHits, len(it.Texts) > 0 && !known
	context := slices.IndexFunc(s.rows, func(r row) bool { return r.context })
	switch {
	case len(it.Papers) > 0 && !slices.ContainsFunc(it.Papers, func(id string) bool { return !s.unknown[id] }):
		it.Level, it.Weak = LevelDB, false
	case context >= 0 && strings.Contains(s.rows[context].Line, cutMark) && len(it.Texts) > 0:
		it.Level, it.Weak, it.Steps = LevelCut, true, []int{s.rows[context].step}
	case it.computed:
		it.Level, it.Weak = LevelUnknown, false
	}
	return it
}

func (s seen) match(it Item, r row) match {
	paper := s.samePaper(it, r)
	switch {
	case len(it.Papers) > 0 && !paper && (r.Paper != "" || r.context):
		return none
	case r.image:
		return it.onImage(r)
	case paper && (it.whole || !it.decides()):
		return strong
	case len(it.Texts) > 0 && r.text != "":
		return s.withText(it, r, paper)
	}
	return it.byPlace(r, paper)
}

// samePaper reports whether a row is from a paper of an item. The context of a prompt is from all papers of the question.
func (s seen) samePaper(it Item, r row) bool {
	if r.context {
		return slices.ContainsFunc(it.Papers, func(id string) bool { return slices.Contains(s.anchors, id) })
	}
	return r.Paper != "" && slices.Contains(it.Papers, r.Paper)
}

// isElement reports whether a row is the element of an item. A log may lack the ids of hits.
func (it Item) isElement(r row) bool { return it.Element != "" && slices.Contains(r.IDs, it.Element) }

// byPlace compares an item with a row by element and page. paper reports whether it is the same paper.
func (it Item) byPlace(r row, paper bool) match {
	switch {
	case it.isElement(r):
		return strong
	case it.Page == 0 || !paper || r.Page != it.Page:
		return none
	case it.Element == "" && len(it.Texts) == 0:
		return strong
	}
	return weak // the page has more than the element or the text
}

// onImage compares an item with a page image of its paper. An item whose page is unknown may be on any page.
func (it Item) onImage(r row) match {
	switch {
	case it.whole || !it.decides():
		return strong
	case it.Page == 0:
		return weak
	case it.Page != r.Page || len(it.Box) == 4 && len(r.box) == 4 && !overlap(it.Box, r.box):
		return none
	}
	return strong
}

func overlap(a, b []float64) bool {
	return a[0] < b[0]+b[2] && b[0] < a[0]+a[2] && a[1] < b[1]+b[3] && b[1] < a[1]+a[3]
}

// withText compares an item that has a text with a row that has one.
func (s seen) withText(it Item, r row, paper bool) match {
	m := s.text(it, r)
	switch element := it.isElement(r); {
	case m != none && element:
		return strong
	case element, m == none && it.quoted && paper && r.Page == it.Page && it.Page > 0 && s.covers(r, it.Texts[0], nil):
		return weak
	}
	return m
}

// text reports whether a row has a text of an item. Only a long quote is proof.
func (s seen) text(it Item, r row) match {
	best := none
	const leastQuote = 40 // the length from which a quote in a row proves that the row is its source, in folded bytes
	for _, text := range it.Texts {
		folded := s.fold(text)
		switch {
		case strings.TrimSpace(folded) == "":
		case !strings.Contains(r.text, folded):
			if s.like(it, r, text, folded) {
				best = max(best, weak)
			}
		case it.quoted && len(folded) >= leastQuote:
			return strong
		case !words.Short(folded) || words.Shared(s.asked, r.content()) >= min(2, len(s.asked)):
			// A short text may be the answer if the row has two content words of the question.
			best = max(best, weak)
		}
	}
	return best
}

// like reports whether a row has a text in other words: the same formula, or most words of a long text.
func (s seen) like(it Item, r row, text, folded string) bool {
	// A formula is in LaTeX or as the text of a PDF: its letters and digits are compared.
	formula := words.Formula(folded)
	const leastFormula = 6 // the length from which the letters and digits of a formula are compared
	if strings.ContainsAny(text, `\^_=`) && len(formula) >= leastFormula {
		if r.formula == "" {
			r.formula = words.Formula(r.text)
		}
		if strings.Contains(r.formula, formula) {
			return true
		}
	}
	const longText = 6 // the number of words from which a text is long
	return len(strings.Fields(folded)) >= longText && !it.quoted && !it.whole && s.covers(r, text, s.asked)
}

// covers reports whether a row has most of the content words of a text, except for given ones.
func (s seen) covers(r row, text string, except map[string]bool) bool {
	const most = 0.6
	return words.ShareOf(words.Content(s.fold(text)), r.content(), except) >= most
}

// places returns where the rows of an item have it, the best place for each step, and notes the text that the last one
// has.
func (s seen) places(it *Item) []Place {
	var list []Place
	asked := make(map[int]int) // words of the question around the place, by step
	for _, r := range it.rows {
		p, text, n := s.locate(*it, r)
		i := slices.IndexFunc(list, func(o Place) bool { return o.Step == p.Step })
		switch {
		case p.Field == "" || i >= 0 && n <= asked[p.Step]:
			continue
		case i < 0:
			list = append(list, p)
		default:
			list[i] = p
		}
		asked[p.Step] = n
		it.matched = cmp.Or(text, it.matched)
	}
	return list
}

// locate returns the place of an item in a row, the text that is there, and the number of words of the question around
// it, -1 without a text. A row that is known to be the item is a place without a text.
func (s seen) locate(it Item, r row) (p Place, text string, asked int) {
	p = Place{Ref{Step: r.from.step, Field: r.from.name}, r.from.text}
	parts := r.parts()
	for _, text := range it.Texts {
		if first, end, n := s.nearest(parts, text); n >= 0 {
			p.First, p.End = r.At+first, r.At+end
			return p, text, n
		}
	}
	known := len(it.Texts) == 0 || it.isElement(r)
	if known && len(parts) > 0 && !r.context && s.match(it, r) == strong {
		longest := slices.MaxFunc(parts, func(a, b part) int { return len(a.raw) - len(b.raw) })
		p.First, p.End = r.At+longest.at, r.At+longest.at+len(longest.raw)
	}
	return p, "", -1
}

// part is a text in a row, at byte at of its raw text.
type part struct {
	raw    string
	at     int
	finder *words.Finder
}

// parts are the cells of a row that can be evidence, or its whole text if it has no cells.
func (r row) parts() []part {
	switch {
	case r.derived == nil:
		return nil
	case r.cells != nil:
	case r.context:
		r.cells = []part{{r.Line, 0, words.NewFinder(r.Line)}}
	case r.Cells == nil:
		r.cells = []part{{r.Line, 0, words.NewJSONFinder(r.Line)}}
	default:
		for _, c := range r.telling() {
			r.cells = append(r.cells, part{c.Raw, c.At, words.NewJSONFinder(c.Raw)})
		}
	}
	return r.cells
}

// nearest returns the range of the occurrence of a text with most words of the question around it, and their number; -1
// if the text does not occur.
func (s seen) nearest(parts []part, text string) (first, end, most int) {
	const side = 60 // the number of bytes on each side of the text in which words are counted
	most = -1
	for _, p := range parts {
		for from, to := range p.finder.All(text) {
			around := p.raw[max(0, from-side):min(len(p.raw), to+side)]
			if n := words.Shared(s.asked, words.Content(words.Fold(around))); n > most {
				first, end, most = p.at+from, p.at+to, n
			}
		}
	}
	return first, end, most
}
