package structure

import (
	"cmp"
	"slices"
	"strings"

	"airqa/ingest/layout"
)

// addPlain adds headings of papers in which hardly any have been found: numbered ones that do not stand out, or else
// unnumbered ones in font styles of their own.
func (r *paperReader) addPlain() {
	const few = 3
	found := slices.DeleteFunc(slices.Clone(r.heads), func(h heading) bool { return isBibliography(h) || commonTitles[folded(h.title)] })
	if len(found) >= few {
		return
	}
	more := r.spacedNumbers()
	if more != nil {
		r.heads = slices.DeleteFunc(r.heads, func(h heading) bool { return h.number != "" })
	} else if len(r.heads) < few || len(found) == 0 {
		more = r.styled()
	}
	for _, h := range more {
		taken := slices.ContainsFunc(r.heads, func(o heading) bool { return h.at < o.at+o.lines && o.at < h.at+h.lines })
		if !taken {
			r.heads = append(r.heads, h)
		}
	}
}

// styled finds lines that stand out, in font styles that occur at least three times or on two pages. The largest style is
// that of level 1.
func (r *paperReader) styled() []heading {
	const most = 3 // levels
	var groups [][]heading
	for i := r.bodyStart(); i+1 < len(r.flow); i++ { // after the abstract or the first paragraph
		if !r.isolatedTitle(i) {
			continue
		}
		h := r.headingAt(i, 1)
		k := slices.IndexFunc(groups, func(g []heading) bool { return g[0].look.like(h.look) && r.flow[g[0].at].Bold == r.flow[i].Bold })
		if k < 0 {
			k, groups = len(groups), append(groups, nil)
		}
		groups[k] = append(groups[k], h)
		i += h.lines - 1
	}
	groups = slices.DeleteFunc(groups, func(g []heading) bool {
		pages := map[int]bool{}
		for _, h := range g {
			pages[r.flow[h.at].Page] = true
		}
		return len(g) < 2 || len(g) < 3 && len(pages) < 2
	})
	slices.SortStableFunc(groups, func(a, b []heading) int {
		rank := func(h heading) float64 {
			l := r.flow[h.at]
			if l.Bold || isCapitals(l.Text()) {
				return l.Size + 0.5
			}
			return l.Size
		}
		return cmp.Compare(rank(b[0]), rank(a[0]))
	})
	var out []heading
	for level, g := range groups[:min(most, len(groups))] {
		for _, h := range g {
			h.level = level + 1
			out = append(out, h)
		}
	}
	return out
}

// bodyStart returns the line above the first three long lines of text, which may be a heading: above it are the title and
// the authors.
func (r *paperReader) bodyStart() int {
	const long = 40
	front, _ := r.abstractStart()
	for i := max(0, front); i+2 < len(r.flow); i++ {
		if !slices.ContainsFunc(r.flow[i:i+3], func(l layout.Line) bool { return l.Chars() < long }) {
			return max(0, i-1)
		}
	}
	return len(r.flow)
}

// isolatedTitle reports whether line i stands out, reads as a title, and is above text in another font style.
func (r *paperReader) isolatedTitle(i int) bool {
	l, text := r.flow[i], r.flow[i].Text()
	if number, _ := splitNumber(text); number != "" { // out of sequence
		return false
	}
	if !r.couldBeTitle(l, text) || !r.alone(i) || !readsAsSection(text) {
		return false
	}
	if i > 0 && r.sameBlock(r.flow[i-1], l) {
		return false
	}
	h := r.headingAt(i, 1)
	end := i + h.lines
	return h.words == 0 && end < len(r.flow) && !r.sameBlock(r.flow[end-1], r.flow[end]) && isTitleText(h.title)
}

// readsAsSection reports whether a text reads as the title of a section, rather than an address, a formula, a sentence or
// the heading of a bibliography.
func readsAsSection(text string) bool {
	const most = 14 // words
	if strings.ContainsAny(text, "@=") || len(strings.Fields(text)) > most {
		return false
	}
	return isTitleText(text) && !bibliographyTitles[folded(text)]
}

// sameBlock reports whether two lines are adjacent and have one font style.
func (r *paperReader) sameBlock(above, l layout.Line) bool {
	step := l.Baseline - above.Baseline
	return above.Page == l.Page && above.Column == l.Column && step > 0 && step < 1.7*l.Size &&
		printOf(above).like(printOf(l)) && above.Bold == l.Bold
}
