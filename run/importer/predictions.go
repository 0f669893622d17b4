package importer

import (
	"context"
	"time"

	"airqa/eval/stream"
	"airqa/qa"
)

// predictions is the baseline of runs made of a file of predictions, and their format.
const predictions = "predictions"

// Prediction is an answer from elsewhere, at any time.
type Prediction struct {
	UUID   string
	Repeat int
	Answer qa.Answer
}

// Predictions makes a run directory of answers to questions: an episode without steps for each. A question without an
// answer has an episode without one, which scores 0. Config.Paths has the file that they are from.
func Predictions(ctx context.Context, c Config, examples []qa.Example, answers []Prediction, at time.Time) (Result, error) {
	return within(c, func(w *writer) error {
		r, err := w.runOf(origin{Agent: predictions, Program: c.Program, Format: predictions})
		if err != nil {
			return err
		}
		r.examples = examples
		given := make(map[string]bool, len(answers))
		for _, a := range answers {
			given[a.UUID] = true
		}
		texts := make(map[string]string, len(examples))
		for _, ex := range examples {
			r.questions[ex.UUID], texts[ex.UUID] = true, ex.Question
			if !given[ex.UUID] {
				answers = append(answers, Prediction{UUID: ex.UUID})
			}
		}
		for i := range answers {
			a := &answers[i]
			e := &episode{origin: r.origin, uuid: a.UUID, repeat: a.Repeat, question: texts[a.UUID], answer: &a.Answer, started: at, losses: make(Losses)}
			if !a.Answer.Given {
				e.reason = stream.NoPrediction
			}
			if err := w.add(e); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}
