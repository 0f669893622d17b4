package baselines

import (
	"context"

	"airqa/prompts"
	"airqa/qa"
)

// questionOnly shows the question and the answer format, nothing else (paper, Section 4.1, "Question Only").
func questionOnly() Baseline {
	return Baseline{
		Name:    "question-only",
		Summary: "the question and the answer format alone",
		Prompts: []string{"plain", "task"},
		solve:   alone,
	}
}

func alone(ctx context.Context, j job) error {
	bare := qa.Example{Question: j.example.Question, AnswerFormat: j.example.AnswerFormat}
	return j.finish(ctx, prompts.Data{"given": ", from what you know.", "task": task(bare, nil), "context": ""})
}
