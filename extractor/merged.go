package extractor

import (
	"context"
	"slices"

	"airqa/extractor/candidate"
	"airqa/extractor/explore"
	"airqa/qa"
)

// single is an accepted single question.
type single struct {
	id    candidate.ID
	row   qa.Example
	synth candidate.Synth
}

// pairs returns the pairs of accepted single questions about different papers, in the order in which they are merged. Each
// round has every question at most once, so that all of them are used before one is used again.
func (p *Pipeline) pairs() [][2]single {
	var singles []single
	for id, row := range p.rows {
		if id.Category.Type() == candidate.Single {
			s, _ := candidate.SynthOf(row)
			singles = append(singles, single{id, row, s})
		}
	}
	slices.SortFunc(singles, func(a, b single) int { return candidate.Compare(a.id, b.id) })
	p.draw.Random("merge").Shuffle(len(singles), func(i, j int) { singles[i], singles[j] = singles[j], singles[i] })
	most := 0
	for _, q := range p.c.Quotas {
		if q.Category.Type() == candidate.Multiple {
			most = q.Most
		}
	}
	return rounds(singles, most)
}

// rounds pairs items as in a tournament: the first stays, the others rotate. It leaves out pairs of one paper.
func rounds(items []single, most int) (pairs [][2]single) {
	n := len(items) + len(items)%2
	if len(items) < 2 {
		return nil
	}
	at := func(round, i int) int {
		if i == 0 {
			return 0
		}
		return 1 + (i-1+round)%(n-1)
	}
	for round := range n - 1 {
		for i := range n / 2 {
			a, b := at(round, i), at(round, n-1-i)
			if a >= len(items) || b >= len(items) || items[a].row.AnchorPDF[0] == items[b].row.AnchorPDF[0] {
				continue
			}
			if pairs = append(pairs, [2]single{items[a], items[b]}); len(pairs) == most {
				return pairs
			}
		}
	}
	return pairs
}

// merge is the stage track of a merged question.
func (w *work) merge(ctx context.Context, a, b single) ([]candidate.Line, error) {
	return w.runStage(ctx, &w.tracked, stage{
		name: candidate.Track, recipe: candidate.Track,
		input: []any{a.row.Question, a.row.AnswerFormat, a.row.Evaluator, b.row.Question, b.row.AnswerFormat, b.row.Evaluator},
		run: func(*calls, *candidate.Line) (any, error) {
			return explore.Merge([2]explore.MergePart{
				{Title: w.draw.Title(a.row.AnchorPDF[0]), Example: a.row}, {Title: w.draw.Title(b.row.AnchorPDF[0]), Example: b.row},
			})
		},
	})
}
