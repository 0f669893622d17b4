package report

import (
	"fmt"
	"slices"
	"strconv"

	"airqa/internal/stats"
)

// Table is a table in words, ready for any format.
type Table struct {
	// Name is that of [Tables]; Title says what it shows.
	Name, Title string
	// Label and Section are the heads of what tells lines apart and of what they belong together by.
	Label, Section string
	Heads          []Head
	Lines          []Line
	Notes          []string
}

// Head is the head of a column of values.
type Head struct {
	Name, Group string
	// Left aligns a column of words; numbers stand to the right.
	Left bool
	// Scored columns hold scores with their n and intervals.
	Scored bool
	// Repeats marks a column that says again what a scored one holds; formats that show intervals leave it out.
	Repeats bool
}

// Line is a line of a table.
type Line struct {
	Label, Section string
	Values         []Value
	// Row is the run; nil for a line of the paper.
	Row   *Row
	Paper bool
	// Minor lines say more of the line above them.
	Minor bool
}

// Value is one value of a line.
type Value struct {
	// Text is what is printed; "-" where there is nothing to say.
	Text string
	// N and Interval are those of a score; nil without one.
	N        *int
	Interval *stats.Interval
}

// group brings the lines of a section together, in the order of the sections' first lines.
func (t *Table) group() {
	first := make(map[string]int)
	for i, l := range t.Lines {
		if _, ok := first[l.Section]; !ok {
			first[l.Section] = i
		}
	}
	slices.SortStableFunc(t.Lines, func(a, b Line) int { return first[a.Section] - first[b.Section] })
}

// flat tells whether the section is better a column of its own than a line above its lines: when most of them would hold
// a single line.
func (t Table) flat() bool {
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
func (t Table) without(drop func(Head) bool) Table {
	var keep []int
	for i, h := range t.Heads {
		if !drop(h) {
			keep = append(keep, i)
		}
	}
	return t.columns(keep)
}

// columns returns the table with some of its columns.
func (t Table) columns(keep []int) Table {
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

// details are the lines under a line that say n and interval of its scores, each only when there is one.
func (l Line) details() (lines []Line) {
	for _, d := range []struct {
		label string
		of    func(Value) string
	}{
		{"95 % interval", Value.interval},
		{"n", Value.count},
	} {
		line := Line{Label: d.label, Section: l.Section, Paper: l.Paper, Minor: true}
		some := false
		for _, v := range l.Values {
			text := d.of(v)
			some = some || text != ""
			line.Values = append(line.Values, Value{Text: text})
		}
		if some {
			lines = append(lines, line)
		}
	}
	return lines
}

// detailed returns the table with n and interval under every line of scores.
func (t Table) detailed() Table {
	full := t.without(func(h Head) bool { return h.Repeats })
	lines := full.Lines
	full.Lines = nil
	for _, l := range lines {
		full.Lines = append(full.Lines, l)
		full.Lines = append(full.Lines, l.details()...)
	}
	return full
}

func (v Value) interval() string {
	if v.Interval == nil {
		return ""
	}
	return span(v.Interval)
}

func (v Value) count() string {
	if v.N == nil {
		return ""
	}
	return strconv.Itoa(*v.N)
}

// span words an interval in per cent.
func span(i *stats.Interval) string {
	if i == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f–%.1f", i.Low, i.High)
}

// scored is a cell with all that is known of it.
func scored(c Cell) Value {
	v := Value{Text: "-", N: &c.N, Interval: c.Interval}
	if c.N > 0 {
		v.Text = decimals(c.Score, 2)
	}
	return v
}

func plain(text string) Value { return Value{Text: text} }

func number(n int) Value { return Value{Text: strconv.Itoa(n)} }

func decimals(v float64, n int) string { return strconv.FormatFloat(v, 'f', n, 64) }

// maybe is a number that may have no value.
func maybe(v *float64, n int) Value {
	if v == nil {
		return plain("-")
	}
	return plain(decimals(*v, n))
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
