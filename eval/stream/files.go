package stream

import (
	"context"
	"errors"
	"iter"

	"airqa/eval"
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
	// Read, if not nil, is called now and then with the number of bytes of the predictions read so far. Calls do not
	// overlap, but come from another goroutine.
	Read func(bytes int64)
}

// NoPrediction is the reason of a question that was not answered.
const NoPrediction = "no prediction"

// ErrNoPair says that no prediction belongs to any question: the files are of different benchmarks.
var ErrNoPair = errors.New("no prediction belongs to any question")

// Score yields the scores in the order of the questions, the repeats of one in their order. A question without a
// prediction is wrong with the reason [NoPrediction]. Golds are read first and kept; predictions stream in any order.
// A score that is ahead of its turn is kept, as are those of a question with repeats, whose last is only known at the
// end. An error ends the stream; [ErrNoPair] is one. report is filled meanwhile.
func (f Files) Score(ctx context.Context, c Config, report *Report) iter.Seq2[qa.Score, error] {
	c = c.withDefaults()
	return func(yield func(qa.Score, error) bool) {
		p, err := f.readGolds(c.Scorer, report)
		if err != nil {
			yield(qa.Score{}, err)
			return
		}
		answers := ordered(ctx, c.Workers, f.counted(dataset.LineBlocks("predictions", f.Predictions)),
			func(_ context.Context, b dataset.Block) predictionBlock { return decodePredictions(b) })
		items := func(yield func(Item, error) bool) { p.pair(answers, yield) }
		inOrder(len(p.questions), scoreAll(ctx, c, items), yield)
	}
}

// readGolds reads all questions. Of two with one uuid the first counts.
func (f Files) readGolds(s *eval.Scorer, report *Report) (*pairing, error) {
	p := &pairing{report: report, byUUID: make(map[string]*question)}
	for block, err := range dataset.Blocks(f.Golds) {
		if err != nil {
			return nil, err
		}
		for line, raw := range block.Records() {
			ex, texts, ok := dataset.Decode(raw)
			if _, twice := p.byUUID[ex.UUID]; ok && twice {
				texts, ok = append(texts, "the same uuid stood before; this one is left out"), false
			}
			if ok {
				q := &question{file: block.File, line: line, index: len(p.questions), gold: NewGold(s, ex.UUID, ex.Evaluator)}
				p.questions, p.byUUID[ex.UUID] = append(p.questions, q), q
			}
			if ok && f.Check {
				texts = append(texts, eval.Check(ex.Evaluator)...)
			}
			for _, text := range texts {
				report.Golds.add(&dataset.Fault{File: block.File, Line: line, UUID: ex.UUID, Text: text, Loaded: ok})
			}
		}
	}
	report.Questions = len(p.questions)
	return p, nil
}

// counted passes blocks on and reports how far they have come.
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
