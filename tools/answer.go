package tools

import (
	"context"
	_ "embed"

	"airqa/agent/action"
	"airqa/internal/python"
	"airqa/qa"
)

//go:embed answer.txt
var answerText string

//go:embed answer_plain.txt
var answerPlain string

// Answer ends the episode: Answer(answer).
type Answer struct{}

// Spec describes Answer.
func (Answer) Spec() action.Spec {
	return action.Spec{Name: "Answer", Text: answerText, Plain: answerPlain, Params: []action.Param{
		{Name: "answer", Kind: action.Any, Required: true},
	}}
}

// Call returns a final observation with the answer as Python would print it.
func (Answer) Call(_ context.Context, a qa.Action) (qa.Observation, error) {
	v, ok := action.Value(a, "answer")
	if !ok {
		return refuse("the answer could not be read back."), nil
	}
	answer := qa.Answer{Given: true, Text: python.Str(v), Literal: python.Repr(v)}
	if kept, ok := action.LaTeXValue(a, "answer"); ok {
		answer.LaTeX = python.Str(kept)
	}
	return qa.Observation{Status: qa.StatusFinal, Answer: &answer}, nil
}
