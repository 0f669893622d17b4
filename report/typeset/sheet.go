package typeset

import (
	"slices"

	"airqa/report"
)

// sheet is a table as a format lays it out.
type sheet report.Table

// flat reports whether the section is better a column of its own than a line above its lines: when most of them would hold
// a single line.
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

// without returns the table without the columns that drop chooses.
func (t sheet) without(drop func(report.Head) bool) sheet {
	var keep []int
	for i, h := range t.Heads {
		if !drop(h) {
			keep = append(keep, i)
		}
	}
	return t.columns(keep)
}

// columns returns the table with some of its columns.
func (t sheet) columns(keep []int) sheet {
	some := t
	some.Heads, some.Lines = nil, slices.Clone(t.Lines)
	for _, i := range keep {
		some.Heads = append(some.Heads, t.Heads[i])
	}
	for n, l := range t.Lines {
		some.Lines[n].Values = nil
		for _, i := range keep {
			some.Lines[n].Values = append(some.Lines[n].Values, l.Values[i])
		}
	}
	return some
}

// details are the lines under a line with interval, standard errors and n of its scores, each only when there is one.
func details(l report.Line) (lines []report.Line) {
	for _, d := range []struct {
		label string
		of    func(report.Value) string
	}{
		{"95 % interval", report.Value.Span},
		{"standard error", report.Value.Error},
		{"clustered by paper", report.Value.ClusteredError},
		{"n", report.Value.Count},
	} {
		line := report.Line{Label: d.label, Section: l.Section, Paper: l.Paper, Minor: true}
		some := false
		for _, v := range l.Values {
			text := d.of(v)
			some = some || text != ""
			line.Values = append(line.Values, report.Value{Text: text})
		}
		if some {
			lines = append(lines, line)
		}
	}
	return lines
}

// detailed returns the table with n and interval under every line of scores.
func (t sheet) detailed() sheet {
	full := t.without(func(h report.Head) bool { return h.Repeats })
	lines := full.Lines
	full.Lines = nil
	for _, l := range lines {
		full.Lines = append(full.Lines, l)
		full.Lines = append(full.Lines, details(l)...)
	}
	return full
}
