package ask

import (
	"html"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/words"
)

var (
	rowTag  = lazyregexp.New(`(?is)<tr\b[^>]*>(.*?)</tr>`)
	cellTag = lazyregexp.New(`(?is)<t[dh]\b[^>]*>(.*?)</t[dh]>`)
	anyTag  = lazyregexp.New(`(?s)<[^>]*>`)
)

// cellsOf reads the cells of a table in HTML, row by row.
func cellsOf(content string) [][]string {
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

// columnMark is between the cells of a row as text.
const columnMark = " | "

// plainTable is a table in HTML as text, a line for each row. Other texts are unchanged.
func plainTable(content string) string {
	rows := cellsOf(content)
	if rows == nil {
		return content
	}
	lines := make([]string, len(rows))
	for i, cells := range rows {
		lines[i] = strings.Join(cells, columnMark)
	}
	return strings.Join(lines, "\n")
}

// Shares from which a passage is a row of a table: of the words of the passage in the table, and of the row in the
// passage.
const (
	insideTable = 0.7
	insideRow   = 0.6
)

// asTable makes a passage that is a row of a table of its page that row.
func (p *paper) asTable(s *Source) {
	quoted := words.Fold(s.Quote)
	for _, t := range p.Tables {
		if p.number(t.PageID) != s.Page {
			continue
		}
		rows := cellsOf(t.Content)
		if words.Share(quoted, words.Fold(t.Caption+"\n"+plainTable(t.Content)), nil) < insideTable {
			continue
		}
		best, most := -1, insideRow
		for i, cells := range rows {
			folded := words.Fold(strings.Join(cells, " "))
			if n := words.Share(folded, quoted, nil); n > most && (s.value.has(folded) || words.Shared(s.value.numbers, stems(folded)) > 0) {
				best, most = i, n
			}
		}
		switch {
		case best >= 0:
			s.Kind, s.Caption, s.Box = Table, t.Caption, floats(t.Box)
			s.Quote, s.After = clip(labelled(rows, best), mostQuote)
			s.Before = false
			return
		case strings.Contains(words.Fold(t.Caption), quoted):
			s.Kind, s.Caption, s.Box = Table, t.Caption, floats(t.Box)
			return
		}
	}
}

// labelled is a row with the names of its columns, as far as the first row of the table has one for each cell.
func labelled(rows [][]string, i int) string {
	cells, names := rows[i], rows[0]
	if i == 0 || len(names) != len(cells) || slices.Equal(names, cells) {
		return strings.Join(cells, columnMark)
	}
	var parts []string
	for k, text := range cells {
		switch {
		case text == "":
		case names[k] == "":
			parts = append(parts, text)
		default:
			parts = append(parts, names[k]+": "+text)
		}
	}
	return strings.Join(parts, ", ")
}
