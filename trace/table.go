package trace

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"airqa/tools"
)

// Table has rows with the same columns.
type Table struct {
	// Columns may have a name twice.
	Columns []string
	Rows    []TableRow
}

// TableRow has a cell for each column.
type TableRow []Cell

// Cell is a value of a row.
type Cell struct {
	// Raw is the value as shown to the model: JSON.
	Raw string
	// Text is the text of a string, otherwise Raw.
	Text string
}

// cutMark ends a cell that was shortened.
const cutMark = " …[cut]"

// Number reports whether the cell is a number.
func (c Cell) Number() bool {
	return c.Raw != "" && (c.Raw[0] == '-' || c.Raw[0] >= '0' && c.Raw[0] <= '9')
}

// Null reports whether the cell has no value.
func (c Cell) Null() bool { return c.Raw == "null" }

// Shortened reports whether the end of the cell was left out.
func (c Cell) Shortened() bool { return strings.HasSuffix(c.Text, cutMark) }

// add appends a row if it has the columns of the others.
func (t *Table) add(columns []string, row TableRow) bool {
	if t.Columns == nil {
		t.Columns = columns
	} else if !slices.Equal(t.Columns, columns) {
		return false
	}
	t.Rows = append(t.Rows, row)
	return true
}

// readRow reads a line as package tools writes rows. It reports false for any other, even if it is JSON of the same value.
func readRow(line string) (columns []string, row TableRow, ok bool) {
	in := json.NewDecoder(strings.NewReader(line))
	if open, err := in.Token(); err != nil || open != json.Delim('{') || !utf8.ValidString(line) {
		return nil, nil, false
	}
	for in.More() {
		name, err := in.Token()
		column, isText := name.(string)
		var raw json.RawMessage
		if err != nil || !isText || in.Decode(&raw) != nil {
			return nil, nil, false
		}
		cell, ok := readCell(string(raw))
		if !ok {
			return nil, nil, false
		}
		columns, row = append(columns, column), append(row, cell)
	}
	return columns, row, len(row) > 0 && encodeRow(columns, row) == line
}

func readCell(raw string) (Cell, bool) {
	if raw[0] != '"' {
		return Cell{Raw: raw, Text: raw}, true
	}
	var text string
	if err := json.Unmarshal([]byte(raw), &text); err != nil || tools.JSONValue(text) != raw {
		return Cell{}, false
	}
	return Cell{Raw: raw, Text: text}, true
}

func encodeRow(columns []string, row TableRow) string {
	var b strings.Builder
	for i, c := range row {
		b.WriteString(map[bool]string{true: "{", false: ", "}[i == 0])
		b.WriteString(tools.JSONValue(columns[i]))
		b.WriteString(": ")
		b.WriteString(c.Raw)
	}
	b.WriteByte('}')
	return b.String()
}
