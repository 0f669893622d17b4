package action

import (
	"fmt"
	"math"
	"math/big"
	"math/cmplx"
	"strconv"
	"strings"

	"airqa/internal/python"
	"airqa/internal/terminal"
	"airqa/qa"
)

// bound has the arguments of a call by parameter name.
type bound map[string]python.Value

// kinds are the words for a kind in JSON, and the type in its schema.
var kinds = map[Kind]struct{ words, schema string }{
	Str:    {"string", `"type":"string"`},
	Int:    {"integer", `"type":"integer"`},
	Floats: {"array of numbers", `"type":"array","items":{"type":"number"}`},
	// Gemini refuses a parameter without a type, with a list of types, or with alternative schemas and a description. Other values
	// are accepted nevertheless.
	Any: {"any type", `"type":"string"`},
}

// kind is what an error calls a kind: it has the words of Python or of JSON.
func (f Format) kind(k Kind) string {
	if f == Python {
		return string(k)
	}
	return kinds[k].words
}

func (f Format) signature(s Spec) string {
	if f == Python {
		return s.Signature()
	}
	parts := make([]string, len(s.Params))
	for i, p := range s.Params {
		parts[i] = p.Name + " (" + f.kind(p.Kind)
		if !p.Required {
			parts[i] += ", optional"
		}
		parts[i] += ")"
	}
	return "its parameters are " + strings.Join(parts, ", ")
}

// bind assigns the arguments of a call to parameters: positional ones by order, keywords by name. An error is an invalid argument in
// the words of the format; its offset is 0 if the argument has none.
func (f Format) bind(spec Spec, call python.Call) (bound, *python.Error) {
	args := make(bound)
	if len(call.Args) > len(spec.Params) {
		return nil, invalid(0, "%s takes %d argument(s), not %d: %s.", spec.Name, len(spec.Params), len(call.Args), f.signature(spec))
	}
	for i, v := range call.Args {
		args[spec.Params[i].Name] = v
	}
	for _, k := range call.Keywords {
		name := spec.param(k.Name)
		if name == "" {
			return nil, invalid(k.Offset, "%s has no parameter %q: %s.", spec.Name, short(k.Name), f.signature(spec))
		}
		if _, twice := args[name]; twice {
			return nil, invalid(k.Offset, "parameter %q of %s is given twice.", k.Name, spec.Name)
		}
		args[name] = k.Value
	}
	for _, p := range spec.Params {
		if bad := f.settle(args, spec, p); bad != nil {
			return nil, bad
		}
	}
	return args, nil
}

// settle checks one parameter and fills in its default, also for None.
func (f Format) settle(args bound, spec Spec, p Param) *python.Error {
	v, given := args[p.Name]
	if v == nil && !p.Required {
		args[p.Name] = fromGo(p.Default)
		return nil
	}
	if !given {
		return invalid(0, "%s needs the parameter %q: %s.", spec.Name, p.Name, f.signature(spec))
	}
	fitted, ok := fit(p.Kind, v)
	switch {
	case !ok && !finite(v), ok && !finite(fitted):
		return invalid(0, "parameter %q of %s holds a number that is infinite, undefined or too large.", p.Name, spec.Name)
	case !ok:
		got := python.Repr(v)
		if f != Python {
			got = quoted(python.ToGo(v))
		}
		return invalid(0, "parameter %q of %s must be %s, not %s.", p.Name, spec.Name, f.kind(p.Kind), short(got))
	}
	args[p.Name] = fitted
	return nil
}

// finite reports whether JSON can represent all numbers of a value.
func finite(v python.Value) bool {
	for leaf := range python.Leaves(v) {
		number, _ := leaf.(complex128)
		if real, ok := leaf.(float64); ok {
			number = complex(real, 0)
		}
		if cmplx.IsInf(number) || cmplx.IsNaN(number) {
			return false
		}
	}
	return true
}

