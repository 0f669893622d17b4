package eval

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/fuzzy"
	"airqa/internal/python"
	"airqa/qa"
)

// Severity is the severity of a [Finding].
type Severity string

// The severities. An error prevents reading or scoring an example as intended; a warning may be intended.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Finding is a problem that may keep an example from being scored as intended.
type Finding struct {
	Severity Severity
	// Mode is the mode in which it occurs; empty for a fault of the evaluator itself.
	Mode Mode
	Text string
}

// Check returns the faults of an evaluator, one sentence each, or none if it matches the catalogue of functions. A
// faulty evaluator can still run: most faults are options that the authors' code ignores.
func Check(e qa.Evaluator) []string {
	var list []string
	for _, f := range check(e).faults {
		list = append(list, f.Text)
	}
	return list
}

// Subjective reports whether scoring with e may ask a judge, in its own function or in one nested in it.
func Subjective(e qa.Evaluator) bool { return check(e).subjective }

// Tag returns the tag of questions that are scored with e: "subjective" or "objective".
func Tag(e qa.Evaluator) string {
	if Subjective(e) {
		return subjective
	}
	return objective
}

// MayAsk reports whether a function may ask a judge, itself or through the functions that its arguments name.
func MayAsk(name string) bool {
	f := Find(name)
	return f != nil && f.Genre != objective
}

// check inspects an evaluator. If its arguments are not JSON, the function alone determines whether a judge is asked.
func check(e qa.Evaluator) (c checker) {
	if e.Func == "" || isCompanion(e.Func) {
		return c // the question is not scored, or by a function that is not in the catalogue
	}
	arguments, err := python.FromJSON(e.Kwargs)
	c.call(e.Func, e.Func, arguments)
	if err != nil {
		c.faults = nil
		c.fault(Error, e.Func, "the arguments are not JSON: %v", err)
	}
	return c
}

// checker collects the faults of an evaluator and of the functions nested in it.
type checker struct {
	faults []Finding
	// notes are about what an evaluator leaves open, which is no fault.
	notes      []Finding
	subjective bool
}

// fault adds a fault in both modes: a [Warning] about what the authors' code ignores, an [Error] if no answer can pass.
func (c *checker) fault(s Severity, where, format string, args ...any) {
	c.faults = append(c.faults, Finding{Severity: s, Text: where + ": " + fmt.Sprintf(format, args...)})
}

// call checks one function and its arguments; where is the path to it.
func (c *checker) call(where, name string, arguments python.Value) {
	f := Find(name)
	if f == nil {
		var names []string
		for _, f := range functions {
			names = append(names, f.Name)
		}
		c.fault(Error, where, "there is no function %q%s", name, meant(fuzzy.Nearest(name, names)))
		return
	}
	c.subjective = c.subjective || f.Genre == subjective
	d, ok := arguments.(*python.Dict)
	if !ok {
		c.fault(Error, where, "the arguments are a %s, not a dictionary", python.Type(arguments))
		return
	}
	for k := range d.All() {
		name := python.Str(k)
		if f.Param(name) != nil {
			continue
		}
		severity, effect := Warning, "is ignored"
		if f.Closed {
			severity, effect = Error, "makes the function fail"
		}
		c.fault(severity, where, "the unknown argument %s %s%s", name, effect, meant(f.nearest(name)))
	}
	for _, p := range f.Params {
		c.argument(where, p, d)
	}
	given := &call{function: f, arguments: d}
	c.ranges(where, given)
	for _, p := range f.Params {
		if _, set := d.Get(p.Name); set && p.hint == "" { // it chooses a judge, which is chosen per scoring run
			c.fault(Warning, where, "%s is ignored, since --judge chooses the judge of all questions", p.Name)
		}
	}
	c.inner(where, given)
}

// argument reports a missing required argument and a value of the wrong type.
func (c *checker) argument(where string, p Param, d *python.Dict) {
	v, given := d.Get(p.Name)
	if !given {
		if p.Required {
			c.fault(Error, where, "the argument %s is missing", p.Name)
		}
		return
	}
	if !p.takes(v) {
		c.fault(Warning, where, "%s is of type %s, not %s", p.Name, kindOf(v), p.Kind)
		return
	}
	if s, ok := v.(string); ok && p.Options != nil && !slices.Contains(p.Options, s) {
		c.fault(Warning, where, "%s is %q, not one of %s", p.Name, s, strings.Join(p.Options, ", "))
	}
}

// ranges reports values of the right type that are out of range.
func (c *checker) ranges(where string, k *call) {
	if v, given := k.arguments.Get("threshold"); given {
		if x, ok := number(v); ok && x > 0 && x <= 1 {
			c.fault(Warning, where, "threshold is %s, but scores go from 0 to 100", python.Repr(v))
		}
	}
	points, isList := k.get("scoring_points").(python.List)
	count := k.function.Param("count")
	if count == nil || !isList {
		return
	}
	v := k.get("count")
	if n, ok := number(v); ok && (n <= 0 || n >= float64(len(points))) {
		c.fault(Warning, where, "count is %s, but must lie between 0 and the number of points, %d", python.Repr(v), len(points))
	}
}

// inner checks the functions passed to a logical function. Missing and mistyped lists have already been reported.
func (c *checker) inner(where string, k *call) {
	if k.function.Param("eval_func") != nil {
		name, isText := k.get("eval_func").(string)
		if arguments, given := k.arguments.Get("eval_kwargs"); isText && given {
			c.call(where+" of "+name, name, arguments)
		}
		return
	}
	names, haveNames := k.get("eval_func_list").(python.List)
	arguments, haveArguments := k.get("eval_kwargs_list").(python.List)
	if k.function.Param("eval_func_list") == nil || !haveNames || !haveArguments {
		return
	}
	if len(names) != len(arguments) {
		c.fault(Warning, where, "%d functions have %d sets of arguments", len(names), len(arguments))
	}
	if k.function.anyGold && len(names) > 1 {
		c.notes = append(c.notes, Finding{Severity: Warning, Text: fmt.Sprintf("%s: two readings: a list of %d answers is scored by element, "+
			"one for each function; any other answer is tried on every function in fixed mode, and scores 0 in reference mode", where, len(names))})
	}
	for i := range min(len(names), len(arguments)) {
		part := fmt.Sprintf("%s, part %d", where, i+1)
		if name, ok := names[i].(string); ok {
			c.call(part+", "+name, name, arguments[i])
		} else {
			c.fault(Error, part, "the name of a function is of type %s", kindOf(names[i]))
		}
	}
}

// meant returns a hint with the name that is closest to a wrong one, or "" if there is none.
func meant(closest string) string {
	if closest == "" {
		return ""
	}
	return ": did you mean " + closest + "?"
}
