package structure

import (
	"slices"
	"strings"
)

// sections cuts the flow at its headings. The text of a section includes its subsections, their titles on a row.
func (r *paperReader) sections() []Section {
	var out []Section
	for i, h := range r.heads {
		end := r.endOf(i)
		lines := slices.Clone(r.flow[h.at+h.lines : end])
		for k := range lines {
			at := h.at + h.lines + k
			lines[k].Break = lines[k].Break || r.isHeading(at) && !r.isHeading(at-1) || k > 0 && r.isHeading(at-1) && !r.isHeading(at)
		}
		s := Section{Number: h.number, Title: h.title, Heading: strings.TrimSpace(h.label + " " + h.title), Level: h.level, Text: r.Doc.Flow(lines)}
		for _, l := range r.flow[h.at:end] {
			if len(s.Pages) == 0 || l.Page > s.Pages[len(s.Pages)-1] {
				s.Pages = append(s.Pages, l.Page)
			}
		}
		out = append(out, s)
	}
	return out
}

// endOf is where the next heading of the same or a higher level begins.
func (r *paperReader) endOf(i int) int {
	for _, next := range r.heads[i+1:] {
		if next.level <= r.heads[i].level {
			return next.at
		}
	}
	return len(r.flow)
}
