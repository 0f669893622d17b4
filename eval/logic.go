package eval

import (
	"context"
	"fmt"

	"airqa/internal/python"
)

var (
	conjunction = joined("eval_conjunction", needAll)
	disjunction = joined("eval_disjunction", needOne)
)

// joined is a function over a list of answers, each scored by a function of its own.
func joined(name string, need func(*Comparison) row) Function {
	return Function{
		Name:   name,
		Params: []Param{required("eval_func_list", KindList), required("eval_kwargs_list", KindList)},
		Closed: true,
		fixed: func(ctx context.Context, s *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
			return s.runParts(ctx, c, prediction, need(t))
		},
		score: func(ctx context.Context, s *Scorer, t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
			return s.parts(ctx, prediction, k, need(t))
		},
	}
}

var negation = Function{
	Name:   "eval_negation",
	Params: []Param{required("eval_func", KindText), required("eval_kwargs", KindDict)},
	Closed: true,
	// An answer that its function cannot read does not pass.
	fixed: func(ctx context.Context, s *Scorer, t *Comparison, prediction python.Value, c *call) (outcome, error) {
		o, err := s.run(ctx, c.parts[0], t.child(""), prediction)
		t.negated(" and the answer can be read")
		if err != nil || o.unread != "" {
			return o, err
		}
		return passed(!o.pass), nil
	},
	score: func(ctx context.Context, s *Scorer, t *Comparison, prediction python.Value, k kwargs) (outcome, error) {
		o, err := s.call(ctx, t.child(""), k.get("eval_func", nil), prediction, k.get("eval_kwargs", nil))
		t.negated("")
		if err != nil {
			return outcome{}, err
		}
		return passed(!o.pass), nil
	},
}

// parts applies function i with arguments i to element i of the answer and stops once the row is settled. Functions
// without arguments are skipped, because Python zips the lists.
func (s *Scorer) parts(ctx context.Context, prediction python.Value, k kwargs, r row) (outcome, error) {
	names, err := iterate(k.get("eval_func_list", nil))
	if err != nil {
		return outcome{}, err
	}
	said, read := asList(prediction)
	r.trace.list(said, read, len(names), r.rule())
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
	for i := range min(len(names), len(arguments)) {
		if r.add(s.call(ctx, r.trace.element(i), names[i], said[i], arguments[i])) {
			break
		}
	}
	return r.out, r.err
}

// call applies a function by name inside a logical function. An unknown name is an exception.
func (s *Scorer) call(ctx context.Context, t *Comparison, name, prediction, arguments python.Value) (outcome, error) {
	text, _ := name.(string)
	f := s.function(text)
	if f == nil {
		err := raise("there is no evaluation function %s", python.Repr(name))
		t.beginFunction(python.Str(name), prediction, kwargs{})
		t.end(outcome{}, err)
		return outcome{}, err
	}
	if d, ok := arguments.(*python.Dict); ok && t != nil {
		t.Arguments = argumentsOf(s.read(text, d), d)
	}
	return s.apply(ctx, f, t, prediction, arguments)
}

// runParts applies part i to element i of the answer and stops once the row is settled. A part that is faulty, or whose
// judge fails, leaves the answer unscored only if the other parts do not settle it.
func (s *Scorer) runParts(ctx context.Context, c *call, prediction python.Value, r row) (outcome, error) {
	said, read := listOf(prediction)
	r.trace.list(said, read, len(c.parts), r.rule())
	if len(said) != len(c.parts) {
		if !read {
			return unread(fmt.Sprintf("the answer is not a list of %d", len(c.parts))), nil
		}
		return outcome{}, nil
	}
	var open error
	for i, part := range c.parts {
		o, err := s.run(ctx, part, r.trace.element(i), said[i])
		if err == nil && r.add(o, nil) {
			break
		}
		if err != nil && open == nil {
			open = fmt.Errorf("part %d, %s: %w", i+1, part.name, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	if open != nil && !r.settled {
		return outcome{}, open
	}
	return r.out, nil
}