// fit checks a value against a kind. Whole floats and quoted digits count as integers, because models write both.
func fit(kind Kind, v python.Value) (python.Value, bool) {
	switch kind {
	case Str:
		_, ok := v.(string)
		return v, ok
	case Int:
		switch x := v.(type) {
		case int64, *big.Int:
			return x, true
		case float64:
			if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
				return int64(x), true
			}
		case string:
			if n, err := strconv.ParseInt(strings.TrimSpace(x), 10, 64); err == nil {
				return n, true
			}
		}
		return nil, false
	case Floats:
		return floats(v)
	}
	return v, true
}

// floats accepts a list or tuple of numbers, and None for an empty one.
func floats(v python.Value) (python.Value, bool) {
	if text, isText := v.(string); isText { // the form of XML
		parsed, err := python.Parse(strings.TrimSpace(text), python.Options{})
		if _, again := parsed.(string); err != nil || again {
			return nil, false
		}
		return floats(parsed)
	}
	items, ok := python.Elements(v)
	if _, unordered := v.(python.Set); unordered || !ok && v != nil {
		return nil, false
	}
	numbers := make(python.List, len(items))
	for i, item := range items {
		n, ok := number(item)
		if !ok {
			return nil, false
		}
		numbers[i] = n
	}
	return numbers, true
}

// number also accepts quoted digits.
func number(v python.Value) (python.Value, bool) {
	switch x := v.(type) {
	case int64, *big.Int, float64:
		return v, true
	case string:
		if f, err := strconv.ParseFloat(strings.TrimSpace(x), 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f, true
		}
	}
	return nil, false
}

func fromGo(v any) python.Value {
	if list, ok := v.([]any); ok {
		out := make(python.List, len(list))
		for i, x := range list {
			out[i] = fromGo(x)
		}
		return out
	}
	return v
}

func repr(v any) string { return python.Repr(fromGo(v)) }

// short is a text of a reply as an error shows it.
func short(s string) string { return terminal.Truncate(s, 60, "…") }

// each formats the arguments that are given, in the tool's own order.
func each[V any](spec Spec, args map[string]V, separator string, format func(name string, v V) string) string {
	var parts []string
	for _, p := range spec.Params {
		if v, ok := args[p.Name]; ok {
			parts = append(parts, format(p.Name, v))
		}
	}
	return strings.Join(parts, separator)
}

// render formats a call with keyword arguments.
func render(spec Spec, args bound) string {
	return spec.Name + "(" + each(spec, args, ", ", func(name string, v python.Value) string { return name + "=" + python.Repr(v) }) + ")"
}

// Make builds an action on behalf of the program. It fails if the arguments do not fit the tool.
func Make(spec Spec, args map[string]any) (qa.Action, error) {
	call := python.Call{Name: spec.Name}
	for _, p := range spec.Params {
		if v, ok := args[p.Name]; ok {
			call.Keywords = append(call.Keywords, python.Keyword{Name: p.Name, Value: fromGo(v)})
		}
	}
	b, bad := Python.bind(spec, call)
	if bad != nil {
		return qa.Action{}, fmt.Errorf("make a call of %s: %s", spec.Name, bad.Reason)
	}
	return *action(spec, b, call), nil
}

// Value returns an argument of an action as the original Python value.
func Value(a qa.Action, name string) (python.Value, bool) { return valueIn(a.Text, name) }

// LaTeXValue is [Value] with LaTeX commands unchanged; it returns false if that makes no difference.
func LaTeXValue(a qa.Action, name string) (python.Value, bool) { return valueIn(a.LaTeX, name) }

func valueIn(text, name string) (python.Value, bool) {
	call, err := python.ParseCall(text, 0, python.Options{})
	if err != nil {
		return nil, false
	}
	for _, k := range call.Keywords {
		if k.Name == name {
			return k.Value, true
		}
	}
	return nil, false
}
