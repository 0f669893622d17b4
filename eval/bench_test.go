package eval_test

import (
	"context"
	"path/filepath"
	"testing"

	"airqa/eval"
	"airqa/qa"
)

// benchCase is an answer ready to be scored.
type benchCase struct {
	evaluator qa.Evaluator
	answer    eval.Prediction
	prepared  eval.Prepared
}

func objective(b *testing.B, golds func(i int, p predRow) qa.Evaluator, answers []predRow) []benchCase {
	b.Helper()
	var cases []benchCase
	for i, p := range answers {
		e := golds(i, p)
		answer, err := eval.JSON(p.Answer)
		if err != nil {
			b.Fatal(err)
		}
		if !eval.Subjective(e) {
			cases = append(cases, benchCase{evaluator: e, answer: answer})
		}
	}
	return cases
}

// run scores the cases repeatedly on all processors; one operation is one score.
func run(b *testing.B, cases []benchCase, score func(c *benchCase) qa.Score) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			c := &cases[i%len(cases)]
			if r := score(c); r.Verdict == qa.Unscored {
				b.Error(r.Reason)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "scores/s")
}

// both runs the cases with the evaluator parsed each time and parsed once.
func both(b *testing.B, cases []benchCase) { bothIn(b, cases, eval.Reference) }

func bothIn(b *testing.B, cases []benchCase, m eval.Mode) {
	s := eval.New(eval.Config{Mode: m})
	b.Run("read", func(b *testing.B) {
		run(b, cases, func(c *benchCase) qa.Score { return s.Score(context.Background(), c.evaluator, c.answer) })
	})
	for i := range cases {
		cases[i].prepared = s.Prepare(cases[i].evaluator)
	}
	b.Run("prepared", func(b *testing.B) {
		run(b, cases, func(c *benchCase) qa.Score { return c.prepared.Score(context.Background(), c.answer) })
	})
}

func BenchmarkScoreSynthetic(b *testing.B) {
	golds := rows[goldRow](b, "testdata/synthetic.gold.jsonl")
	answers := rows[predRow](b, "testdata/synthetic.pred.jsonl")
	both(b, objective(b, func(i int, _ predRow) qa.Evaluator { return golds[i].Evaluator }, answers))
}

func BenchmarkScoreReal(b *testing.B) {
	examples := realExamples(b)
	answers := rows[predRow](b, filepath.Join(shared, "scoring", "real.pred.jsonl"))
	both(b, objective(b, func(_ int, p predRow) qa.Evaluator { return examples[p.UUID] }, answers))
}

// BenchmarkFixed measures fixed mode on the real examples.
func BenchmarkFixed(b *testing.B) {
	examples := realExamples(b)
	answers := rows[predRow](b, filepath.Join(shared, "scoring", "real.pred.jsonl"))
	bothIn(b, objective(b, func(_ int, p predRow) qa.Evaluator { return examples[p.UUID] }, answers), eval.Fixed)
}
