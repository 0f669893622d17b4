package batch

import (
	"context"
	"iter"

	"airqa/qa"
	"airqa/qa/dataset"
)

// Files are questions with their golds and predictions for them.
type Files struct {
	// Golds is what [dataset.AirQA] reads: a JSON Lines file or a folder.
	Golds string
	// Predictions is a JSON Lines file of objects with the keys uuid and answer (any JSON), and optionally repeat, a
	// whole number from 0: only with it may a question have several answers. Other keys are ignored, so that the
	// file result.jsonl of the authors' code can be given as it is.
	Predictions string
	// Check puts the faults of evaluators ([eval.Check]) into the report.
	Check bool
	// Read, if not nil, is told now and then how many bytes of the predictions were read. Calls do not overlap, but
	// come from another goroutine.
	Read func(bytes int64)
}

// Score pairs predictions with questions by uuid and yields the scores in the order of the questions, the repeats of one
// in their order. A question without a prediction is wrong with the reason [NoPrediction]. Files whose lines are in the
// same order stream: what is kept is 9 to 20 bytes for each question, to find it twice. Two things are kept longer: what
// has no partner yet, and, in 40 bytes and the uuid each, scores behind one that has not come, because a missing answer
// and the last repeat are sure only at the end. An error ends the stream; [ErrNoPair] is one. report is filled meanwhile.
func (f Files) Score(ctx context.Context, c Config, report *Report) iter.Seq2[qa.Score, error] {
	c = c.withDefaults()
	return inOrder(scoreAll(ctx, c, f.items(ctx, c, report)))
}

// items yields answers with their golds, as soon as both are read.
func (f Files) items(ctx context.Context, c Config, report *Report) iter.Seq2[Item, error] {
	golds := goldDecoder{scorer: c.Scorer, check: f.Check}
	questions := ordered(ctx, c.Workers, dataset.Blocks(f.Golds),
		func(_ context.Context, b dataset.Block) goldBlock { return golds.block(b) })
	answers := ordered(ctx, c.Workers, f.counted(dataset.LineBlocks("predictions", f.Predictions)),
		func(_ context.Context, b dataset.Block) predictionBlock { return decodePredictions(b) })
	return func(yield func(Item, error) bool) {
		if err := pairUp(questions, answers, report, yield); err != nil {
			yield(Item{}, err)
		}
	}
}

// counted passes blocks on and tells how far they have come.
func (f Files) counted(blocks iter.Seq2[dataset.Block, error]) iter.Seq2[dataset.Block, error] {
	if f.Read == nil {
		return blocks
	}
	return func(yield func(dataset.Block, error) bool) {
		var sum int64
		for b, err := range blocks {
			sum += int64(len(b.Data))
			f.Read(sum)
			if !yield(b, err) {
				return
			}
		}
	}
}
