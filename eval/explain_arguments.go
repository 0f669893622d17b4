package eval

import (
	"airqa/internal/python"
	"airqa/qa"
)

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
	ArgumentMisspelled ArgumentStatus = "misspelt"
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
