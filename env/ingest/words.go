package ingest

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"airqa/env/ingest/layout"
)

// maxLoss is the tolerated fraction of missing words per page, due to split words and broken formulas.
const maxLoss = 0.05

// lostWords compares the text of each page with the text extracted by PDFium, and reports pages with missing words. It
// detects losses between glyphs and text, but not text that PDFium cannot extract.
func lostWords(doc *layout.Document, texts []string) []string {
	var problems []string
	for i, page := range doc.Pages {
		missing, all := missingWords(texts[i], doc.Lines(page.Lines)+"\n"+page.Dropped)
		if n := len(missing); n > 2 && float64(n) > maxLoss*float64(all) {
			problems = append(problems, fmt.Sprintf("page %d lacks %d of %d words that PDFium extracts, such as %q", page.Number, n, all, missing[0]))
		}
	}
	return problems
}

// missingWords returns the words of want that are less frequent in got, and the total number of words. The two
// extractors may split words differently, so a word that occurs in got only as part of others is not missing.
func missingWords(want, got string) (missing []string, all int) {
	own, left := map[string]bool{}, map[string]int{}
	read := plainWords(got)
	for _, w := range read {
		own[w] = true
		left[w]++
	}
	joined := strings.Join(read, "")
	for _, w := range plainWords(want) {
		all++
		if left[w]--; left[w] < 0 && (own[w] || !strings.Contains(joined, w)) {
			missing = append(missing, w)
		}
	}
	return missing, all
}

// plainWords returns the runs of letters and digits of a text in lower case, without accents, which TeX may print as
// separate glyphs over a dotless i.
func plainWords(s string) []string {
	drop := func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Lm, unicode.Sk):
			return -1
		case r == 'ı':
			return 'i'
		}
		return unicode.ToLower(r)
	}
	s = strings.Map(drop, norm.NFKD.String(strings.Map(drop, s)))
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
