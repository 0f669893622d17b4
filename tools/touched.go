package tools

import (
	"slices"
	"strconv"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/qa"
)

// maxTouched is the maximum length of each list in the log of a query.
const maxTouched = 50

var (
	// idPattern matches a name that ends in "id" and may apply to the ids after it, or an id in quotes.
	idPattern   = lazyregexp.New(`(?i)\b(\w*id)\b|'([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})'`)
	pagePattern = lazyregexp.New(`(?i)\bpage_number\s*(?:=|IN)\s*\(?\s*(\d+(?:\s*,\s*\d+)*)`)
)

// touched lists what a query read: the ids and pages in its statement and in all of its rows, shown or not. A page of
// the statement needs one paper in the statement; one of a row needs a paper in the row or one in the statement.
func touched(sql string, rows qa.Rows) *qa.Touched {
	l := list{Touched: qa.Touched{Tables: rows.Tables}}
	column := "paper_id"
	for _, m := range idPattern.FindAllStringSubmatch(sql, -1) {
		if m[1] != "" {
			column = m[1]
			continue
		}
		l.id(column, m[2])
	}
	if len(l.Papers) == 1 {
		l.named = l.Papers[0]
		for _, m := range pagePattern.FindAllStringSubmatch(sql, -1) {
			for number := range strings.SplitSeq(m[1], ",") {
				n, _ := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
				l.page(l.named, n)
			}
		}
	}
	for _, row := range rows.Values {
		l.row(rows.Columns, row)
	}
	return &l.Touched
}

// list collects what a query touched.
type list struct {
	qa.Touched
	// named is the only paper of the statement, or empty.
	named string
}

func (l *list) row(columns []string, row []any) {
	paper := l.named
	for i, name := range columns {
		if id, ok := row[i].(string); ok && strings.HasSuffix(strings.ToLower(name), "id") && qa.IsUUID(id) {
			l.id(name, id)
			if isPaper(name) {
				paper = strings.ToLower(id)
			}
		}
	}
	for i, name := range columns {
		if strings.HasPrefix(strings.ToLower(name), "page_number") {
			l.pages(paper, row[i])
		}
	}
}

// pages adds the page numbers in a cell, one or the text of a list.
func (l *list) pages(paper string, cell any) {
	switch n := cell.(type) {
	case int64:
		l.page(paper, n)
	case string:
		for _, x := range strings.FieldsFunc(n, func(r rune) bool { return strings.ContainsRune("[], ", r) }) {
			page, _ := strconv.ParseInt(x, 10, 32) // 0 is no page
			l.page(paper, page)
		}
	}
}

func (l *list) page(paper string, n int64) {
	seen := slices.ContainsFunc(l.Pages, func(p qa.PaperPage) bool { return p.PaperID == paper && p.Page == int(n) })
	switch {
	case paper == "" || n < 1 || seen:
	case len(l.Pages) < maxTouched:
		l.Pages = append(l.Pages, qa.PaperPage{PaperID: paper, Page: int(n)})
	default:
		l.More = true
	}
}

// id adds an id of the kind that the name of its column implies.
func (l *list) id(column, id string) {
	to := &l.Rows
	if isPaper(column) {
		to = &l.Papers
	}
	id = strings.ToLower(id)
	switch {
	case slices.Contains(*to, id):
	case len(*to) < maxTouched:
		*to = append(*to, id)
	default:
		l.More = true
	}
}

// isPaper reports whether the ids of a column are those of papers.
func isPaper(column string) bool {
	column = strings.ToLower(column)
	return strings.Contains(column, "paper") || strings.Contains(column, "pdf") || column == "id"
}
