package render

import (
	"strings"

	"airqa/internal/terminal"
	"airqa/report"
)

// text prints the blocks of a document, separated by empty lines.
func (d Document) text(o Options) string {
	width := terminal.ProseWidth(o.Width)
	var blocks []string
	for _, p := range d.printable() {
		if p.Preformatted != "" {
			blocks = append(blocks, strings.TrimRight(p.Preformatted, "\n"))
			continue
		}
		var lines []string
		if p.Title != "" {
			lines = append(lines, terminal.Wrap(terminal.Line(p.Title), width, ""))
		}
		for _, s := range p.Text {
			lines = append(lines, terminal.Wrap(terminal.Line(s), width, ""))
		}
		for _, it := range p.Items {
			lines = append(lines, it.text(o.Width))
		}
		if len(lines) > 0 {
			blocks = append(blocks, strings.Join(lines, "\n"))
		}
		if p.Table != nil {
			blocks = append(blocks, sheet(*p.Table).text(o))
		}
	}
	return strings.Join(blocks, "\n\n")
}

// text prints a line of a list. A line with commands is clipped to the terminal, because it only introduces them.
func (it Item) text(width int) string {
	if len(it.Commands) == 0 {
		return terminal.Wrap(terminal.Line(it.Text), terminal.ProseWidth(width), "  ")
	}
	var line strings.Builder
	line.WriteString("  " + terminal.Clip(it.Text, max(width-2, 0)))
	for _, c := range it.Commands {
		line.WriteString("\n    " + terminal.Line(c))
	}
	return line.String()
}

// text prints a table with its notes, split by columns if it is too wide for the terminal. Columns of a group stay
// together if they fit.
func (t sheet) text(o Options) string {
	notes := t.Notes
	if o.Detail {
		t = t.detailed()
	}
	var blocks []string
	if len(t.Lines) == 0 {
		blocks = append(blocks, "none")
	}
	// A section column takes more room than headings.
	flat := t.flat() && (o.Width == 0 || t.fits(0, 1, o.Width, true))
	for at := 0; at < len(t.Heads) && len(t.Lines) > 0; {
		end := t.next(at, o.Width, flat)
		blocks = append(blocks, t.part(at, end, o.Width, flat).String())
		at = end
	}
	if len(notes) > 0 {
		lines := make([]string, len(notes))
		for i, n := range notes {
			lines[i] = terminal.Wrap(terminal.Line(n), terminal.ProseWidth(o.Width), "  ")
		}
		blocks = append(blocks, strings.Join(lines, "\n"))
	}
	return strings.Join(blocks, "\n\n")
}

// next is the end of the columns that fit from at on: as many groups as possible, or as much of the first group, and at
// least one column.
func (t sheet) next(at, width int, flat bool) int {
	if width == 0 {
		return len(t.Heads)
	}
	end := at
	for end < len(t.Heads) && t.fits(at, t.groupEnd(end), width, flat) {
		end = t.groupEnd(end)
	}
	if end > at {
		return end
	}
	end = at + 1
	for end < t.groupEnd(at) && t.fits(at, end+1, width, flat) {
		end++
	}
	return end
}

func (t sheet) fits(from, to, width int, flat bool) bool {
	g := t.part(from, to, width, flat)
	return g.span(0, len(g.widths)) <= width
}

func (t sheet) part(from, to, width int, flat bool) *grid {
	t = t.columns(func(i int) bool { return i >= from && i < to })
	g := &grid{t: t, flat: flat && t.sectioned(), width: width}
	g.names, g.left = t.names(g.flat)
	g.widths = make([]int, len(g.names))
	g.widen(g.names)
	for _, l := range t.Lines {
		g.widen(g.cells(l))
	}
	for at := 0; at < len(t.Heads); at = t.groupEnd(at) {
		end := t.groupEnd(at)
		missing := terminal.Width(t.Heads[at].Group) - g.span(g.left+at, g.left+end)
		g.widths[g.left+end-1] += max(missing, 0)
	}
	if width > 0 { // wrap wider cells
		for i := range g.widths {
			room := max(12, width/(2*g.left))
			if i >= g.left {
				room = max(8, width-g.span(0, g.left)-2)
			}
			g.widths[i] = min(g.widths[i], room)
		}
	}
	return g
}

// grid prints a table as columns separated by two spaces. It has two head lines if columns have groups; the lines of a
// section follow its name, unless that is a column.
type grid struct {
	t     sheet
	flat  bool
	width int
	// left is the number of text columns, which come first.
	left   int
	names  []string
	widths []int
}

func (g *grid) widen(cells []string) {
	for i, c := range cells {
		g.widths[i] = max(g.widths[i], terminal.Width(c))
	}
}

// cells are the texts of a line. A line that details the one above is indented.
func (g *grid) cells(l report.Line) []string {
	list := cells(l, g.flat)
	if l.Minor {
		list[0] = "  " + list[0]
	}
	return list
}

// span is the width of some columns with the gaps between them.
func (g *grid) span(from, to int) int {
	room := 2 * (to - from - 1)
	for _, w := range g.widths[from:to] {
		room += w
	}
	return room
}

func (g *grid) String() string {
	var lines []string
	if g.t.grouped() {
		parts := []string{strings.Repeat(" ", g.span(0, g.left))}
		for at := 0; at < len(g.t.Heads); at = g.t.groupEnd(at) {
			name, room := g.t.Heads[at].Group, g.span(g.left+at, g.left+g.t.groupEnd(at))
			before := max(room-terminal.Width(name), 0) / 2
			parts = append(parts, terminal.Pad(strings.Repeat(" ", before)+name, room, false))
		}
		lines = append(lines, strings.TrimRight(strings.Join(parts, "  "), " "))
	}
	rules := make([]string, len(g.widths))
	for i, w := range g.widths {
		rules[i] = strings.Repeat("─", w)
	}
	lines = append(lines, g.row(g.names), strings.Join(rules, "  "))
	g.t.eachSection(func(name string, section []report.Line) {
		var rows []string
		for _, l := range section {
			if written(l) {
				rows = append(rows, g.row(g.cells(l)))
			}
		}
		if name != "" && !g.flat && len(rows) > 0 {
			lines = append(lines, terminal.Wrap("["+terminal.Line(name)+"]", g.width, " "))
		}
		lines = append(lines, rows...)
	})
	return strings.Join(lines, "\n")
}

// row prints cells, on several lines if one is wider than its column.
func (g *grid) row(cells []string) string {
	wrapped, height := make([][]string, len(cells)), 1
	for i, c := range cells {
		wrapped[i] = []string{c}
		if terminal.Width(c) > g.widths[i] {
			wrapped[i] = terminal.Hard(c, g.widths[i])
		}
		height = max(height, len(wrapped[i]))
	}
	lines := make([]string, height)
	for n := range lines {
		padded := make([]string, len(cells))
		for i, parts := range wrapped {
			s := ""
			if n < len(parts) {
				s = parts[n]
			}
			padded[i] = terminal.Pad(s, g.widths[i], i >= g.left && !g.t.Heads[i-g.left].Left)
		}
		lines[n] = strings.TrimRight(strings.Join(padded, "  "), " ")
	}
	return strings.Join(lines, "\n")
}
