package eval

import (
	"context"
	"math"
	"strings"

	"airqa/internal/python"
)

// The parameters of subjective functions. The last two are known but unused: the judge is chosen per run, not per
// example.
var (
	questionParam    = required("question", KindText)
	referenceParam   = required("reference_answer", KindText)
	pointsParam      = required("scoring_points", KindList)
	anyOrderParam    = optional("ignore_order", KindBool, true)
	modelParam       = optional("llm_model", KindText, "gpt-4o-mini")
	temperatureParam = optional("temperature", KindNumber, 0.0)
)

// judged makes a subjective function from its request to the judge.
func judged(name string, params []Param, request func(kwargs) (JudgeRequest, error)) Function {
	score := func(ctx context.Context, s *Scorer, t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		r, err := request(k)
		if err != nil {
			return outcome{}, err
		}
		r.Question = k.str("question")
		r.Prediction = python.Str(prediction)
		r.Fixed = s.mode == Fixed
		r.Guarded = r.Fixed && holdsVerdict(r.Prediction)
		if t != nil {
			t.Gold = k.judgedGold()
		}
		if s.judge == nil {
			return outcome{}, errNoJudge
		}
		right, err := s.judge.Judge(ctx, r)
		if t != nil {
			t.Rule = "the judge rejects it"
			if right {
				t.Rule = "the judge accepts it"
			}
		}
		return passed(right && err == nil), err
	}
	return Function{
		Name:       name,
		Subjective: true,
		Params:     append(params, questionParam, modelParam, temperatureParam),
		score:      score,
		fixed: func(ctx context.Context, s *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
			return score(ctx, s, t, prediction, c.kwargs)
		},
	}
}

var referenceAnswer = judged("eval_reference_answer_with_llm", []Param{referenceParam},
	func(k kwargs) (JudgeRequest, error) {
		return JudgeRequest{Kind: JudgeReference, Reference: k.str("reference_answer")}, nil
	})

var candidateAnswers = judged("eval_candidate_reference_answer_with_llm", []Param{required("candidate_reference_answers", KindList)},
	func(k kwargs) (JudgeRequest, error) {
		candidates, err := k.strs("candidate_reference_answers")
		return JudgeRequest{Kind: JudgeCandidates, Candidates: candidates}, err
	})

var scoringPoints = judged("eval_scoring_points_with_llm", []Param{pointsParam, anyOrderParam},
	func(k kwargs) (JudgeRequest, error) {
		points, err := k.strs("scoring_points")
		return JudgeRequest{Kind: JudgePoints, Points: points, IgnoreOrder: k.anyOrder()}, err
	})

var partialScoringPoints = judged("eval_partial_scoring_points_with_llm", []Param{pointsParam, optional("count", KindInt, int64(1))},
	func(k kwargs) (JudgeRequest, error) {
		points, err := k.strs("scoring_points")
		if err != nil {
			return JudgeRequest{}, err
		}
		count, err := k.count(len(points))
		return JudgeRequest{Kind: JudgePartialPoints, Points: points, Count: count, IgnoreOrder: true}, err
	})

var answerAndPoints = judged("eval_reference_answer_and_scoring_points_with_llm", []Param{referenceParam, pointsParam, anyOrderParam},
	func(k kwargs) (JudgeRequest, error) {
		points, err := k.strs("scoring_points")
		return JudgeRequest{
			Kind: JudgeReferenceAndPoints, Reference: k.str("reference_answer"), Points: points, IgnoreOrder: k.anyOrder(),
		}, err
	})

var mathFormula = judged("eval_complex_math_formula_with_llm", []Param{required("formulas", KindText|KindList), anyOrderParam},
	func(k kwargs) (JudgeRequest, error) {
		r := JudgeRequest{Kind: JudgeFormulas, IgnoreOrder: k.anyOrder()}
		if _, ok := k.get("formulas", nil).(python.List); !ok {
			r.Formulas = []string{k.str("formulas")}
			return r, nil
		}
		var err error
		r.Listed = true
		r.Formulas, err = k.strs("formulas")
		return r, err
	})

// judgedGold is the first text that a judge compares an answer with.
func (k kwargs) judgedGold() string {
	for _, name := range []string{"reference_answer", "candidate_reference_answers", "scoring_points", "formulas"} {
		if v, ok := k.d.Get(name); ok {
			return python.Repr(v)
		}
	}
	return ""
}

// holdsVerdict reports whether quoting a text could be mistaken for giving the verdict in it.
func holdsVerdict(s string) bool {
	if !strings.Contains(s, "```") {
		return false
	}
	lower := strings.ToLower(s)
	return strings.Contains(lower, "true") || strings.Contains(lower, "false")
}

// str returns an argument in Python's str() form.
func (k kwargs) str(name string) string { return python.Str(k.get(name, nil)) }

// strs returns the elements of an argument. The authors' code strips each, which fails on anything but text.
func (k kwargs) strs(name string) ([]string, error) {
	items, err := iterate(k.get(name, nil))
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(items))
	for i, v := range items {
		text, ok := v.(string)
		if !ok {
			return nil, raise("an element of %s is a %s, not a text", name, python.Type(v))
		}
		texts[i] = text
	}
	return texts, nil
}

// anyOrder is the argument ignore_order, true by default in these functions.
func (k kwargs) anyOrder() bool { return python.Truth(k.get("ignore_order", true)) }

// count returns the number of points required: at least one and fewer than all.
func (k kwargs) count(points int) (int, error) {
	v := k.get("count", int64(1))
	n, ok := number(v)
	if !ok || n <= 0 || n >= float64(points) {
		return 0, raise("the count %s is not between 0 and the number of points, %d", python.Repr(v), points)
	}
	return int(math.Ceil(n)), nil
}
