package questions

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"airqa/internal/terminal"
)

// narrowest is what the names of rows keep of a narrow terminal; names that are longer are broken.
const narrowest = 12

// textOf prints a table for a terminal of a width, 0 for any: names are broken where it is too wide, and where that is
// not enough its columns go into several tables.
func (t Table) textOf(width int) string {
	var b strings.Builder
	b.WriteString(broken(t.Title, width) + "\n")
	if len(t.Rows) == 0 {
		return b.String() + "none\n"
	}
	for _, columns := range t.split(width) {
		b.WriteString(t.draw(columns, width) + "\n")
	}
	if t.Note != "" {
		b.WriteString(broken(t.Note, width) + "\n")
	}
	return b.String()
}

// broken wraps a paragraph.
func broken(s string, width int) string {
	return strings.Join(terminal.Wrap(s, terminal.ProseWidth(width)), "\n")
}

// columnWidth is that of a column with its frame.
func (t Table) columnWidth(i int) int {
	w := len([]rune(t.Head[i]))
	for _, r := range t.Rows {
		w = max(w, len([]rune(r.Cells[i])))
	}
	return w + 3
}

// split shares the columns among as few tables as fit side by side with names.
func (t Table) split(width int) [][]int {
	var parts [][]int
	var part []int
	room := 0
	for i := range t.Head {
		w := t.columnWidth(i)
		if width > 0 && len(part) > 0 && room+w+narrowest+4 > width {
			parts, part, room = append(parts, part), nil, 0
		}
		part, room = append(part, i), room+w
	}
	return append(parts, part)
}

// draw prints some columns.
func (t Table) draw(columns []int, width int) string {
	w := table.NewWriter()
	w.SetStyle(table.StyleLight)
	w.Style().Format.Header = text.FormatDefault
	room := 0
	head := table.Row{""}
	for _, i := range columns {
		head = append(head, t.Head[i])
		room += t.columnWidth(i)
	}
	names := table.ColumnConfig{Number: 1, Align: text.AlignLeft}
	if width > 0 {
		names.WidthMax, names.WidthMaxEnforcer = max(width-room-4, 8), wrapName
	}
	configs := []table.ColumnConfig{names}
	for i := range columns {
		configs = append(configs, table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	w.SetColumnConfigs(configs)
	w.AppendHeader(head)
	t.rows(w, columns)
	return w.Render()
}

// rows fills in the rows that have something in these columns.
func (t Table) rows(w table.Writer, columns []int) {
	section := ""
	for _, r := range t.Rows {
		line := table.Row{terminal.Line(r.Name)}
		blank := true
		for _, i := range columns {
			line = append(line, r.Cells[i])
			blank = blank && r.Cells[i] == ""
		}
		if blank {
			continue
		}
		if r.Section != section {
			section = r.Section
			w.AppendSeparator()
			w.AppendRow(table.Row{"[" + terminal.Line(section) + "]"})
		}
		w.AppendRow(line)
	}
}

// wrapName breaks a name after blanks and underscores.
func wrapName(name string, width int) string {
	var lines []string
	line := ""
	for _, part := range strings.SplitAfter(strings.ReplaceAll(name, "_", "_\x00"), "\x00") {
		for _, word := range strings.SplitAfter(strings.TrimSuffix(part, "\x00"), " ") {
			if line != "" && text.StringWidth(line+strings.TrimRight(word, " ")) > width {
				lines, line = append(lines, line), ""
			}
			line += word
		}
	}
	lines = append(lines, line)
	for i, l := range lines {
		lines[i] = text.WrapHard(strings.TrimRight(l, " "), width)
	}
	return strings.Join(lines, "\n")
}
