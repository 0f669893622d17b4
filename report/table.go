package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// Table is a table of texts, ready for any format.
type Table struct {
	// Name is one of [Tables]; Title describes the contents.
	Name, Title string
	// Label and Section are the heads of the line names and of the names of line groups.
	Label, Section string
	Heads          []Head
	Lines          []Line
	Notes          []string
	// Flat tables keep the order of their lines and name the section in each. Tidy ones are for programs: their lines
	// are observations, not runs.
	Flat, Tidy bool
}

// Head is the head of a value column.
type Head struct {
	Name, Group string
	// Left aligns a text column to the left; numbers are right-aligned.
	Left bool
	// Scored columns hold scores with their n and intervals.
	Scored bool
	// Repeats marks a column that repeats the contents of a scored one; formats that show intervals omit it.
	Repeats bool
}

// Line is a line of a table.
type Line struct {
	Label, Section string
	Values         []Value
	// Row is the run; nil for a line of the paper.
	Row   *Row
	Paper bool
	// Minor lines add detail to the line above.
	Minor bool
}

// Value is one value of a line.
type Value struct {
	// Text is the printed text; "-" for no value.
	Text string
	// Mark follows a text that a note explains; formats for programs omit it.
	Mark string
	// Cell holds the details of a score; nil for other values.
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

// group puts the lines of a section together, in the order of the sections' first lines.
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

// Marked is the text with its mark. If the verdicts rule a score out, it is the range that they allow.
func (v Value) Marked() string {
	if v.Cell != nil && v.Cell.impossible {
		return decimals(v.Cell.Bounds.Low, 2) + "–" + decimals(v.Cell.Bounds.High, 2) + v.Mark
	}
	return v.Text + v.Mark
}

// Span is the interval as text; empty if there is none.
func (v Value) Span() string {
	if v.Cell == nil || v.Cell.Interval == nil || !v.Cell.Shown() {
		return ""
	}
	return span(*v.Cell)
}

// Count is the number of questions; empty if there is none.
func (v Value) Count() string {
	if v.Cell == nil {
		return ""
	}
	return strconv.Itoa(v.Cell.N)
}

// Error is the standard error; empty if there is none.
func (v Value) Error() string { return v.error(func(c Cell) *float64 { return c.SE }) }

// ClusteredError is the standard error clustered by paper; empty if there is none.
func (v Value) ClusteredError() string {
	return v.error(func(c Cell) *float64 { return c.ClusteredSE })
}

func (v Value) error(field func(Cell) *float64) string {
	if v.Cell == nil || !v.Cell.Shown() || field(*v.Cell) == nil {
		return ""
	}
	return decimals(*field(*v.Cell), 2)
}

// span is the interval of a cell in percent, with a star if it is not the requested bootstrap.
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

// incompleteMark marks scores that lack judge verdicts.
const incompleteMark = "†"

// scored is a cell with its details.
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

// optional is a number that may be nil.
func optional(v *float64, n int) Value {
	if v == nil {
		return plain("-")
	}
	return plain(decimals(*v, n))
}

func orDash(s string) string { return cmp.Or(s, "-") }
