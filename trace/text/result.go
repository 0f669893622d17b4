package text

import (
	"cmp"
	"fmt"
	"strings"

	"airqa/internal/evidence"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/tools"
	"airqa/trace"
)

// result prints what a tool returned: passages or rows if it has them, otherwise its text.
func (p *page) result(o qa.Observation) {
	v := trace.ReadResult(o)
	p.label("observation (" + string(o.Status) + ")")
	switch {
	case len(v.Passages) > 0:
		for _, passage := range v.Passages {
			p.passage(passage)
		}
	case len(v.Rows) > 0:
		p.table(v.Columns, v.Rows, "", 0)
	}
	colour := ""
	switch {
	case len(v.Rows) > 0:
		colour = dim
	case o.Status.Failed():
		colour = red
	}
	if v.Text != "" {
		p.prose(indented, colour, v.Text)
	}
	if len(v.Passages) == 0 {
		p.hidden(v)
	}
	p.images(o.Images)
}

// passageHead describes a hit: "1. 0.608, paper ..., page 2".
func passageHead(h trace.Passage) string {
	text := fmt.Sprintf("%d. score %g, ", h.Rank, h.Score)
	switch {
	case h.Beyond:
		text += "beyond the limit and not shown, "
	case h.Hidden:
		text += "not shown, "
	}
	text += cmp.Or(h.PaperID, "no paper")
	if h.Page > 0 {
		text += fmt.Sprintf(" page %d", h.Page)
	}
	if h.ID != "" {
		text += ", passage " + h.ID
	}
	return text
}

func (p *page) passage(h trace.Passage) {
	const inside = indented + 3
	colour := ""
	if h.Hidden {
		colour = dim
	}
	p.prose(indented, cmp.Or(colour, blue), passageHead(h))
	if h.Title != "" {
		p.prose(inside, cmp.Or(colour, bold), h.Title)
	}
	if h.Hidden {
		p.rest(inside, h.Text)
		return
	}
	p.prose(inside, "", h.Text[:h.Seen])
	if h.Shortened {
		p.rest(inside, h.Text[h.Seen:])
	}
}

// rest prints the part of a text that the model did not see.
func (p *page) rest(indent int, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	p.prose(indent, yellow, fmt.Sprintf("[not shown to the model: %d characters]", len([]rune(text))))
	p.prose(indent, dim, text)
}

// hidden prints the rows that the model did not see.
func (p *page) hidden(v trace.Result) {
	shown := len(v.Rows)
	if v.Last != nil {
		p.prose(indented, yellow, fmt.Sprintf("[row %d before it was cut]", shown))
		p.table(v.Columns, []evidence.Row{*v.Last}, dim, shown-1)
	}
	if len(v.Hidden) > 0 && shown > 0 {
		p.prose(indented, yellow, "["+terminal.Plural(len(v.Hidden), "row")+" not shown to the model]")
		p.table(v.Columns, v.Hidden, dim, shown)
	}
	if v.Partial {
		p.prose(indented, yellow, "[the log has only the beginning of the result]")
	}
}

// widest is the maximum number of columns of a cell in a table; rows with longer ones are printed as lists.
const widest = 60

// table prints rows side by side if they fit, otherwise one below the other. number is that of the row before the first.
func (p *page) table(columns []string, rows []evidence.Row, colour string, number int) {
	if text, ok := p.grid(columns, rows); ok {
		for i, line := range text {
			p.add(cmp.Or(colour, map[bool]string{true: blue}[i == 0]), line)
		}
		return
	}
	names, most := make([]string, len(columns)), 0
	for i, c := range columns {
		names[i] = terminal.Clip(c, widest/2)
		most = max(most, terminal.Width(names[i]))
	}
	for i, row := range rows {
		p.prose(indented, cmp.Or(colour, blue), fmt.Sprintf("row %d", number+i+1))
		for k, c := range row.Cells {
			p.cell(terminal.Pad(names[k], most, false), c, colour)
		}
	}
}

// grid returns a table as lines; false if a cell is long or the lines are too wide.
func (p *page) grid(columns []string, rows []evidence.Row) ([]string, bool) {
	t := terminal.Table{Head: make([]string, len(columns))}
	for i, name := range columns {
		t.Head[i] = terminal.Line(name)
	}
	for _, row := range rows {
		cells := make([]string, len(row.Cells))
		for i, c := range row.Cells {
			cells[i] = terminal.Line(c.Text)
			if len(c.Text) > 4*widest || strings.Contains(c.Text, "\n") || terminal.Width(cells[i]) > widest {
				return nil, false
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	margin := strings.Repeat(" ", indented)
	lines := strings.Split(t.Text(0), "\n")
	for i, line := range lines {
		lines[i] = margin + line
		if p.width > 0 && terminal.Width(lines[i]) > p.width {
			return nil, false
		}
	}
	return lines, true
}

// cell prints a value behind the name of its column, which is padded.
func (p *page) cell(column string, c evidence.Cell, colour string) {
	const inside = indented + 2
	head := strings.Repeat(" ", inside) + column + "  "
	if p.width > 0 && terminal.Width(head)+leastRoom > p.width {
		p.prose(inside, cmp.Or(colour, dim), column)
		p.prose(inside+2, colour, readable(c))
		return
	}
	p.hanging(head, colour, readable(c))
}

// readable is the text of a cell with each row of an HTML table on a line of its own.
func readable(c evidence.Cell) string {
	return strings.ReplaceAll(c.Text, "<tr>", "\n<tr>")
}

// images lists the images of a result by the names of their files in the run directory.
func (p *page) images(list []qa.Image) {
	for _, im := range list {
		p.prose(indented, blue, imageText(im))
	}
}

func imageText(im qa.Image) string {
	text := fmt.Sprintf("image images/%s.png, %d x %d pixels", im.SHA256, im.Width, im.Height)
	if im.Page > 0 {
		text += fmt.Sprintf(", page %d of %s", im.Page, im.PaperID)
	}
	if len(im.Box) > 0 {
		text += ", box " + tools.JSONValue(im.Box)
	}
	return text
}
