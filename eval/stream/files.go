package stream

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"airqa/eval"
	"airqa/eval/author"
	"airqa/internal/concurrent"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Files are a file of questions with golds and a file of predictions.
type Files struct {
	// Golds is a file of questions in any form, or a folder; see [author.Convert].
	Golds string
	// Find returns the paper that a gold names; nil finds UUIDs only.
	Find author.Finder
	// Predictions is a table, or a JSON Lines file of objects with the keys uuid and answer (any JSON), and optionally repeat, an
	// integer from 0: only with it may a question have several answers. Other keys are ignored, so result.jsonl of the
	// authors' code works unchanged.
	Predictions string
	// AnsweredOnly leaves out questions without a prediction.
	AnsweredOnly bool
	// Read, if not nil, is called from time to time with the number of bytes of predictions read so far. Calls do not
	// overlap, but come from another goroutine.
	Read func(bytes int64)
}

// NoPrediction is the reason for a question without an answer.
const NoPrediction = "no prediction"

// ErrNoPair means that no prediction matches any question: the files are of different benchmarks.
var ErrNoPair = errors.New("no prediction belongs to any question")

// Score yields the scores in the order of the questions, and of the repeats within one. A question without a prediction
// is wrong with the reason [NoPrediction]. Golds are read first and kept; predictions stream in any order. A score that
// is ahead of its turn is held back, and those of a question with repeats until the end, when the last one is known. An
// error, such as [ErrNoPair], ends the stream. report is filled along the way.
func (f Files) Score(ctx context.Context, c Config, report *Report) iter.Seq2[qa.Score, error] {
	c = c.withDefaults()
	return func(yield func(qa.Score, error) bool) {
		p, err := f.readGolds(c.Scorer, report)
		if err != nil {
			yield(qa.Score{}, err)
			return
		}
		answers := concurrent.MapWithin(ctx, c.Workers, f.counted(blocks(f.Predictions)),
			func(_ context.Context, b dataset.Block) predictionBlock { return decodePredictions(b) })
		items := func(yield func(Item, error) bool) { p.pair(answers, f.AnsweredOnly, yield) }
		inOrder(len(p.questions), scoreAll(ctx, c, items), yield)
	}
}

// readGolds reads all questions. The first of two with the same uuid wins.
func (f Files) readGolds(s *eval.Scorer, report *Report) (*pairing, error) {
	p := &pairing{report: report, byUUID: make(map[string]*question)}
	for g, err := range author.Convert(f.Golds, author.Options{Find: f.Find}, &report.Read) {
		if err != nil {
			return nil, err
		}
		q := &question{file: g.Place.File, line: g.Place.Line, index: len(p.questions), gold: NewGold(s, g.UUID, g.Evaluator)}
		p.questions, p.byUUID[g.UUID] = append(p.questions, q), q
	}
	for _, fault := range report.Read.Faults(author.Faulty) {
		report.Golds.add(fault)
	}
	report.Questions = len(p.questions)
	return p, nil
}

// counted passes blocks through and reports progress.
func (f Files) counted(blocks iter.Seq2[dataset.Block, error]) iter.Seq2[dataset.Block, error] {
	return func(yield func(dataset.Block, error) bool) {
		var sum int64
		for b, err := range blocks {
			sum += int64(len(b.Data))
			if f.Read != nil {
				f.Read(sum)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// Report counts what was read and what did not match. It is complete when the stream that fills it has ended.
type Report struct {
	// Questions is the number of scorable questions, Paired of predictions that match one.
	Questions, Paired int
	// Read is how the questions file was read.
	Read author.Conversion
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
