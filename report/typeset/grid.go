package typeset

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"airqa/internal/terminal"
	"airqa/report"
)

// grid draws a table with lines between its columns. It has two head lines where columns have a group; the lines of one
// section stand under its name, unless that is a column.
type grid struct {
	t    sheet
	flat bool
	// left counts the columns of words, which come first.
	left   int
	names  []string
	widths []int
}

func newGrid(t sheet, flat bool) grid {
	g := grid{t: t, flat: flat, left: 1, names: []string{t.Label}}
	if flat {
		g.left, g.names = 2, append(g.names, t.Section)
	}
	for _, h := range t.Heads {
		g.names = append(g.names, h.Name)
	}
	for _, name := range g.names {
		g.widths = append(g.widths, text.StringWidth(name))
	}
	for _, l := range t.Lines {
		for i, cell := range g.cells(l) {
			g.widths[i] = max(g.widths[i], text.StringWidth(cell))
		}
	}
	for at := 0; at < len(t.Heads); at = t.groupEnd(at) {
		end := t.groupEnd(at)
		missing := text.StringWidth(t.Heads[at].Group) - g.span(g.left+at, g.left+end)
		g.widths[g.left+end-1] += max(missing, 0)
	}
	return g
}

func (g grid) cells(l report.Line) []string {
	cells := []string{label(l)}
	if g.flat {
		cells = append(cells, terminal.Line(l.Section))
	}
	for _, v := range l.Values {
		cells = append(cells, terminal.Line(v.Marked()))
	}
	return cells
}

// span is the room of some columns, with what is between them.
func (g grid) span(from, to int) int {
	room := 3 * (to - from - 1)
	for _, w := range g.widths[from:to] {
		room += w
	}
	return room
}

func (g grid) width() int { return g.span(0, len(g.widths)) + 4 }

func (g grid) render() string {
	lines := []string{g.rule("┌", "┬", "┐", g.opens)}
	if g.t.grouped() {
		lines = append(lines, g.groups())
		names := slices.Concat(make([]string, g.left), g.names[g.left:])
		lines = append(lines, g.row(names, text.AlignCenter))
	} else {
		lines = append(lines, g.row(g.names, text.AlignCenter))
	}
	if g.flat {
		lines = append(lines, g.rule("├", "┼", "┤", everywhere))
	}
	g.t.eachSection(func(name string, section []report.Line) {
		if !g.flat {
			lines = append(lines, g.rule("├", "┴", "┤", everywhere))
			lines = append(lines, g.across("["+terminal.Line(name)+"]")...)
		}
		for _, l := range section {
			lines = append(lines, g.row(g.cells(l), text.AlignRight))
		}
	})
	return strings.Join(append(lines, g.rule("└", "┴", "┘", everywhere)), "\n")
}

func everywhere(int) bool { return true }

// opens reports whether a column begins where the topmost line does: inside of a group none does.
func (g grid) opens(column int) bool {
	at := column - g.left
	return at <= 0 || g.t.Heads[at].Group == "" || g.t.Heads[at].Group != g.t.Heads[at-1].Group
}

// rule is a line across, with a joint where a column begins and joint says so.
func (g grid) rule(left, middle, right string, joint func(column int) bool) string {
	var b strings.Builder
	b.WriteString(left)
	for i, w := range g.widths {
		switch {
		case i == 0:
		case joint(i):
			b.WriteString(middle)
		default:
			b.WriteString("─")
		}
		b.WriteString(strings.Repeat("─", w+2))
	}
	return b.String() + right
}

// row is a line of cells: words to the left, the others as told.
func (g grid) row(cells []string, align text.Align) string {
	var b strings.Builder
	for i, cell := range cells {
		as := align
		if i < g.left {
			as = text.AlignLeft
		}
		b.WriteString("│ " + as.Apply(cell, g.widths[i]) + " ")
	}
	return b.String() + "│"
}

// groups is the upper head line.
func (g grid) groups() string {
	var b strings.Builder
	for i := range g.left {
		b.WriteString("│ " + text.AlignLeft.Apply(g.names[i], g.widths[i]) + " ")
	}
	for at := 0; at < len(g.t.Heads); at = g.t.groupEnd(at) {
		room := g.span(g.left+at, g.left+g.t.groupEnd(at))
		b.WriteString("│ " + text.AlignCenter.Apply(g.t.Heads[at].Group, room) + " ")
	}
	return b.String() + "│"
}

// across is a text as wide as the table, in as many lines as it takes.
func (g grid) across(s string) []string {
	room := g.span(0, len(g.widths))
	var lines []string
	for line := range strings.SplitSeq(text.WrapSoft(s, room), "\n") {
		lines = append(lines, "│ "+text.AlignLeft.Apply(line, room)+" │")
	}
	return lines
}
