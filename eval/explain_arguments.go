package eval

import (
	"airqa/internal/python"
	"airqa/qa"
)

// Argument is an argument of an evaluation function, given or not.
type Argument struct {
	Name string `json:"name"`
	// Value is as Python's repr() prints it: the default where none was given, empty where one is missing.
	Value  string         `json:"value,omitempty"`
	Status ArgumentStatus `json:"status"`
	// Means is the parameter that the name of a misspelt argument looks like.
	Means string `json:"means,omitempty"`
	// Fixed is what [Fixed] reads instead, as name = value; empty where it reads what stands there.
	Fixed string `json:"fixed,omitempty"`
}

// ArgumentStatus tells where an argument comes from.
type ArgumentStatus string

// The states of arguments.
const (
	ArgumentGiven   ArgumentStatus = "given"
	ArgumentDefault ArgumentStatus = "default"
	ArgumentMissing ArgumentStatus = "missing"
	// ArgumentIgnored is for one that the function does not have.
	ArgumentIgnored ArgumentStatus = "ignored"
	// ArgumentMisspelt is for one that the function does not have but for the spelling. [Reference] ignores it.
	ArgumentMisspelt ArgumentStatus = "misspelt"
	// ArgumentRefused is for one that makes the function fail in [Reference]. [Fixed] ignores it.
	ArgumentRefused ArgumentStatus = "refused"
)

// arguments lists the arguments of an evaluator; nil when they cannot be read.
func (s *Scorer) arguments(e qa.Evaluator) []Argument {
	v, err := python.FromJSON(e.Kwargs)
	d, ok := v.(*python.Dict)
	if err != nil || !ok || s.function(e.Func) == nil {
		return nil
	}
	return argumentsOf(s.read(e.Func, v), d)
}

// argumentsOf lists the parameters of c in order and then what else is given.
func argumentsOf(c *call, given *python.Dict) []Argument {
	var out []Argument
	for _, p := range c.function.Params {
		a := Argument{Name: p.Name, Status: ArgumentDefault, Value: python.Repr(p.Default)}
		if v, ok := given.Get(p.Name); ok {
			a.Status, a.Value = ArgumentGiven, python.Repr(v)
		} else if p.Required {
			a.Status, a.Value = ArgumentMissing, ""
		}
		a.Fixed = c.mended(p.Name)
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
	a := Argument{Name: name, Value: python.Repr(v), Status: ArgumentIgnored, Fixed: c.mended(name)}
	a.Means = nearest(name, c.function.paramNames())
	switch {
	case c.function.Closed:
		a.Status = ArgumentRefused
	case a.Means != "":
		a.Status = ArgumentMisspelt
	}
	return a
}

// mended returns how an argument was read, empty when it was read as it stands.
func (c *call) mended(name string) string {
	for _, m := range c.mends {
		if m.name == name {
			return m.as + " = " + python.Repr(m.value)
		}
	}
	return ""
}
