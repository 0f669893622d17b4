package eval

import (
	"context"
)

// Judge decides subjectively whether an answer is right. An error means that there is no verdict; the answer stays
// unscored.
type Judge interface {
	Judge(ctx context.Context, r JudgeRequest) (bool, error)
}

// JudgeKind is the kind of question for a judge.
type JudgeKind string

// The kinds, one for each subjective function of the paper.
const (
	// JudgeReference asks whether the answer means the same as Reference.
	JudgeReference JudgeKind = "reference"
	// JudgeCandidates asks whether it means the same as any of Candidates.
	JudgeCandidates JudgeKind = "candidates"
	// JudgePoints asks whether it mentions all of Points.
	JudgePoints JudgeKind = "points"
	// JudgePartialPoints asks whether it mentions at least Count of Points.
	JudgePartialPoints JudgeKind = "partial_points"
	// JudgeReferenceAndPoints asks for Reference and all of Points.
	JudgeReferenceAndPoints JudgeKind = "reference_and_points"
	// JudgeFormulas asks whether it gives Formulas or mathematically equivalent ones.
	JudgeFormulas JudgeKind = "formulas"
)

// JudgeRequest is one question for a [Judge]. Fields that its kind does not use are empty.
type JudgeRequest struct {
	Kind JudgeKind
	// Question is the evaluator's own question, often a part of the example's.
	Question   string
	Reference  string
	Candidates []string
	Points     []string
	// Count is at least 1 and less than the number of points.
	Count    int
	Formulas []string
	// Listed is true when the formulas were given as a list.
	Listed bool
	// IgnoreOrder allows points or formulas in any order.
	IgnoreOrder bool
	// Prediction is the answer to judge, in Python's str() form.
	Prediction string
	// Fixed accepts a verdict only at the end of a reply that was not cut off, and not in its thinking.
	Fixed bool
	// Guarded asks for a verdict format that the prediction cannot imitate.
	Guarded bool
}
