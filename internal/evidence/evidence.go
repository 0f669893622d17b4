// Package evidence reads the results of tools from the text that a model saw. Start from [Rows].
package evidence

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"github.com/google/uuid"

	"airqa/internal/lazyregexp"
)

// Row is a row of a result, a line with a JSON object.
type Row struct {
	// Line is the row as shown, at byte At of the result.
	Line string
	At   int
	// Cells is nil for a line that was cut off.
	Cells []Cell
	// Paper is the id of the paper that the row names, IDs are its other ids; all in lower case.
	Paper string
	IDs   []string
	// Page counts from 1; 0 if the row names none.
	Page int
}

// Rows reads a result. Lines that do not begin an object, such as the last one about the result, are left out.
func Rows(text string) (list []Row) {
	at := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "{") {
			r := Row{Line: line, At: at}
			if cells, ok := Cells(line); ok {
				r.add(cells)
			}
			list = append(list, r)
		}
		at += len(line)
	}
	return list
}

// add adds the cells, and what they say about the place of the row.
func (r *Row) add(cells []Cell) {
	r.Cells = cells
	for _, c := range cells {
		column := strings.ToLower(c.Name)
		var page float64
		switch {
		case c.IsID() && (strings.Contains(column, "paper") || strings.Contains(column, "pdf")):
			r.Paper = strings.ToLower(c.Text)
		case c.IsID():
			r.IDs = append(r.IDs, strings.ToLower(c.Text))
		case strings.Contains(column, "page_number") && json.Unmarshal([]byte(c.Raw), &page) == nil:
			r.Page = max(int(page), 0)
		}
	}
}

// Values are the cells that are no ids, no places in a paper and not null.
func (r Row) Values() (list []Cell) {
	for _, c := range r.Cells {
		name := strings.ToLower(c.Name)
		place := strings.Contains(name, "page_number") || strings.Contains(name, "ordinal") || strings.Contains(name, "bounding_box")
		if !place && !c.IsID() && !c.Null() {
			list = append(list, c)
		}
	}
	return list
}

// Cell is a value of a row.
type Cell struct {
	Name string
	// Raw is the value as shown, JSON at byte At of its line. Text is the text of a string, otherwise Raw.
	Raw, Text string
	At        int
}

// IsID reports whether the cell is an id of the database, a UUID in its usual form.
func (c Cell) IsID() bool { return len(c.Text) == 36 && uuid.Validate(c.Text) == nil }

// Number reports whether the cell is a number.
func (c Cell) Number() bool {
	return c.Raw != "" && (c.Raw[0] == '-' || c.Raw[0] >= '0' && c.Raw[0] <= '9')
}

// Null reports whether the cell has no value.
func (c Cell) Null() bool { return c.Raw == "null" }

// CutMark ends a cell that was shortened.
const CutMark = " …[cut]"

// Shortened reports whether the end of the cell was left out.
func (c Cell) Shortened() bool { return strings.HasSuffix(c.Text, CutMark) }

// Cells returns the cells of a row, a line with a JSON object, in order; a name may occur twice. It reports false for any
// other line.
func Cells(line string) (list []Cell, ok bool) {
	in := json.NewDecoder(strings.NewReader(line))
	if open, err := in.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for in.More() {
		name, err := in.Token()
		var raw json.RawMessage
		if err != nil || in.Decode(&raw) != nil {
			return nil, false
		}
		c := Cell{fmt.Sprint(name), string(raw), string(raw), int(in.InputOffset()) - len(raw)}
		if raw[0] == '"' {
			_ = json.Unmarshal(raw, &c.Text) // it was decoded before
		}
		list = append(list, c)
	}
	_, err := in.Token()
	return list, err == nil
}

var (
	rowTag  = lazyregexp.New(`(?is)<tr\b[^>]*>(.*?)</tr>`)
	cellTag = lazyregexp.New(`(?is)<t[dh]\b[^>]*>(.*?)</t[dh]>`)
	anyTag  = lazyregexp.New(`(?s)<[^>]*>`)
)

// TableCells reads the cells of a table in HTML, row by row.
func TableCells(content string) [][]string {
	var rows [][]string
	for _, tr := range rowTag.FindAllStringSubmatch(content, -1) {
		var cells []string
		for _, td := range cellTag.FindAllStringSubmatch(tr[1], -1) {
			text := html.UnescapeString(anyTag.ReplaceAllString(td[1], " "))
			cells = append(cells, strings.Join(strings.Fields(text), " "))
		}
		if len(cells) > 0 {
			rows = append(rows, cells)
		}
	}
	return rows
}
