package structure

import (
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/ingest/layout"
)

// sections splits the flow at its headings. The text of a section includes its subsections, with their titles on
// separate rows.
func (r *paperReader) sections() []Section {
	var out []Section
	for i, h := range r.heads {
		end := r.textEnd() // or the start of the next heading of the same or a higher level
		if n := slices.IndexFunc(r.heads[i+1:], func(next heading) bool { return next.level <= h.level }); n >= 0 {
			end = r.heads[i+1+n].at
		}
		lines := r.contents(h, end)
		s := Section{Title: h.title, Heading: h.printed(), Level: h.level, Text: r.Doc.Flow(lines)}
		for _, l := range r.flow[h.at:end] {
			if len(s.Pages) == 0 || l.Page > s.Pages[len(s.Pages)-1] {
				s.Pages = append(s.Pages, l.Page)
			}
		}
		out = append(out, s)
	}
	return out
}

func (h heading) printed() string {
	if last, _ := utf8.DecodeLastRuneInString(h.label); layout.IsHan(string(last)) {
		return h.label + h.title // 一、模型
	}
	return strings.TrimSpace(h.label + " " + h.title)
}

// contents returns the lines after a heading, up to end. Headings begin paragraphs, and so does text on the line after
// them.
func (r *paperReader) contents(h heading, end int) []layout.Line {
	from := h.at + h.lines
	lines := slices.Clone(r.flow[from:end])
	for k := range lines {
		at := from + k
		before, here := r.headAt(at-1), r.headAt(at)
		starts := here != nil && here.at == at
		follows := k > 0 && before != nil && here == nil && before.words == 0
		lines[k].Break = lines[k].Break || starts || follows
	}
	if h.words == 0 {
		return lines
	}
	first := r.flow[from-1]
	first.Words = first.Words[h.words:]
	return slices.Insert(lines, 0, first)
}

// headAt returns the heading of line i of the flow, or nil.
func (r *paperReader) headAt(i int) *heading {
	for k := range r.heads {
		if h := &r.heads[k]; i >= h.at && i < h.at+h.lines {
			return h
		}
	}
	return nil
}
