package stream

import (
	"cmp"
	"slices"

	"airqa/qa/dataset"
)

// Report counts what was read and what did not match. It is complete when the stream that fills it has ended.
type Report struct {
	// Questions is the number of scorable questions, Predictions of readable predictions.
	Questions, Predictions int
	// Paired is the number of predictions that match a question.
	Paired int
	// Golds are faults in the questions file. Those with Loaded set are in evaluators that are scored anyway.
	Golds Problems
	// Unreadable are lines that are not predictions; Twice are duplicate answers to a question; Unknown match no
	// question. All of them are skipped.
	Unreadable, Twice, Unknown Problems
	// Missing are questions without a prediction; they score 0.
	Missing Problems
}

// shown is the number of problems kept per kind.
const shown = 5

// Problems are the problems of one kind: their number and the first few.
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
