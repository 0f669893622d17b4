package structure

import (
	"strings"

	"airqa/ingest/layout"
)

// Folded titles of special sections in all languages.
var (
	abstractTitles     = titleSet(layout.AbstractTerm)
	keywordTitles      = titleSet(layout.KeywordsTerm)
	bibliographyTitles = titleSet(layout.ReferencesTerm)
	// contentsTitles are headings of lists of contents. They count as sections only if the outline has them.
	contentsTitles = titleSet(layout.ContentsTerm)
	// commonTitles are titles of sections that seldom have a number.
	commonTitles = titleSet(layout.SectionsTerm)
)

func titleSet(t layout.Term) map[string]bool {
	set := map[string]bool{}
	for _, title := range layout.Words(t) {
		set[folded(title)] = true
	}
	return set
}

// leadIn returns the folded text of a line before a colon or a dash, or of the whole line: "摘要：本文" yields "摘要".
func leadIn(text string) string {
	if at := strings.IndexAny(text, ":：—–-."); at > 0 {
		return folded(text[:at])
	}
	return folded(text)
}
