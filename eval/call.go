package eval

import (
	"fmt"

	"airqa/internal/fuzzy"
	"airqa/internal/python"
)

// read resolves a function name and its arguments. [Fixed] corrects names and types of arguments; [Reference] binds
// them like a Python call.
func read(name, arguments python.Value, m Mode) *call {
	c := &call{mode: m, name: python.Str(name)}
	text, isText := name.(string)
	c.function = Find(text)
	given, ok := arguments.(*python.Dict)
	switch {
	case !isText && m == Fixed:
		c.fail("the name of a function is %s", python.Repr(name))
	case c.function == nil && m == Fixed:
		c.fail("there is no evaluation function %q", text)
	case c.function == nil:
		c.fail("there is no evaluation function %s", python.Repr(name))
	case !ok:
		c.fail("the arguments of %s are a %s", c.name, python.Type(arguments))
	case m == Fixed:
		c.arguments, c.corrections = &python.Dict{}, make(map[string]string)
		for i := range c.function.Params {
			c.argument(&c.function.Params[i], given)
		}
	default:
		c.arguments = given
		c.bind()
	}
	if c.fault == nil {
		c.readParts()
	}
	return c
}

// bind checks the arguments like a Python call: none missing and, for a closed function, none unknown.
func (c *call) bind() {
	for _, p := range c.function.Params {
		if _, given := c.arguments.Get(p.Name); p.Required && !given {
			c.fail("%s lacks the argument %s", c.name, p.Name)
		}
	}
	if !c.function.Closed {
		return
	}
	for name := range c.arguments.All() {
		if s, ok := name.(string); !ok || c.function.Param(s) == nil {
			c.fail("%s does not take the argument %v", c.name, name)
		}
	}
}

// fail records a fault; the first one wins.
func (c *call) fail(format string, args ...any) {
	switch {
	case c.fault != nil:
	case c.mode == Fixed:
		c.fault = &faultyError{fmt.Sprintf(format, args...)}
	default:
		c.fault = raise(format, args...)
	}
}

// argument reads one argument, if necessary under the known misspelling of its name.
func (c *call) argument(p *Param, given *python.Dict) {
	spelling := p.Name
	v, ok := given.Get(spelling)
	if !ok && p.misspelling != "" {
		spelling = p.misspelling
		v, ok = given.Get(spelling)
	}
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
		c.corrections[spelling] = p.Name + " = " + python.Repr(as)
	}
	c.arguments.Set(p.Name, as)
}

// readParts reads the functions nested in a logical function. Python zips names and arguments, so that names without
// arguments are skipped in [Reference].
func (c *call) readParts() {
	if c.function.Param("eval_func") != nil {
		c.parts = []*call{read(c.get("eval_func"), c.get("eval_kwargs"), c.mode)}
	}
	if c.function.Param("eval_func_list") == nil {
		return
	}
	var names, arguments []python.Value
	names, c.fault = iterate(c.get("eval_func_list"))
	arguments, c.partsFault = iterate(c.get("eval_kwargs_list"))
	if c.mode == Fixed && (len(names) != len(arguments) || len(names) == 0) {
		c.fail("%s has %d functions and %d sets of arguments", c.name, len(names), len(arguments))
	}
	c.parts = make([]*call, len(names))
	for i := range min(len(names), len(arguments)) {
		c.parts[i] = read(names[i], arguments[i], c.mode)
	}
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
		if items, ok := v.(python.List); ok {
			texts := make(python.List, len(items))
			for i, item := range items {
				texts[i] = python.Str(item) // elements are compared in Python's printed form
			}
			return texts, true
		}
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

// describe lists the parameters of a function that [Reference] has read in order, then any other arguments. It returns nil
// for an unknown function and for arguments that are not a dictionary.
func (c *call) describe() []Argument {
	if c == nil || c.function == nil || c.arguments == nil {
		return nil
	}
	fixed := read(c.name, c.arguments, Fixed)
	var out []Argument
	for _, p := range c.function.Params {
		a := Argument{Name: p.Name, Status: ArgumentDefault, Value: python.Repr(p.Default), Fixed: fixed.corrections[p.Name]}
		if v, ok := c.arguments.Get(p.Name); ok {
			a.Status, a.Value = ArgumentGiven, python.Repr(v)
		} else if p.Required {
			a.Status, a.Value = ArgumentMissing, ""
		}
		out = append(out, a)
	}
	for k, v := range c.arguments.All() {
		name := python.Str(k)
		if c.function.Param(name) == nil {
			a := Argument{Name: name, Value: python.Repr(v), Status: ArgumentIgnored, Fixed: fixed.corrections[name]}
			a.Means = c.function.nearest(name)
			switch {
			case c.function.Closed:
				a.Status = ArgumentRefused
			case a.Means != "":
				a.Status = ArgumentMisspelled
			}
			out = append(out, a)
		}
	}
	return out
}
