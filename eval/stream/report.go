package stream

import (
	"cmp"
	"slices"

	"airqa/qa/dataset"
)

// Report counts what was read and what did not fit. It is complete when the stream that fills it has ended.
type Report struct {
	// Questions can be scored; Predictions can be read.
	Questions, Predictions int
	// Paired is the number of predictions that belong to a question.
	Paired int
	// Golds are faults of the questions file. Those with Loaded set are in evaluators that score all the same.
	Golds Problems
	// Unreadable are lines that are no predictions; Twice are further answers to an answered question; Unknown
	// belong to no question. All of them are left out.
	Unreadable, Twice, Unknown Problems
	// Missing are questions without a prediction; they score 0.
	Missing Problems
}

// shown is how many problems of a kind are kept.
const shown = 5

// Problems are the problems of one kind: how many, and the first few by their places.
type Problems struct {
	Count int
	First []*dataset.Fault
}

func (p *Problems) add(f *dataset.Fault) {
	p.Count++
	at, _ := slices.BinarySearchFunc(p.First, f, func(have, f *dataset.Fault) int {
		return cmp.Or(cmp.Compare(have.File, f.File), cmp.Compare(have.Line, f.Line), -1)
	})
	if at < shown {
		p.First = slices.Insert(p.First, at, f)
		p.First = p.First[:min(len(p.First), shown)]
	}
}
