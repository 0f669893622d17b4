package ingest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"airqa/ingest/layout"
)

// Fidelity compares the text of pages with the text extracted by PDFium, which comes in the order of painting: mostly
// that of reading. It detects losses and disorder between glyphs and text, but no text that PDFium cannot extract.
type Fidelity struct {
	// Lost of Words words are missing, due to split words and broken formulas.
	Words, Lost int
	// Kept of Sequences are in PDFium's order: sequences of about five words.
	Sequences, Kept int
}

// Plus adds up two comparisons.
func (f Fidelity) Plus(o Fidelity) Fidelity {
	return Fidelity{f.Words + o.Words, f.Lost + o.Lost, f.Sequences + o.Sequences, f.Kept + o.Kept}
}

// LostShare returns the fraction of words that are missing, 0 to 1.
func (f Fidelity) LostShare() float64 { return float64(f.Lost) / float64(max(1, f.Words)) }

// Order returns the fraction of sequences in PDFium's order, 0 to 1; 1 for a text without any.
func (f Fidelity) Order() float64 {
	if f.Sequences == 0 {
		return 1
	}
	return float64(f.Kept) / float64(f.Sequences)
}

// doubt returns the reason not to trust the text, or "".
func (f Fidelity) doubt() string {
	const (
		maxLoss   = 0.15
		leastKept = 0.8
		fewest    = 300 // sequences: two paragraphs
	)
	switch {
	case f.LostShare() > maxLoss:
		return fmt.Sprintf("%.0f%% of the words are missing", 100*f.LostShare())
	case f.Sequences > fewest && f.Order() < leastKept:
		return fmt.Sprintf("the text may be in the wrong order: only %.0f%% of the words follow each other as in the PDF", 100*f.Order())
	}
	return ""
}

// fidelity compares the pages of a paper with PDFium's texts, and reports pages with missing words or words in another
// order.
func fidelity(doc *layout.Document, texts []string) (total Fidelity, problems []string) {
	const (
		maxLoss   = 0.05
		leastKept = 0.5
		fewest    = 100 // sequences: the cells of a table may be read by row or by column
	)
	for i, page := range doc.Pages {
		dropped := plainWords(page.Dropped)
		want, got := withoutNumbers(plainWords(texts[i]), dropped), slices.Concat(plainWords(doc.Lines(page.Lines)), dropped)
		missing := missingWords(want, got)
		f := Fidelity{Words: len(want), Lost: len(missing)}
		f.Kept, f.Sequences = keptOrder(want, got)
		total = total.Plus(f)
		if f.Lost > 2 && f.LostShare() > maxLoss {
			problems = append(problems, fmt.Sprintf("page %d lacks %d of %d words of the PDF, such as %q", page.Number, f.Lost, f.Words, missing[0]))
		}
		if f.Sequences > fewest && f.Order() < leastKept {
			problems = append(problems, fmt.Sprintf("page %d may be in the wrong order: %.0f%% of its words follow each other as in the PDF", page.Number, 100*f.Order()))
		}
	}
	return total, problems
}

// withoutNumbers removes line numbers from words, if dropped has any. PDFium appends them to the first half of a word
// that was split.
func withoutNumbers(words, dropped []string) []string {
	const digits, fewest = "0123456789", 8
	numbers := map[string]bool{}
	for _, w := range dropped {
		if strings.Trim(w, digits) == "" {
			numbers[w] = true
		}
	}
	if len(numbers) < fewest {
		return words
	}
	var out []string
	for _, w := range words {
		head := strings.TrimRight(w, digits)
		if !numbers[w[len(head):]] {
			head = w
		}
		if head != "" {
			out = append(out, head)
		}
	}
	return out
}

// missingWords returns the words of want that are less frequent in got. The two extractors may split words differently,
// so a word that occurs in got only as part of others is not missing.
func missingWords(want, got []string) (missing []string) {
	own, left := map[string]bool{}, map[string]int{}
	for _, w := range got {
		own[w] = true
		left[w]++
	}
	joined := strings.Join(got, "")
	for _, w := range want {
		if left[w]--; left[w] < 0 && (own[w] || !strings.Contains(joined, w)) {
			missing = append(missing, w)
		}
	}
	return missing
}

// keptOrder returns how many of the sequences of letters that begin at the words of want occur in got, and their
// number. Spaces do not count, since the two extractors may split words differently, nor do sequences with a number,
// which are mostly those of tables and line numbers.
func keptOrder(want, got []string) (kept, all int) {
	const length = 22 // letters: about five words
	begins := map[int]bool{}
	at := 0
	for _, w := range want {
		begins[at] = true
		at += utf8.RuneCountInString(w)
	}
	wanted := map[uint64]int{}
	sequences(want, length, func(at int, hash uint64) {
		if begins[at] {
			wanted[hash]++
			all++
		}
	})
	sequences(got, length, func(_ int, hash uint64) {
		kept += wanted[hash]
		delete(wanted, hash)
	})
	return kept, all
}

// sequences calls visit with the position and a hash of every sequence of letters of a length that has no digits.
func sequences(words []string, length int, visit func(at int, hash uint64)) {
	const base = 1_000_003
	letters := []rune(strings.Join(words, ""))
	oldest, hash, free := uint64(1), uint64(0), 0 // free is the position after the last digit
	for range length {
		oldest *= base
	}
	for i, r := range letters {
		hash = hash*base + uint64(r)
		if i >= length {
			hash -= oldest * uint64(letters[i-length])
		}
		if unicode.IsDigit(r) {
			free = i + 1
		}
		if i-length+1 >= free {
			visit(i-length+1, hash)
		}
	}
}

// plainWords returns the runs of letters and digits of a text in lower case, without accents and the stroke of ł, which TeX
// may print as separate glyphs over a dotless i or an l.
func plainWords(s string) []string {
	drop := func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Lm, unicode.Sk):
			return -1
		case r == 'ı':
			return 'i'
		case r == 'ł' || r == 'Ł':
			return 'l'
		}
		return unicode.ToLower(r)
	}
	s = strings.Map(drop, norm.NFKD.String(strings.Map(drop, s)))
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
