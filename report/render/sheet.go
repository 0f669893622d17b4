package render

import (
	"slices"
	"strings"

	"airqa/internal/terminal"
	"airqa/report"
)

// sheet is a table with layout methods.
type sheet report.Table

// flat reports whether the section should be a column instead of a heading, because most sections would have a single
// line.
func (t sheet) flat() bool {
	if t.Flat {
		return true
	}
	sections, lines := make(map[string]bool), 0
	for _, l := range t.Lines {
		sections[l.Section] = true
		if !l.Minor {
			lines++
		}
	}
	return len(sections) > 1 && 2*len(sections) > lines
}

func (t sheet) sectioned() bool {
	return slices.ContainsFunc(t.Lines, func(l report.Line) bool { return l.Section != "" })
}

// names are the heads of the text columns, of which there are left, and of the value columns.
func (t sheet) names(section bool) (names []string, left int) {
	names = []string{t.Label}
	if section {
		names = append(names, t.Section)
	}
	left = len(names)
	for _, h := range t.Heads {
		names = append(names, h.Name)
	}
	return names, left
}

// alignment has a mark for each column: toLeft for text columns, of which the first are left, and toRight for numbers.
func (t sheet) alignment(left int, toLeft, toRight string) string {
	marks := slices.Repeat([]string{toLeft}, left)
	for _, h := range t.Heads {
		mark := toRight
		if h.Left {
			mark = toLeft
		}
		marks = append(marks, mark)
	}
	return strings.Join(marks, "")
}

func cells(l report.Line, section bool) []string {
	list := []string{terminal.Line(l.Label)}
	if section {
		list = append(list, terminal.Line(l.Section))
	}
	for _, v := range l.Values {
		list = append(list, terminal.Line(v.Marked()))
	}
	return list
}

// groupEnd is the end of the group that begins at a column.
func (t sheet) groupEnd(at int) int {
	end := at + 1
	for end < len(t.Heads) && t.Heads[end].Group != "" && t.Heads[end].Group == t.Heads[at].Group {
		end++
	}
	return end
}

func (t sheet) grouped() bool {
	return slices.ContainsFunc(t.Heads, func(h report.Head) bool { return h.Group != "" })
}

// columns returns the table with some of its columns.
func (t sheet) columns(keep func(i int) bool) sheet {
	some := t
	some.Heads, some.Lines = nil, slices.Clone(t.Lines)
	for n := range some.Lines {
		some.Lines[n].Values = nil
	}
	for i, h := range t.Heads {
		if !keep(i) {
			continue
		}
		some.Heads = append(some.Heads, h)
		for n, l := range t.Lines {
			some.Lines[n].Values = append(some.Lines[n].Values, l.Values[i])
		}
	}
	return some
}

// unrepeated returns the table without columns that repeat the contents of a scored one.
func (t sheet) unrepeated() sheet {
	return t.columns(func(i int) bool { return !t.Heads[i].Repeats })
}

// eachSection visits the lines of each section.
func (t sheet) eachSection(visit func(name string, lines []report.Line)) {
	for at := 0; at < len(t.Lines); {
		name := t.Lines[at].Section
		end := at + 1
		for end < len(t.Lines) && t.Lines[end].Section == name {
			end++
		}
		visit(name, t.Lines[at:end])
		at = end
	}
}

// detailed adds lines with n, interval and standard errors below every line of scores, if there are any.
func (t sheet) detailed() sheet {
	full := t.unrepeated()
	lines := full.Lines
	full.Lines = nil
	for _, l := range lines {
		full.Lines = append(full.Lines, l)
		for _, d := range []struct {
			label string
			of    func(report.Value) string
		}{
			{"95 % interval", report.Value.Span},
			{"standard error", report.Value.Error},
			{"clustered by paper", report.Value.ClusteredError},
			{"n", report.Value.Count},
		} {
			detail := report.Line{Label: d.label, Section: l.Section, Paper: l.Paper, Minor: true}
			for _, v := range l.Values {
				detail.Values = append(detail.Values, report.Value{Text: d.of(v)})
			}
			if written(detail) {
				full.Lines = append(full.Lines, detail)
			}
		}
	}
	return full
}

func written(l report.Line) bool {
	return slices.ContainsFunc(l.Values, func(v report.Value) bool { return v.Text != "" })
}

// heading is the title of the table, with its number in the paper.
func (t sheet) heading() string {
	if t.Name != "" && strings.Trim(t.Name, "0123456789") == "" {
		return t.Title + " (as the paper's Table " + t.Name + ")"
	}
	return t.Title
}
