package eval

import (
	"context"
	"errors"
	"fmt"

	"airqa/internal/fuzzy"
	"airqa/internal/python"
)

// call is an evaluator as [Fixed] reads it: argument names and types corrected, nested functions resolved.
type call struct {
	name        string
	function    *Function
	kwargs      kwargs
	parts       []*call
	corrections []correction
	fault       string // why it cannot be applied
}

// correction is an argument that was not read as given.
type correction struct {
	name, as string // name as given, and the parameter it was read as
	value    python.Value
}

// faultyError is a fault of an evaluator. It leaves an answer unscored.
type faultyError struct{ reason string }

func (e *faultyError) Error() string { return "the evaluator is faulty: " + e.reason }

// run applies c to an answer. An exception in code shared by both modes is a fault of the evaluator. A function without
// rules for [Fixed] does what it does in [Reference], with the original arguments.
func (s *Scorer) run(ctx context.Context, c *call, t *Comparison, prediction python.Value) (o outcome, err error) {
	t.beginFunction(c.name, prediction, c.kwargs)
	switch {
	case c.fault != "":
		err = &faultyError{c.fault}
	case c.function.fixed == nil:
		o, err = s.apply(ctx, c.function, t, prediction, c.kwargs.d)
	default:
		o, err = c.function.fixed(ctx, s, t, prediction, c)
	}
	if raised := (*raisedError)(nil); errors.As(err, &raised) {
		err = &faultyError{raised.reason}
	}
	t.end(o, err)
	return o, err
}

// read resolves a function name and its arguments.
func (s *Scorer) read(name string, arguments python.Value) *call {
	c := &call{name: name, function: s.function(name)}
	if c.function == nil {
		c.fail("there is no evaluation function %q", name)
		return c
	}
	given, ok := arguments.(*python.Dict)
	if !ok {
		c.fail("the arguments of %s are a %s", name, python.Type(arguments))
		return c
	}
	if c.function.fixed == nil {
		c.kwargs = kwargs{given}
		return c
	}
	c.kwargs = kwargs{&python.Dict{}}
	for i := range c.function.Params {
		c.argument(&c.function.Params[i], given)
	}
	if c.fault == "" {
		s.readParts(c)
	}
	return c
}

// fail records a fault; the first one wins.
func (c *call) fail(format string, args ...any) {
	if c.fault == "" {
		c.fault = fmt.Sprintf(format, args...)
	}
}

// argument reads one argument, including under a known misspelling of its name.
func (c *call) argument(p *Param, given *python.Dict) {
	v, spelling, ok := findArgument(p.Name, given)
	if !ok {
		if p.Required && !p.Formal {
			c.fail("%s lacks the argument %s", c.name, p.Name)
		}
		return
	}
	as, ok := p.fit(v)
	if !ok {
		c.fail("%s of %s is %s, not %s", p.Name, c.name, python.Repr(v), p.Kind)
		return
	}
	if spelling != p.Name || kindOf(as) != kindOf(v) || p.Name == "threshold" && !python.Equal(as, v) {
		c.corrections = append(c.corrections, correction{spelling, p.Name, as})
	}
	c.kwargs.d.Set(p.Name, as)
}

// findArgument finds an argument under its name or a known misspelling.
func findArgument(name string, given *python.Dict) (v python.Value, spelling string, ok bool) {
	if v, ok := given.Get(name); ok {
		return v, name, true
	}
	for _, m := range misspellings {
		if m.means == name {
			if v, ok := given.Get(m.name); ok {
				return v, m.name, true
			}
		}
	}
	return nil, name, false
}

// misspellings are the known misspelled names in released examples.
var misspellings = []struct{ name, means string }{
	{"nidigits", "ndigits"},
	{"fomulas", "formulas"},
	{"scoring_point", "scoring_points"},
	{"ignore_case", "lowercase"},
}

// readParts reads the functions nested in a logical function.
func (s *Scorer) readParts(c *call) {
	if c.function.param("eval_func") != nil {
		c.parts = []*call{s.readPart(c.kwargs.get("eval_func", nil), c.kwargs.get("eval_kwargs", nil))}
		return
	}
	if c.function.param("eval_func_list") == nil {
		return
	}
	names, _ := c.kwargs.get("eval_func_list", nil).(python.List)
	arguments, _ := c.kwargs.get("eval_kwargs_list", nil).(python.List)
	if len(names) != len(arguments) || len(names) == 0 {
		c.fail("%s has %d functions and %d sets of arguments", c.name, len(names), len(arguments))
		return
	}
	for i := range names {
		c.parts = append(c.parts, s.readPart(names[i], arguments[i]))
	}
}

func (s *Scorer) readPart(name, arguments python.Value) *call {
	text, ok := name.(string)
	if !ok {
		return &call{name: python.Str(name), fault: "the name of a function is " + python.Repr(name)}
	}
	return s.read(text, arguments)
}

// fit returns the value meant by an argument; ok is false for an invalid one.
func (p *Param) fit(v python.Value) (python.Value, bool) {
	if !p.takes(v) {
		var ok bool
		if v, ok = p.convert(v); !ok {
			return nil, false
		}
	}
	switch p.Name {
	case "threshold":
		return percent(v), true
	case "fuzz_method":
		name, _ := v.(string)
		return v, fuzzy.ByName(name) != nil
	case "candidate_reference_answers", "scoring_points", "formulas":
		return printed(v), true
	case "tolerance", "count":
		x, ok := number(v)
		return v, ok && x >= 0 && (x > 0 || p.Name == "tolerance")
	}
	return v, true
}

func (p *Param) takes(v python.Value) bool {
	kind := kindOf(v)
	return p.Kind&kind != 0 || kind == KindInt && p.Kind&KindFloat != 0
}

func (p *Param) convert(v python.Value) (python.Value, bool) {
	switch {
	case v == nil && !p.Required:
		return p.Default, true
	case p.Kind == KindList:
		return python.List{v}, true
	case p.Kind == KindBool:
		if v == "" {
			return false, true
		}
		return toBool(trimmed(v))
	case p.Kind&KindNumber != 0:
		return p.numeral(v)
	case p.Kind == KindText:
		return v, true // compared or judged in Python's printed form
	}
	return nil, false
}

// numeral converts a text, or a float without a fraction, to a number.
func (p *Param) numeral(v python.Value) (python.Value, bool) {
	if text, ok := v.(string); ok {
		if i, ok := intFromText(text); ok {
			return i, true
		}
		f, ok := python.Float(text)
		if !ok {
			return nil, false
		}
		v = f
	}
	f, ok := v.(float64)
	if !ok || p.Kind&KindFloat != 0 {
		return v, ok
	}
	i, ok := cut(f)
	return i, ok && python.Equal(i, f)
}

// percent scales a threshold in (0, 1] to the range 0 to 100.
func percent(v python.Value) python.Value {
	x, ok := number(v)
	if !ok || x <= 0 || x > 1 {
		return v
	}
	rounded, _ := python.Round(100*x, 6)
	return rounded
}

// printed returns a list with its elements in Python's printed form, and any other value unchanged.
func printed(v python.Value) python.Value {
	items, ok := v.(python.List)
	if !ok {
		return v
	}
	texts := make(python.List, len(items))
	for i, item := range items {
		texts[i] = python.Str(item)
	}
	return texts
}

// trimmed strips the whitespace around a text and returns any other value unchanged.
func trimmed(v python.Value) python.Value {
	if s, ok := v.(string); ok {
		return python.Strip(s)
	}
	return v
}
