package ask

import (
	"context"
	"slices"
	"strings"

	"airqa/env/paperdb"
	"airqa/internal/words"
	"airqa/qa"
)

// Kind is what a source is.
type Kind string

// The kinds of sources.
const (
	Passage Kind = "passage"
	Table   Kind = "table"
	Figure  Kind = "figure"
	// Page is an area of a page that the model looked at.
	Page Kind = "page"
	// Result is a row of a query that is no text of a page, such as a count.
	QueryRow Kind = "result"
)

// Match is what a source and an answer have in common.
type Match string

// The matches, best first.
const (
	// Exact means that the source has the answer in the same words.
	Exact Match = "exact"
	// Similar means that the source has the numbers, or most of the words, of the answer.
	Similar Match = "similar"
	// Topic means that the source has most words of the question. It is used for answers without words to look for.
	Topic Match = "topic"
	// Seen means that the model looked at an image, which cannot be compared with the answer.
	Seen Match = "seen"
)

// Source is a place that supports an answer.
type Source struct {
	Kind  Kind  `json:"kind"`
	Match Match `json:"match"`
	// PaperID and Title are empty if the row of a result names no paper.
	PaperID string `json:"paper_id,omitempty"`
	Title   string `json:"title,omitempty"`
	// Page counts from 1; 0 if unknown.
	Page int `json:"page,omitempty"`
	// Label is the number printed on the page, if it is another one.
	Label   string `json:"page_label,omitempty"`
	Section string `json:"section,omitempty"`
	// Caption is that of the table or figure.
	Caption string `json:"caption,omitempty"`
	// Quote is the part of the text around the answer; Before and After mean that it was cut there.
	Quote  string `json:"quote,omitempty"`
	Before bool   `json:"cut_before,omitempty"`
	After  bool   `json:"cut_after,omitempty"`
	// Box is [x0, y0, width, height] in points from the top left of the page; nil if unknown.
	Box []float64 `json:"box,omitempty"`
	// Step is the step whose observation has the source.
	Step int `json:"step"`
	// Withdrawn is the mark of a paper that was retracted, such as "RETRACTED ARTICLE".
	Withdrawn string `json:"withdrawn,omitempty"`
	// SQL is the statement of a Result.
	SQL string `json:"sql,omitempty"`

	score float64
	// value is the part of the answer that was found; papers are those that the statement read.
	value  value
	papers []string
}

// Papers looks up parts of papers. It is implemented by [airqa/env.Env].
type Papers interface {
	// Parts returns a paper, or paperdb.ErrNoPaper.
	Parts(ctx context.Context, paperID string) (paperdb.Paper, error)
	// Locate returns the box of a text on a page; nil if it is not there. An error means that the page cannot be read.
	Locate(ctx context.Context, paperID string, page int, text string) ([]float64, error)
}

// Most is the maximum number of sources of an answer.
const Most = 5

// Question is what was asked.
type Question struct {
	// Text is the question without the answer format.
	Text string
	// Papers are the papers that it is about. They are searched for texts of observations that name no paper.
	Papers []string
}

// FindSources returns the sources of an answer, best first; none if no observation supports it.
func FindSources(ctx context.Context, question Question, t qa.Trajectory, papers Papers) ([]Source, error) {
	if !t.Answer.Given {
		return nil, nil
	}
	c := claimsOf(question.Text, t.Answer)
	var found, viewed []Source
	for _, s := range t.Steps {
		if s.Observation == nil || s.Observation.Status != qa.StatusOK {
			continue
		}
		viewed = append(viewed, pagesOf(s)...)
		for _, r := range rowsOf(s) {
			if src := c.find(r); src.Match != "" {
				found = append(found, src)
			}
		}
	}
	if len(found) == 0 && len(viewed) > 0 {
		found = viewed[max(0, len(viewed)-2):]
	}
	slices.SortStableFunc(found, compare)
	const worthQuoting = 0.6 // the share of the best score from which a source of the same match is kept
	lookup := newLookup(papers, found, question.Papers)
	return lookup.placed(ctx, slices.DeleteFunc(found, func(s Source) bool {
		return s.Match != found[0].Match || s.score < worthQuoting*found[0].score
	}))
}

// pagesOf returns the pages that a step showed as images.
func pagesOf(s qa.Step) (list []Source) {
	for _, im := range s.Observation.Images {
		if im.PaperID == "" || im.Page < 1 {
			continue
		}
		if len(im.Box) != 4 {
			im.Box = nil
		}
		list = append(list, Source{Kind: Page, Match: Seen, PaperID: strings.ToLower(im.PaperID), Page: im.Page, Box: im.Box, Step: s.N})
	}
	return list
}

// placed looks up the places of the best sources and drops those that repeat a better one.
func (l *lookup) placed(ctx context.Context, found []Source) ([]Source, error) {
	var list []Source
	for _, s := range found {
		if len(list) == Most {
			break
		}
		if slices.ContainsFunc(list, s.repeats) {
			continue
		}
		if err := l.place(ctx, &s); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(list, s.repeats) {
			list = append(list, s)
		}
	}
	return list, nil
}

// repeats reports whether another source shows the same.
func (s Source) repeats(o Source) bool {
	if s.PaperID != o.PaperID && s.PaperID != "" && o.PaperID != "" || s.Page != o.Page && s.Page > 0 && o.Page > 0 {
		return false
	}
	if s.Kind == QueryRow || o.Kind == QueryRow {
		return s.Kind == o.Kind && s.Quote == o.Quote
	}
	a, b := words.Fold(s.Quote), words.Fold(o.Quote)
	same := strings.Contains(a, b) || strings.Contains(b, a)
	return same || min(words.Share(a, b, nil), words.Share(b, a, nil)) > 0.8
}
