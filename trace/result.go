package trace

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"airqa/internal/evidence"
	"airqa/qa"
	"airqa/tools"
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
	shown := &Table{}
	rest := shown.read(o.Text)
	note := rest
	if o.Cut != nil && o.Cut.Reason == "cell" && strings.HasPrefix(rest, "{") { // a row that was too long even without its cells
		_, note, _ = strings.Cut(rest, "\n")
	}
	isNote := strings.HasPrefix(note, "(") && strings.HasSuffix(note, ")") && !strings.Contains(note, "\n")
	if isNote && len(shown.Rows) > 0 {
		v.Table, v.Text = shown, rest
	}
	if o.Cut != nil {
		v.Cut = findCut(o, v.Table)
	}
	v.Passages = readPassages(v.Table, v.Cut, o.Hits)
	return v
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
	whole := &Table{Columns: shown.Columns}
	c.Partial = whole.read(o.Full) != ""
	n := min(len(shown.Rows), len(whole.Rows))
	if c.Reason == "cell" && n > 0 && n == c.RowsShown {
		c.Last = whole.Rows[n-1]
	}
	c.Rows = whole.Rows[n:]
	c.Partial = c.Partial || c.RowsTotal > len(whole.Rows)
	return c
}

// Passage is a hit of a retrieval.
type Passage struct {
	// Rank counts from 1, best first. It is known for all rows, and for all hits in the log.
	Rank  int
	Score float64
	// Paper is the id of the paper; Title is its title if the model saw one.
	Paper, Title string
	// Page counts from 1; -1 if unknown.
	Page int
	// ID is the id of the passage in the database.
	ID string
	// Text is empty if the log does not have it. The model saw the first Seen bytes of it.
	Text string
	Seen int
	// Hidden means that the model did not see the passage, since the result was cut or the passage is beyond the limit.
	Hidden bool
	// Shortened means that the model saw only the beginning of Text.
	Shortened bool
	// Beyond means that the passage comes after the limit of the call.
	Beyond bool
}

// passageColumns are the columns of passages, without the title.
var passageColumns = []string{"score", "text", "pdf_id", "page_number"}

// readPassages returns the rows of a retrieval with their hits; nil for a table of another kind, or if rows and hits
// disagree.
func readPassages(t *Table, cut *ResultCut, hits []qa.Hit) []Passage {
	if t == nil {
		return nil
	}
	rows := slices.Clone(t.Rows) // as before the cut, as far as they are known
	if cut != nil {
		if cut.Last != nil {
			rows[len(rows)-1] = cut.Last
		}
		rows = append(rows, cut.Rows...)
	}
	var list []Passage
	for i, row := range rows {
		p, ok := readPassage(t.Columns, row)
		if !ok {
			return nil
		}
		p.Rank = i + 1
		if p.Hidden = i >= len(t.Rows); !p.Hidden {
			shown := t.Rows[i]
			text := shown[slices.Index(t.Columns, "text")]
			p.Shortened = slices.ContainsFunc(shown, Cell.Shortened)
			p.Seen = min(len(strings.TrimSuffix(text.Text, evidence.CutMark)), len(p.Text))
		}
		if i < len(hits) && !p.agree(hits[i]) {
			return nil
		}
		list = append(list, p)
	}
	for _, h := range hits[min(len(list), len(hits)):] {
		list = append(list, Passage{Rank: h.Rank, Score: h.Score, Paper: h.PaperID, Page: h.Page, ID: h.ID, Hidden: true, Beyond: h.Beyond})
	}
	return list
}

// agree adds the id of a hit, if it may be that of the passage. Cells of a shortened row may be shortened, too.
func (p *Passage) agree(h qa.Hit) bool {
	if h.Rank != p.Rank || h.Beyond || !p.Shortened && (h.PaperID != p.Paper || h.Page != p.Page) {
		return false
	}
	p.ID, p.Score, p.Paper, p.Page = h.ID, h.Score, h.PaperID, h.Page
	return true
}

func readPassage(columns []string, row TableRow) (p Passage, ok bool) {
	var names, values []string
	for i, name := range columns {
		if name == "title" {
			p.Title = row[i].Text
			continue
		}
		names, values = append(names, name), append(values, row[i].Text)
	}
	if !slices.Equal(names, passageColumns) || len(columns) > len(passageColumns)+1 {
		return p, false
	}
	score, err := strconv.ParseFloat(values[0], 64)
	page, err2 := strconv.Atoi(values[3])
	p.Score, p.Text, p.Paper, p.Page = score, values[1], values[2], page
	return p, err == nil && err2 == nil
}

// Table has rows with the same columns.
type Table struct {
	// Columns may have a name twice.
	Columns []string
	Rows    []TableRow
}

// TableRow has a cell for each column.
type TableRow = []Cell

// Cell is a value of a row.
type Cell = evidence.Cell

// read adds rows with the same columns as package tools writes them, and returns the text after them. It ends at any other
// line, even if it is JSON of the same value.
func (t *Table) read(text string) (rest string) {
	for {
		line, after, more := strings.Cut(text, "\n")
		cells, ok := evidence.Cells(line)
		if !more || !ok || len(cells) == 0 || !utf8.ValidString(line) {
			return text
		}
		columns := make([]string, len(cells))
		var written strings.Builder // by package tools
		for i, c := range cells {
			columns[i] = c.Name
			written.WriteString(map[bool]string{true: "{", false: ", "}[i == 0])
			value := c.Raw
			if value[0] == '"' {
				value = tools.JSONValue(c.Text)
			}
			written.WriteString(tools.JSONValue(c.Name) + ": " + value)
		}
		if written.String()+"}" != line {
			return text
		}
		if t.Columns != nil && !slices.Equal(t.Columns, columns) {
			return text
		}
		t.Columns, t.Rows, text = columns, append(t.Rows, cells), after
	}
}
