package trace

import (
	"slices"
	"strconv"
	"strings"

	"airqa/qa"
)

// Passage is a hit of a retrieval.
type Passage struct {
	// Rank counts from 1, best first. It is known for all rows, and for all hits in the log.
	Rank  int
	Score float64
	// Paper is the id of the paper; Title is its title if the model saw one.
	Paper, Title string
	// Page counts from 1; -1 if unknown.
	Page int
	// ID is the id of the passage in the database; empty in logs of early versions.
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
	var list []Passage
	for i, row := range wholeRows(t, cut) {
		p, ok := readPassage(t.Columns, row)
		if !ok {
			return nil
		}
		p.Rank = i + 1
		if p.Hidden = i >= len(t.Rows); !p.Hidden {
			p.see(t.Columns, t.Rows[i])
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

// wholeRows returns the rows of a result before it was cut, as far as they are known.
func wholeRows(t *Table, cut *ResultCut) []TableRow {
	rows := slices.Clone(t.Rows)
	if cut == nil {
		return rows
	}
	if cut.Last != nil {
		rows[len(rows)-1] = cut.Last
	}
	return append(rows, cut.Rows...)
}

// see notes how much of the passage was in the row that was shown.
func (p *Passage) see(columns []string, shown TableRow) {
	text := shown[slices.Index(columns, "text")]
	p.Shortened = slices.ContainsFunc(shown, Cell.Shortened)
	p.Seen = min(len(strings.TrimSuffix(text.Text, cutMark)), len(p.Text))
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
