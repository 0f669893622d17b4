package report

import (
	"fmt"
	"slices"
	"strconv"
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
	// Flat tables keep the order of their lines and name the section in each. Tidy ones are for programs: their lines are
	// observations, not runs.
	Flat, Tidy bool
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
	// Mark follows the text where a note explains the value; formats for programs leave it out.
	Mark string
	// Cell is what is known of a score; nil for another value.
	Cell *Cell
}

// NewTable starts a table whose first column has words and whose others, with these heads, have numbers.
func NewTable(name, title, label string, heads ...string) *Table {
	t := &Table{Name: name, Title: title, Label: label}
	for _, h := range heads {
		t.Heads = append(t.Heads, Head{Name: h})
	}
	return t
}

// Add adds a line of texts.
func (t *Table) Add(section, label string, cells ...string) {
	l := Line{Label: label, Section: section}
	for _, c := range cells {
		l.Values = append(l.Values, plain(c))
	}
	t.Lines = append(t.Lines, l)
}

// group brings the lines of a section together, in the order of the sections' first lines.
func (t *Table) group() {
	if t.Flat {
		return
	}
	first := make(map[string]int)
	for i, l := range t.Lines {
		if _, ok := first[l.Section]; !ok {
			first[l.Section] = i
		}
	}
	slices.SortStableFunc(t.Lines, func(a, b Line) int { return first[a.Section] - first[b.Section] })
}

// Marked is the text with its mark.
func (v Value) Marked() string { return v.Text + v.Mark }

// Span is the interval in words; empty without one.
func (v Value) Span() string {
	if v.Cell == nil || v.Cell.Interval == nil || !v.Cell.Shown() {
		return ""
	}
	return span(*v.Cell)
}

// Count is the number of questions in digits; empty without one.
func (v Value) Count() string {
	if v.Cell == nil {
		return ""
	}
	return strconv.Itoa(v.Cell.N)
}

// Error is the standard error; empty without one.
func (v Value) Error() string { return v.error(func(c Cell) *float64 { return c.SE }) }

// ClusteredError prints the standard error clustered by paper, "" when there is none.
func (v Value) ClusteredError() string {
	return v.error(func(c Cell) *float64 { return c.ClusteredSE })
}

func (v Value) error(of func(Cell) *float64) string {
	if v.Cell == nil || !v.Cell.Shown() || of(*v.Cell) == nil {
		return ""
	}
	return decimals(*of(*v.Cell), 2)
}

// span is the interval of a cell in percent, with a star where it is not the bootstrap that was asked for.
func span(c Cell) string {
	if c.Interval == nil || !c.Shown() {
		return "-"
	}
	text := fmt.Sprintf("%.1f–%.1f", c.Interval.Low, c.Interval.High)
	if c.replaced {
		text += "*"
	}
	return text
}

// incompleteMark is at scores that lack verdicts of a judge.
const incompleteMark = "†"

// scored is a cell with all that is known of it.
func scored(c Cell) Value {
	v := Value{Text: "-", Cell: &c}
	if c.Shown() {
		v.Text = decimals(c.Score, 2)
	}
	if c.Incomplete() {
		v.Mark = incompleteMark
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
