package report

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"airqa/internal/terminal"
)

// textTables prints a table, or several with some of its columns each where it is too wide. Columns of a group stay
// together when they fit.
func textTables(t Table, width int) string {
	whole := textTable(t)
	if width == 0 || text.LongestLineLen(whole) <= width {
		return whole
	}
	var parts []string
	for at := 0; at < len(t.Heads); {
		end := at + 1
		for next := t.groupEnd(at); next <= len(t.Heads); next = t.groupEnd(next) {
			if !t.fits(at, next, width) {
				break
			}
			end = next
			if next == len(t.Heads) {
				break
			}
		}
		for end < t.groupEnd(at) && t.fits(at, end+1, width) {
			end++
		}
		parts = append(parts, textTable(t.columns(numbers(at, end))))
		at = end
	}
	return strings.Join(parts, "\n\n")
}

func (t Table) fits(from, to, width int) bool {
	return text.LongestLineLen(textTable(t.columns(numbers(from, to)))) <= width
}

// groupEnd is the end of the group that begins at a column.
func (t Table) groupEnd(at int) int {
	end := at + 1
	for end < len(t.Heads) && t.Heads[end].Group != "" && t.Heads[end].Group == t.Heads[at].Group {
		end++
	}
	return end
}

// numbers are those from one up to another.
func numbers(from, to int) []int {
	var list []int
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// textTable has the paper's two head lines. Lines of one section stand under its name, unless that is a column.
func textTable(t Table) string {
	w := table.NewWriter()
	w.SetStyle(table.StyleLight)
	w.Style().Format.Header = text.FormatDefault
	flat := t.flat()
	groups, names := table.Row{t.Label}, table.Row{""}
	if flat {
		groups, names = append(groups, t.Section), append(names, "")
	}
	var configs []table.ColumnConfig
	for _, h := range t.Heads {
		groups, names = append(groups, h.Group), append(names, h.Name)
		align := text.AlignRight
		if h.Left {
			align = text.AlignLeft
		}
		configs = append(configs, table.ColumnConfig{Number: len(groups), Align: align, AlignHeader: text.AlignCenter})
	}
	w.SetColumnConfigs(configs)
	if t.grouped() {
		w.AppendHeader(groups, table.RowConfig{AutoMerge: true})
		w.AppendHeader(names)
	} else {
		w.AppendHeader(append(groups[:len(groups)-len(t.Heads)], names[len(names)-len(t.Heads):]...))
	}
	t.eachSection(func(name string, lines []Line) {
		if !flat {
			w.AppendSeparator()
			w.AppendRow(t.across("["+terminal.Line(name)+"]"), table.RowConfig{AutoMerge: true, AutoMergeAlign: text.AlignLeft})
		}
		for _, l := range lines {
			row := table.Row{l.label()}
			if flat {
				row = append(row, terminal.Line(l.Section))
			}
			for _, v := range l.Values {
				row = append(row, terminal.Line(v.Text))
			}
			w.AppendRow(row)
		}
	})
	return w.Render()
}

// across is a row of one cell that is as wide as the table.
func (t Table) across(s string) table.Row {
	row := table.Row{s}
	for range t.Heads {
		row = append(row, s)
	}
	return row
}

// label shows by blanks that a line belongs to the one above it.
func (l Line) label() string {
	if l.Minor {
		return "  " + terminal.Line(l.Label)
	}
	return terminal.Line(l.Label)
}

// grouped tells whether any column has a head above its own.
func (t Table) grouped() bool {
	for _, h := range t.Heads {
		if h.Group != "" {
			return true
		}
	}
	return false
}

// eachSection visits the lines of each section.
func (t Table) eachSection(visit func(name string, lines []Line)) {
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
