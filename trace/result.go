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

// Result is a tool's result as parts, read back from the text that the model saw: the rows of a Query, the passages of a
// Retrieve. A result that is not exactly of the form of package tools stays text, so nothing of it is lost: the lines of Rows
// and Text are together the whole text. [cause.Finder] also reads rows of other forms, as in imported runs.
type Result struct {
	// Columns are the names of the cells of each row. A name may occur twice. They are nil without rows.
	Columns []string
	Rows    []evidence.Row
	// Passages are the rows of a Retrieve with what is known of their hits, then the hits that were not shown. They repeat
	// Rows and Hidden.
	Passages []Passage
	// Text is what follows the rows, such as "(5 rows)", or the whole text of any other result.
	Text string
	// Last is the last of Rows before its cells were shortened; nil if they were not, or if the log does not have it.
	Last *evidence.Row
	// Hidden are the rows that were not shown, as far as the log has them.
	Hidden []evidence.Row
	// Partial means that the log has only the beginning of a result that was cut.
	Partial bool
}

// ReadResult returns the parts of a result.
func ReadResult(o qa.Observation) Result {
	columns, rows, rest := readRows(nil, o.Text)
	note := rest
	if o.Cut != nil && o.Cut.Reason == "cell" && strings.HasPrefix(rest, "{") { // a row that was too long even without its cells
		_, note, _ = strings.Cut(rest, "\n")
	}
	v := Result{Text: o.Text}
	isNote := strings.HasPrefix(note, "(") && strings.HasSuffix(note, ")") && !strings.Contains(note, "\n")
	if isNote && len(rows) > 0 {
		v.Columns, v.Rows, v.Text = columns, rows, rest
	}
	if o.Cut != nil && o.Full != "" {
		v.addHidden(*o.Cut, o.Full)
	}
	v.Passages = v.readPassages(o.Hits)
	return v
}

// addHidden adds what was cut from a result. full is the whole result, or its beginning.
func (v *Result) addHidden(c qa.Cut, full string) {
	_, rows, rest := readRows(v.Columns, full)
	n := min(len(v.Rows), len(rows))
	if c.Reason == "cell" && n > 0 && n == c.RowsShown {
		v.Last = &rows[n-1]
	}
	v.Hidden, v.Partial = rows[n:], rest != "" || c.RowsTotal > len(rows)
}

// Passage is a hit of a retrieval.
type Passage struct {
	// Hit has the rank, which is known for all rows, and for all hits in the log.
	qa.Hit
	// Title is the title of the paper if the model saw one.
	Title string
	// Text is empty if the log does not have it. The model saw the first Seen bytes of it.
	Text string
	Seen int
	// Hidden means that the model did not see the passage, since the result was cut or the passage is beyond the limit.
	Hidden bool
	// Shortened means that the model saw only the beginning of Text.
	Shortened bool
}

// passageColumns are the columns of passages, without the title.
var passageColumns = []string{"score", "text", "pdf_id", "page_number"}

// readPassages returns the rows of a retrieval with their hits; nil for rows of another kind, or if rows and hits disagree.
func (v *Result) readPassages(hits []qa.Hit) []Passage {
	title := slices.Index(v.Columns, "title")
	columns := slices.Clone(v.Columns)
	if title >= 0 {
		columns = slices.Delete(columns, title, title+1)
	}
	if !slices.Equal(columns, passageColumns) {
		return nil
	}
	text := func(r evidence.Row, column string) string { return r.Cells[slices.Index(v.Columns, column)].Text }
	rows := slices.Concat(v.Rows, v.Hidden) // as before the cut, as far as they are known
	if v.Last != nil {
		rows[len(v.Rows)-1] = *v.Last
	}
	var list []Passage
	for i, r := range rows {
		score, err := strconv.ParseFloat(text(r, "score"), 64)
		page, err2 := strconv.Atoi(text(r, "page_number"))
		if err != nil || err2 != nil {
			return nil
		}
		p := Passage{Hit: qa.Hit{Rank: i + 1, Score: score, PaperID: text(r, "pdf_id"), Page: page}, Text: text(r, "text"), Hidden: i >= len(v.Rows)}
		if title >= 0 {
			p.Title = r.Cells[title].Text
		}
		if !p.Hidden {
			p.Shortened = slices.ContainsFunc(v.Rows[i].Cells, evidence.Cell.Shortened)
			p.Seen = min(len(strings.TrimSuffix(text(v.Rows[i], "text"), evidence.CutMark)), len(p.Text))
		}
		if i < len(hits) && !p.agree(hits[i]) {
			return nil
		}
		list = append(list, p)
	}
	for _, h := range hits[min(len(list), len(hits)):] {
		list = append(list, Passage{Hit: h, Hidden: true})
	}
	return list
}

// agree adds the id of a hit, if it may be that of the passage. Cells of a shortened row may be shortened, too.
func (p *Passage) agree(h qa.Hit) bool {
	if h.Rank != p.Rank || h.Beyond || !p.Shortened && (h.PaperID != p.PaperID || h.Page != p.Page) {
		return false
	}
	p.Hit = h
	return true
}

// readRows returns the rows with the same columns as package tools writes them, and the text after them. They end at any
// other line, even if it is JSON of the same value. If no columns are given, the first row decides.
func readRows(columns []string, text string) (names []string, rows []evidence.Row, rest string) {
	end := 0
	for _, r := range evidence.Rows(text) {
		own := make([]string, len(r.Cells))
		for i, c := range r.Cells {
			own[i] = c.Name
		}
		if columns == nil {
			columns = own
		}
		if r.At != end || len(own) == 0 || !slices.Equal(columns, own) || !utf8.ValidString(r.Line) || encode(r.Cells) != r.Line {
			break
		}
		rows, end = append(rows, r), end+len(r.Line)
	}
	return columns, rows, text[end:]
}

// encode writes a row as package tools does.
func encode(row []evidence.Cell) string {
	var b strings.Builder
	for i, c := range row {
		b.WriteString(map[bool]string{true: "{", false: ", "}[i == 0])
		value := c.Raw
		if value[0] == '"' {
			value = tools.JSONValue(c.Text)
		}
		b.WriteString(tools.JSONValue(c.Name) + ": " + value)
	}
	return b.String() + "}\n"
}
