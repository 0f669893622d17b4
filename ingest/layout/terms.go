package layout

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Term is a word that marks a part of a paper, such as "Figure", "Abbildung" and "图".
type Term string

// The terms. Their words are in terms.txt.
const (
	FigureTerm Term = "figure"
	TableTerm  Term = "table"
	// NumberedFigure and NumberedTable follow their number: "1. ábra".
	NumberedFigure Term = "numbered figure"
	NumberedTable  Term = "numbered table"
	AbstractTerm   Term = "abstract"
	KeywordsTerm   Term = "keywords"
	ReferencesTerm Term = "references"
	// ContentsTerm includes lists of figures and tables.
	ContentsTerm Term = "contents"
	// SectionsTerm are headings that seldom have a number.
	SectionsTerm Term = "sections"
	// ChapterTerm precedes the number of a heading.
	ChapterTerm Term = "chapter"
	// InstitutionTerm and GenreTerm are printed in large type on title pages: the beginnings of words in the names of
	// institutions, and kinds of documents.
	InstitutionTerm Term = "institution"
	GenreTerm       Term = "genre"
	// StateTerm has the words that say what became of a paper or what is to become of it, and StampTerm those that are
	// printed with them.
	StateTerm Term = "state"
	StampTerm Term = "stamp"
)

//go:embed terms.txt
var termLines string

// terms has the words of all languages.
var terms = func() map[Term][]string {
	out := map[Term][]string{}
	for line := range strings.Lines(termLines) {
		name, words, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || name[0] == '#' {
			continue
		}
		for word := range strings.SplitSeq(words, " | ") {
			if key := Term(name); !slices.Contains(out[key], word) {
				out[key] = append(out[key], word)
			}
		}
	}
	return out
}()

// IsState reports whether a text is nothing but a stamp that names the state of a paper, such as "DRAFT" or "Accepted
// Manuscript".
func IsState(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	isState := func(w string) bool { return slices.Contains(Words(StateTerm), w) }
	other := func(w string) bool { return !isState(w) && !slices.Contains(Words(StampTerm), w) }
	return slices.ContainsFunc(words, isState) && !slices.ContainsFunc(words, other)
}

// Words returns a term in all languages, in lower case.
func Words(t Term) []string { return terms[t] }

// Pattern returns the words of a term as alternatives of a case-insensitive pattern, the longest first, with and without
// accents.
func Pattern(t Term) string {
	var parts []string
	for _, word := range Words(t) {
		for _, form := range []string{word, WithoutAccents(word)} {
			if quoted := regexp.QuoteMeta(form); !slices.Contains(parts, quoted) {
				parts = append(parts, quoted)
			}
		}
	}
	slices.SortStableFunc(parts, func(a, b string) int { return len(b) - len(a) })
	return strings.Join(parts, "|")
}

// WithoutAccents removes accents and the difference between compatible forms of a character: "Résumé" becomes "Resume",
// "１" becomes "1".
func WithoutAccents(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return norm.NFC.String(strings.Map(func(r rune) rune {
				if unicode.Is(unicode.Mn, r) {
					return -1
				}
				return r
			}, norm.NFKD.String(s)))
		}
	}
	return s
}
