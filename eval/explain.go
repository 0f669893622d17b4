package eval

import (
	"context"
	"encoding/json"

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
		judge = &onceJudge{judge: judge, fixed: s.mode == Fixed, said: make(map[string]verdict)}
	}
	explain := func(m Mode) Reading {
		return New(Config{Judge: judge, Mode: m}).reading(ctx, e, p)
	}
	out := Explanation{
		Function: e.Func, Arguments: s.arguments(e), Prediction: python.Repr(p.value),
		Reference: explain(Reference), Fixed: explain(Fixed),
	}
	out.Differences = differences(out.Reference.Check, out.Fixed.Check)
	return out
}

// reading scores an answer in one mode with a trace.
func (s *Scorer) reading(ctx context.Context, e qa.Evaluator, p Prediction) Reading {
	said := p.in(s.mode)
	out := Reading{Mode: s.mode, Check: Comparison{Function: e.Func, Said: python.Repr(said)}}
	prepared := s.Prepare(e)
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

// onceJudge asks a judge each question once, for both modes. Its calls may not overlap.
type onceJudge struct {
	judge Judge
	// fixed says how the verdict on a question is read: as in the mode of the scores.
	fixed bool
	said  map[string]verdict
}

type verdict struct {
	right bool
	err   error
}

func (j *onceJudge) Judge(ctx context.Context, r JudgeRequest) (bool, error) {
	r.Fixed = j.fixed
	key, err := json.Marshal(r)
	if err != nil {
		return false, err
	}
	v, asked := j.said[string(key)]
	if !asked {
		v.right, v.err = j.judge.Judge(ctx, r)
		j.said[string(key)] = v
	}
	return v.right, v.err
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

// Argument is a parameter of an evaluation function or an argument given to it.
type Argument struct {
	Name string `json:"name"`
	// Value is in Python's repr() form: the default if none was given, empty if a required argument is missing.
	Value  string         `json:"value,omitempty"`
	Status ArgumentStatus `json:"status"`
	// Means is the parameter that a misspelled argument name resembles.
	Means string `json:"means,omitempty"`
	// Fixed is how [Fixed] reads the argument, as name = value; empty if it reads it as given.
	Fixed string `json:"fixed,omitempty"`
}

// ArgumentStatus is the origin of an argument.
type ArgumentStatus string

// The argument states.
const (
	ArgumentGiven   ArgumentStatus = "given"
	ArgumentDefault ArgumentStatus = "default"
	ArgumentMissing ArgumentStatus = "missing"
	// ArgumentIgnored is an argument that the function does not have.
	ArgumentIgnored ArgumentStatus = "ignored"
	// ArgumentMisspelled is a misspelled argument. [Reference] ignores it.
	ArgumentMisspelled ArgumentStatus = "misspelled"
	// ArgumentRefused is an argument that makes the function fail in [Reference]. [Fixed] ignores it.
	ArgumentRefused ArgumentStatus = "refused"
)

// arguments lists the arguments of an evaluator, or returns nil if they cannot be read.
func (s *Scorer) arguments(e qa.Evaluator) []Argument {
	v, err := python.FromJSON(e.Kwargs)
	d, ok := v.(*python.Dict)
	if err != nil || !ok || s.function(e.Func) == nil {
		return nil
	}
	return argumentsOf(s.read(e.Func, v), d)
}

// argumentsOf lists the parameters of c in order, then any other arguments.
func argumentsOf(c *call, given *python.Dict) []Argument {
	var out []Argument
	for _, p := range c.function.Params {
		a := Argument{Name: p.Name, Status: ArgumentDefault, Value: python.Repr(p.Default)}
		if v, ok := given.Get(p.Name); ok {
			a.Status, a.Value = ArgumentGiven, python.Repr(v)
		} else if p.Required {
			a.Status, a.Value = ArgumentMissing, ""
		}
		a.Fixed = c.corrected(p.Name)
		out = append(out, a)
	}
	for k, v := range given.All() {
		name := python.Str(k)
		if c.function.param(name) == nil {
			out = append(out, c.unknown(name, v))
		}
	}
	return out
}

func (c *call) unknown(name string, v python.Value) Argument {
	a := Argument{Name: name, Value: python.Repr(v), Status: ArgumentIgnored, Fixed: c.corrected(name)}
	a.Means = nearest(name, c.function.paramNames())
	switch {
	case c.function.Closed:
		a.Status = ArgumentRefused
	case a.Means != "":
		a.Status = ArgumentMisspelled
	}
	return a
}

// corrected returns how an argument was read, or "" if it was read as given.
func (c *call) corrected(name string) string {
	for _, m := range c.corrections {
		if m.name == name {
			return m.as + " = " + python.Repr(m.value)
		}
	}
	return ""
}
