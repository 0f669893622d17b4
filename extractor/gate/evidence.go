package gate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"airqa/eval"
	"airqa/eval/author"
	"airqa/extractor/candidate"
	"airqa/internal/lazyregexp"
	"airqa/internal/words"
)

// located checks that the quoted evidence is in the elements that the question is about: a quote in each of them.
func located(ctx context.Context, t Tools, s Subject) (Verdict, error) {
	paper := s.Material.Paper
	if len(s.Material.Parts) == 0 { // the paper itself is the answer
		return Verdict{Evidence: []candidate.Evidence{{Paper: paper.ID, Element: paper.ID, Kind: candidate.Metadata}}}, nil
	}
	var v Verdict
	for _, part := range s.Material.Parts {
		e, ok := quoteIn(part, s.Draft.Evidence)
		if !ok {
			return rejected(candidate.NoEvidence, "none of the quotes %.120q says something and is in %s %s",
				s.Draft.Evidence, part.Kind, part.ID), nil
		}
		e.Paper = paper.ID
		if part.Kind == candidate.Text {
			var err error
			if e.Page, err = t.pageOf(ctx, paper.ID, e.Quote, part.Page); err != nil {
				return Verdict{}, err
			}
		}
		v.Evidence = append(v.Evidence, e)
	}
	if detail := unsupported(s, v.Evidence); detail != "" {
		return rejected(candidate.NoEvidence, "%s", detail), nil
	}
	v.Detail = fmt.Sprintf("%d of %d elements", len(v.Evidence), len(s.Material.Parts))
	return v, nil
}

var (
	// computed are questions whose answer need not be written anywhere: it is counted or compared.
	computed = lazyregexp.New(`(?i)\b(?:total|sum|difference|differ|average|mean|ratio|altogether|combined|times|more|less|fewer|` +
		`higher|lower|larger|` +
		`smaller|greater|better|worse|best|worst|longer|shorter|faster|slower|increase|decrease|improve\p{L}*|` +
		`gains?|drops?|reduc\p{L}+|exceeds?|` +
		`outperforms?|percentage points|relative|rank\p{L}*|highest|lowest|largest|smallest|first|last|earliest|latest)\b`)
	counted = lazyregexp.New(`(?i)\b(?:how many|number of|count)\b`)
	unit    = lazyregexp.New(`(?i)\bhow many ([\p{L}-]+)`)
)

// unsupported returns why the quotes do not support a short answer that a text states: "" if they do, and for answers
// that are computed, shown in a figure or judged.
func unsupported(s Subject, evidence []candidate.Evidence) string {
	question := s.Example.Question
	// The answer is seen in a figure or a formula: no quote needs to state it.
	drawn := func(e candidate.Evidence) bool { return e.Kind == candidate.Image || e.Kind == candidate.Formula }
	if computed.MatchString(question) || eval.Subjective(s.Example.Evaluator) || slices.ContainsFunc(evidence, drawn) {
		return ""
	}
	var quotes []string
	for _, e := range evidence {
		quotes = append(quotes, e.Quote)
	}
	for _, quote := range s.Draft.Evidence { // all that are in the material
		for _, part := range s.Material.Parts {
			if _, ok := quoteIn(part, []string{quote}); ok {
				quotes = append(quotes, quote)
			}
		}
	}
	all := strings.Join(quotes, " | ")
	for _, part := range answerParts(s.Answer) {
		if !supported(part, question, all) {
			return fmt.Sprintf("the answer %q is not in the quotes %.120q", cut(part), quotes)
		}
	}
	return ""
}

// supported reports whether quotes state a part of an answer, or need not: a small whole number that the reader
// counts, and no quote states, or an alternative that the question offers.
func supported(part, question, quotes string) bool {
	number, isNumber := numberOf(part)
	const mostCounted = 20 // the largest number that a question may expect a reader to count
	if isNumber {
		few := number == float64(int(number)) && number <= mostCounted
		return few && counted.MatchString(question) && !states(quotes, question) || hasNumber(quotes, part, number)
	}
	// A short answer must have most of its words in the quotes. Longer answers are sentences.
	const longest, most = 8, 0.6
	name := content(part)
	return holds(question, part) || len(name) == 0 || len(name) > longest || coverage(name, quotes) >= most
}

// states reports whether quotes have a number before the word that a question counts.
func states(quotes, question string) bool {
	m := unit.FindStringSubmatch(question)
	if m == nil {
		return false
	}
	text := strings.Fields(words.Fold(quotes))
	for i := 0; i+1 < len(text); i++ {
		if isNumber(text[i]) && stem(text[i+1]) == stem(strings.ToLower(m[1])) {
			return true
		}
	}
	return false
}

// hasNumber reports whether a text has a number, also rounded as the answer is, or as a percentage.
func hasNumber(text, answer string, number float64) bool {
	unit := math.Pow10(-author.Decimals(number))
	for w := range strings.FieldsSeq(words.Fold(text)) {
		n, ok := numberIn(w)
		for _, scale := range []float64{1, 100, 0.01, 1000, 1e6, 1e-3, 1e-6} {
			if ok && math.Abs(n*scale-math.Abs(number)) <= unit/2+1e-9 {
				return true
			}
		}
	}
	return holds(text, answer)
}

// quoteIn finds the first of the quotes in a part: in its text, its caption, or the text around it.
func quoteIn(part candidate.Part, quotes []string) (candidate.Evidence, bool) {
	e := candidate.Evidence{Element: part.ID, Kind: part.Kind, Page: part.Page, Box: part.Box}
	const minQuoted = 2 // the number of words other than filler that a quote must have
	quotes = slices.DeleteFunc(slices.Clone(quotes), func(q string) bool { return len(content(q)) < minQuoted })
	for i, text := range []string{part.Text, part.Title, part.Around} {
		finder := words.NewFinder(text)
		for _, quote := range quotes {
			first, end, ok := finder.Find(quote)
			if !ok {
				continue
			}
			if e.Quote = text[first:end]; i == 0 {
				e.Span = []int{first, end}
			}
			return e, true
		}
	}
	return e, false
}

// pageOf returns the page that has a quote, or the given one if none has all of it.
func (t Tools) pageOf(ctx context.Context, paper, quote string, known int) (int, error) {
	pages, err := t.PageTexts(ctx, paper)
	for i, text := range pages {
		if holds(text, quote) {
			return i + 1, err
		}
	}
	return known, err
}
