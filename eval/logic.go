package eval

import (
	"context"
	"fmt"

	"airqa/internal/pyliteral"
)

// partsParams are those of the functions that share out a list of answers.
var partsParams = []Param{required("eval_func_list", KindList), required("eval_kwargs_list", KindList)}

var conjunction = Function{
	Name:   "eval_conjunction",
	Params: partsParams,
	Closed: true,
	fixed:  fixedConjunction,
	score: func(ctx context.Context, s *Scorer, prediction pyliteral.Value, k kwargs) (outcome, error) {
		return s.parts(ctx, prediction, k, false)
	},
}

var disjunction = Function{
	Name:   "eval_disjunction",
	Params: partsParams,
	Closed: true,
	fixed:  fixedDisjunction,
	score: func(ctx context.Context, s *Scorer, prediction pyliteral.Value, k kwargs) (outcome, error) {
		return s.parts(ctx, prediction, k, true)
	},
}

var negation = Function{
	Name:   "eval_negation",
	Params: []Param{required("eval_func", KindText), required("eval_kwargs", KindDict)},
	Closed: true,
	fixed:  fixedNegation,
	score: func(ctx context.Context, s *Scorer, prediction pyliteral.Value, k kwargs) (outcome, error) {
		o, err := s.call(ctx, k.get("eval_func", nil), prediction, k.get("eval_kwargs", nil))
		if err != nil {
			return outcome{}, err
		}
		return passed(!o.pass), nil
	},
}

// parts gives element i of the answer to function i with arguments i, and stops at the first that passes (or
// fails) as stop says. Functions without arguments are skipped: the lists are zipped.
func (s *Scorer) parts(ctx context.Context, prediction pyliteral.Value, k kwargs, stop bool) (outcome, error) {
	names, err := iterate(k.get("eval_func_list", nil))
	if err != nil {
		return outcome{}, err
	}
	said, read := asList(prediction)
	if len(said) != len(names) {
		if !read {
			return unread(fmt.Sprintf("the answer is not a list of %d", len(names))), nil
		}
		return outcome{}, nil
	}
	arguments, err := iterate(k.get("eval_kwargs_list", nil))
	if err != nil {
		return outcome{}, err
	}
	last := passed(!stop)
	for i := range min(len(names), len(arguments)) {
		o, err := s.call(ctx, names[i], said[i], arguments[i])
		if err != nil || o.pass == stop {
			return o, err
		}
		last = o
	}
	return last, nil
}

// call applies the function of a name inside a logical function, where an unknown one is an exception.
func (s *Scorer) call(ctx context.Context, name, prediction, arguments pyliteral.Value) (outcome, error) {
	text, _ := name.(string)
	f := s.function(text)
	if f == nil {
		return outcome{}, raise("there is no evaluation function %s", pyliteral.Repr(name))
	}
	return s.apply(ctx, f, prediction, arguments)
}
