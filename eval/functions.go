package eval

import (
	"context"
	"slices"

	"airqa/internal/python"
)

// Function is an evaluation function.
type Function struct {
	Name string
	// Subjective is true for a function that asks a judge. A logical function is subjective if one of its parts is, see
	// [Subjective].
	Subjective bool
	Params     []Param
	// Closed is true for a function that fails on an unknown argument; others ignore it.
	Closed bool

	// score does what the authors' code does. fixed does what [Fixed] does instead; nil if that is the same. Only
	// [Prepared.Score] chooses between them. A non-nil t records the comparisons.
	score func(ctx context.Context, s *Scorer, t *Comparison, prediction python.Value, k kwargs) (outcome, error)
	fixed func(ctx context.Context, s *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error)
}

// comparison compares an answer with the golds in a function's arguments.
type comparison func(t *Comparison, prediction python.Value, k kwargs) (outcome, error)

// objective completes f, a function that asks no judge and applies no other function, with its comparison in each mode.
func objective(f Function, reference, fixed comparison) Function {
	f.score = func(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		return reference(t, prediction, k)
	}
	f.fixed = func(_ context.Context, _ *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
		return fixed(t, prediction, c.kwargs)
	}
	return f
}

// functions are the functions of the paper's Table 8, in its order. A new one needs a file and a line here.
var functions = []Function{
	stringExact,
	stringFuzzy,
	boolExact,
	intExact,
	floatExact,
	structuredExact,
	elementIncluded,
	elementListIncluded,
	elementListOverlap,
	paperRelevance,
	referenceAnswer,
	candidateAnswers,
	scoringPoints,
	partialScoringPoints,
	answerAndPoints,
	mathFormula,
	conjunction,
	disjunction,
	negation,
}

// Functions returns the evaluation functions in the order of the paper's Table 8.
func Functions() []Function { return slices.Clone(functions) }

func find(list []Function, name string) *Function {
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}

func (f *Function) param(name string) *Param {
	for i := range f.Params {
		if f.Params[i].Name == name {
			return &f.Params[i]
		}
	}
	return nil
}
