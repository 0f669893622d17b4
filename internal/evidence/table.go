package evidence

import (
	"html"
	"strings"

	"airqa/internal/lazyregexp"
)

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
