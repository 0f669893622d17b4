package eval

import (
	"context"
	"encoding/json"
	"sync"

	"airqa/internal/python"
	"airqa/qa"
)

// Explanation shows how an answer was scored in both modes: what was compared, and by which rule.
type Explanation struct {
	Function  string     `json:"function"`
	Arguments []Argument `json:"arguments"`
	// Prediction is the answer in Python's repr() form.
	Prediction string  `json:"prediction"`
	Reference  Reading `json:"reference"`
	Fixed      Reading `json:"fixed"`
	// Differences are the deepest comparisons on which the two modes disagree; empty if they agree everywhere.
	Differences []Difference `json:"differences"`
}

// Reading is the result of one mode.
type Reading struct {
	Mode    Mode       `json:"mode"`
	Verdict qa.Verdict `json:"verdict"`
	// Score is nil for an unscored answer.
	Score  *float64 `json:"score"`
	Reason string   `json:"reason,omitempty"`
	// FormatOnly is the form of the answer that would pass, in Python's repr() form, if only the format is wrong.
	FormatOnly string     `json:"format_only,omitempty"`
	Check      Comparison `json:"check"`
}

// Difference is a comparison on which the modes disagree.
type Difference struct {
	Path      string `json:"path"`
	Function  string `json:"function,omitempty"`
	Reference string `json:"reference"`
	Fixed     string `json:"fixed"`
}

// Explain scores an answer in both modes and traces the comparisons. Comparisons after the one that settles the score
// are traced too. A judge is asked each question once.
func (s *Scorer) Explain(ctx context.Context, e qa.Evaluator, p Prediction) Explanation {
	judge := s.judge
	if judge != nil {
		judge = &onceJudge{judge: judge, fixed: s.mode == Fixed, said: make(map[string]func() (bool, error))}
	}
	prepare := func(m Mode) Prepared { return New(Config{Judge: judge, Mode: m, Others: s.others}).Prepare(e) }
	explain := func(m Mode, prepared Prepared) Reading {
		said := p.in(m)
		out := Reading{Mode: m, Check: Comparison{Function: e.Func, Said: python.Repr(said)}}
		if prepared.Whole() {
			out.Check.Gold = python.Repr(GoldOf(qa.Example{Evaluator: e}))
		}
		r := prepared.score(ctx, &out.Check, p)
		out.Verdict, out.Reason = r.Verdict, r.Reason
		if r.Verdict != qa.Unscored {
			out.Score = &r.Value
		}
		if out.Check.Verdict == "" { // nothing was compared
			out.Check.Verdict, out.Check.Rule = r.Verdict, r.Reason
		}
		if r.FormatOnly {
			form, _ := prepared.unwrapped(ctx, said)
			out.FormatOnly = python.Repr(form)
		}
		return out
	}
	reference := prepare(Reference)
	out := Explanation{
		Function: e.Func, Arguments: reference.call.describe(), Prediction: python.Repr(p.value),
		Reference: explain(Reference, reference), Fixed: explain(Fixed, prepare(Fixed)),
	}
	out.Differences = differences(out.Reference.Check, out.Fixed.Check)
	if a, b := out.Reference.Check.Rule, out.Fixed.Check.Rule; reference.Whole() && a != b {
		out.Differences = []Difference{{Function: e.Func, Reference: a, Fixed: b}}
	}
	return out
}

// onceJudge asks a judge each question once, for both modes. Its calls may not overlap.
type onceJudge struct {
	judge Judge
	// fixed says how the verdict on a question is read: as in the mode of the scores.
	fixed bool
	said  map[string]func() (bool, error)
}

func (j *onceJudge) Judge(ctx context.Context, r JudgeRequest) (bool, error) {
	r.Fixed = j.fixed
	key, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	if j.said[string(key)] == nil {
		j.said[string(key)] = sync.OnceValues(func() (bool, error) { return j.judge.Judge(ctx, r) })
	}
	return j.said[string(key)]()
}

// differences returns the deepest nodes on which two comparison trees disagree.
func differences(reference, fixed Comparison) []Difference {
	out := []Difference{}
	byPath := make(map[string]Comparison, len(reference.Checks))
	for _, c := range reference.Checks {
		byPath[c.Path+" "+c.Function] = c
	}
	for _, c := range fixed.Checks {
		if r, ok := byPath[c.Path+" "+c.Function]; ok {
			out = append(out, differences(r, c)...)
		}
	}
	if len(out) == 0 && reference.Verdict != fixed.Verdict {
		out = append(out, Difference{
			Path: fixed.Path, Function: fixed.Function,
			Reference: string(reference.Verdict) + ": " + reference.Rule,
			Fixed:     string(fixed.Verdict) + ": " + fixed.Rule,
		})
	}
	return out
}
