package gate

import (
	"context"
	"fmt"

	"airqa/extractor/candidate"
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
			return rejected(candidate.NoEvidence, "none of the quotes %.120q is in %s %s", s.Draft.Evidence, part.Kind, part.ID), nil
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
	v.Detail = fmt.Sprintf("%d of %d elements", len(v.Evidence), len(s.Material.Parts))
	return v, nil
}

// quoteIn finds the first of the quotes in a part: in its text, its caption, or the text around it.
func quoteIn(part candidate.Part, quotes []string) (candidate.Evidence, bool) {
	e := candidate.Evidence{Element: part.ID, Kind: part.Kind, Page: part.Page, Box: part.Box}
	text := wordsOf(part.Text)
	for _, quote := range quotes {
		if span, ok := find(text, quote); ok {
			e.Span, e.Quote = span, part.Text[span[0]:span[1]]
			return e, true
		}
	}
	for _, other := range []string{part.Title, part.Around} {
		words := wordsOf(other)
		for _, quote := range quotes {
			if span, ok := find(words, quote); ok {
				e.Quote = other[span[0]:span[1]]
				return e, true
			}
		}
	}
	return e, false
}

// pageOf returns the page that has a quote, or the given one if none has all of it.
func (t Tools) pageOf(ctx context.Context, paper, quote string, known int) (int, error) {
	pages, err := t.Papers.PageTexts(ctx, paper)
	for i, text := range pages {
		if holds(text, quote) {
			return i + 1, err
		}
	}
	return known, err
}
