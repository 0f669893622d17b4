package eval

import "airqa/internal/python"

// argumentsOf lists the parameters of a function in order, then any other arguments.
func argumentsOf(function string, given *python.Dict) []Argument {
	c := read(function, given, Fixed)
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
