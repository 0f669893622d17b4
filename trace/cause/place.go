package cause

import (
	"cmp"
	"slices"

	"airqa/internal/words"
)

// places returns where the rows of an item have it, the best place for each step, and notes the text that the last one
// has.
func (s seen) places(it *Item) []Place {
	var list []Place
	near := make(map[int]int) // words of the question, by step
	for _, r := range it.rows {
		p, text, n := s.locate(*it, r)
		i := slices.IndexFunc(list, func(o Place) bool { return o.Step == p.Step })
		switch {
		case p.Field == "" || i >= 0 && n <= near[p.Step]:
			continue
		case i < 0:
			list = append(list, p)
		default:
			list[i] = p
		}
		near[p.Step] = n
		it.matched = cmp.Or(text, it.matched)
	}
	return list
}

// locate returns the place of an item in a row, the text that is there, and the number of words of the question around
// it, -1 without a text. A row that is known to be the item is a place without a text.
func (s seen) locate(it Item, r row) (p Place, text string, near int) {
	p = Place{Step: r.step, Field: r.field}
	if r.context {
		p.Step = 0
	}
	parts := r.parts()
	for _, text := range it.Texts {
		if first, end, n := s.nearest(parts, text); n >= 0 {
			p.First, p.End = r.start+first, r.start+end
			return p, text, n
		}
	}
	known := len(it.Texts) == 0 || it.Element != "" && slices.Contains(r.ids, it.Element)
	if known && len(parts) > 0 && !r.context && s.match(it, r) == strong {
		longest := slices.MaxFunc(parts, func(a, b part) int { return len(a.raw) - len(b.raw) })
		p.First, p.End = r.start+longest.at, r.start+longest.at+len(longest.raw)
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
	if r.context {
		return []part{{r.raw, 0, words.NewFinder(r.raw)}}
	}
	cells, ok := cellsOf(r.raw)
	if !ok && r.raw != "" {
		return []part{{r.raw, 0, words.NewJSONFinder(r.raw)}}
	}
	var list []part
	for _, c := range telling(cells) {
		list = append(list, part{string(c.raw), c.at, words.NewJSONFinder(string(c.raw))})
	}
	return list
}

// aroundText is the number of bytes on each side of a text in which words of the question are counted.
const aroundText = 60

// nearest returns the range of the occurrence of a text with most words of the question around it, and their number; -1
// if the text does not occur.
func (s seen) nearest(parts []part, text string) (first, end, most int) {
	most = -1
	for _, p := range parts {
		for from, to := range p.finder.All(text) {
			around := p.raw[max(0, from-aroundText):min(len(p.raw), to+aroundText)]
			if n := words.Shared(s.asked, words.Content(words.Fold(around))); n > most {
				first, end, most = p.at+from, p.at+to, n
			}
		}
	}
	return first, end, most
}
