package ingest

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"airqa/env/ingest/layout"
)

// maxLoss is the share of a page's words that may be missing before it is a problem: words in two halves, broken formulas.
const maxLoss = 0.05

// lostWords compares the text of each page with what PDFium itself reads there, and reports the pages that lack words. It
// finds what is lost on the way from glyphs to text; what PDFium cannot read is not found by it.
func lostWords(doc *layout.Document, texts []string) []string {
	var problems []string
	for i, page := range doc.Pages {
		missing, all := missingWords(texts[i], doc.Lines(page.Lines)+"\n"+page.Dropped)
		if n := len(missing); n > 2 && float64(n) > maxLoss*float64(all) {
			problems = append(problems, fmt.Sprintf("page %d lacks %d of %d words that PDFium reads, such as %q", page.Number, n, all, missing[0]))
		}
	}
	return problems
}

// missingWords are the words of want that got has fewer times, and the number of all words. Two readers part words in
// different places: a word that got never has by itself, but as part of others, is not missing.
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

// plainWords are the runs of letters and digits of a text in lower case, without accents, which TeX may set as signs of their
// own over a dotless i.
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
