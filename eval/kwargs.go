package eval

import "airqa/internal/python"

// kwargs are the keyword arguments of a call.
type kwargs struct{ d *python.Dict }

func (k kwargs) get(name string, or python.Value) python.Value {
	if v, ok := k.d.Get(name); ok {
		return v
	}
	return or
}

// truth returns the truth value of an argument in Python; false if it is not given.
func (k kwargs) truth(name string) bool { return python.Truth(k.get(name, false)) }

// bind checks the arguments of f like a Python call: none missing and, for a closed function, none unknown.
func (k kwargs) bind(f *Function) error {
	for i := range f.Params {
		p := &f.Params[i]
		if _, given := k.d.Get(p.Name); p.Required && !given {
			return raise("%s lacks the argument %s", f.Name, p.Name)
		}
	}
	if !f.Closed {
		return nil
	}
	for name := range k.d.All() {
		if s, ok := name.(string); !ok || f.param(s) == nil {
			return raise("%s does not take the argument %v", f.Name, name)
		}
	}
	return nil
}
