package trace

import (
	"strings"

	"airqa/qa"
)

// Result is a tool's result as parts, read back from the text that the model saw: a table of a Query, the passages of a
// Retrieve, the images of a View. A result that is not exactly of the form of package tools stays text, so nothing of it is
// lost: the rows of Table and Text are together the whole text.
type Result struct {
	Status qa.Status
	// Table has the rows of the result; nil if it has none that can be read.
	Table *Table
	// Passages are the rows of a Retrieve with what is known of their hits, then the hits that were not shown. They repeat
	// the rows of Table.
	Passages []Passage
	// Text is what follows the rows, such as "(5 rows)", or the whole text of any other result.
	Text   string
	Images []qa.Image
	// ResultCut is what was left out; nil if nothing was.
	Cut *ResultCut
}

// ResultCut is what was left out of a result.
type ResultCut struct {
	qa.Cut
	// Known reports whether the log has the result before it was cut, or its beginning. If not, the fields below are empty.
	Known bool
	// Last is the last shown row before its cells were shortened; nil if they were not.
	Last TableRow
	// Rows are the rows that were not shown.
	Rows []TableRow
	// Partial means that the log has only the beginning of the result.
	Partial bool
}

// ReadResult returns the parts of a result.
func ReadResult(o qa.Observation) Result {
	v := Result{Status: o.Status, Text: o.Text, Images: o.Images}
	if rows, rest, ok := shownRows(o.Text, o.Cut); ok {
		v.Table, v.Text = rows, rest
	}
	if o.Cut != nil {
		v.Cut = findCut(o, v.Table)
	}
	v.Passages = readPassages(v.Table, v.Cut, o.Hits)
	return v
}

// shownRows splits a result into its rows and the text after them: a line in parentheses. Before it may be the beginning of
// a row that was too long even without its cells.
func shownRows(text string, cut *qa.Cut) (t *Table, rest string, ok bool) {
	t = &Table{}
	left := text
	for strings.HasPrefix(left, "{") {
		line, after, more := strings.Cut(left, "\n")
		columns, row, ok := readRow(line)
		if !more || !ok || !t.add(columns, row) {
			break
		}
		left = after
	}
	note := left
	if cut != nil && cut.Reason == "cell" && strings.HasPrefix(left, "{") {
		_, note, _ = strings.Cut(left, "\n")
	}
	isNote := strings.HasPrefix(note, "(") && strings.HasSuffix(note, ")") && !strings.Contains(note, "\n")
	return t, left, isNote && len(t.Rows) > 0
}

// findCut compares a result with the one before it was cut.
func findCut(o qa.Observation, shown *Table) *ResultCut {
	c := &ResultCut{Cut: *o.Cut, Known: o.Full != ""}
	if !c.Known {
		return c
	}
	if shown == nil {
		shown = &Table{}
	}
	whole, partial := readRows(o.Full, shown.Columns)
	n := min(len(shown.Rows), len(whole))
	if c.Reason == "cell" && n > 0 && n == c.RowsShown {
		c.Last = whole[n-1]
	}
	c.Rows = whole[n:]
	c.Partial = partial || c.RowsTotal > len(whole)
	return c
}

// readRows reads the rows of an uncut result; columns are nil if they are not known. It reports whether lines at the
// end are no whole rows.
func readRows(full string, columns []string) (rows []TableRow, partial bool) {
	t := &Table{Columns: columns}
	for line := range strings.Lines(full) {
		names, row, ok := readRow(strings.TrimSuffix(line, "\n"))
		if !ok || !strings.HasSuffix(line, "\n") || !t.add(names, row) {
			return t.Rows, true
		}
	}
	return t.Rows, false
}
