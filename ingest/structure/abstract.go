package structure

import (
	"strings"

	"airqa/ingest/layout"
	"airqa/internal/lazyregexp"
)

var (
	// runIn matches "Abstract—We", "Summary. We". Nothing follows a bare "Abstract".
	runIn         = lazyregexp.New(`^(?i:` + layout.Pattern(layout.AbstractTerm) + `|摘\s*要)\s*[—–:：.\-]+\s*`)
	afterAbstract = lazyregexp.New(`^(?i:keywords?|key\s?words|index terms|ccs concepts|general terms|categories and subject|acm reference format|1\.?\s+introduction|i\.\s+introduction|introduction$)`)
)

// abstract returns the text between the word "Abstract" and the next heading, on the first two pages.
func (r *paperReader) abstract() string {
	start, prefix := r.abstractStart()
	if start < 0 {
		return r.unlabelledAbstract()
	}
	end := start
	for ; end < len(r.flow); end++ {
		l, first := r.flow[end], r.flow[start]
		text := l.Text()
		resized := abs(l.Size-first.Size) > 1.6 && l.Chars() > 12 // affiliations, for example
		ends := afterAbstract.MatchString(text) || keywordTitles[leadIn(text)] || contentsTitles[folded(text)] || dotLeaders.MatchString(text)
		if r.isHeading(end) || resized || end > start && ends || l.Page > first.Page+1 {
			break
		}
	}
	text := strings.TrimSpace(strings.TrimPrefix(r.Doc.Joined(r.flow[start:end]), prefix))
	return runIn.ReplaceAllString(text, "")
}

// unlabelledAbstract returns the last paragraph of at least forty words before the first heading on page 1.
func (r *paperReader) unlabelledAbstract() string {
	const fewest = 40
	end := r.firstHeading()
	for end > 0 && end <= len(r.flow) && len(r.heads) > 0 {
		start := end - 1
		for start > 0 && !r.flow[start].Break {
			start--
		}
		text := r.Doc.Joined(r.flow[start:end])
		if r.flow[start].Page == 1 && len(strings.Fields(text)) >= fewest {
			return text
		}
		end = start
	}
	return ""
}

// abstractStart returns the first line of the abstract in the flow, or -1, and a word to remove from its start.
func (r *paperReader) abstractStart() (int, string) {
	for i, l := range r.flow {
		if l.Page > 2 {
			continue
		}
		bold := len(l.Words) > 3 && l.Words[0].Bold && !l.Words[2].Bold // before regular text
		switch text := l.Text(); {
		case abstractTitles[folded(text)]:
			return i + 1, ""
		case bold && abstractTitles[folded(l.Words[0].Text)]:
			return i, l.Words[0].Text
		case runIn.MatchString(text):
			return i, ""
		}
	}
	return -1, ""
}

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
