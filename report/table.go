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

// Span words the interval; empty without one.
func (v Value) Span() string {
	if v.Interval == nil {
		return ""
	}
	return span(v.Interval)
}

// Count is N in digits; empty without one.
func (v Value) Count() string {
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
