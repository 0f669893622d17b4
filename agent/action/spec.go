package action

import (
	"cmp"
	"strings"

	"airqa/internal/python"
)

// Kind is the type of a parameter in Python syntax.
type Kind string

// The kinds.
const (
	Str    Kind = "str"
	Int    Kind = "int"
	Floats Kind = "List[float]"
	Any    Kind = "Any"
)

// Param is a parameter of a tool. The signature shows the default of an optional parameter.
type Param struct {
	Name     string
	Kind     Kind
	Required bool
	Default  any // nil, int64 or []any
}

// Spec describes a tool to the model: its name, its parameters in order, and a text.
type Spec struct {
	Name   string
	Params []Param
	// Text describes the tool; the signature is printed above it. It has a part "Parameters:" with one line each, and a
	// part "Examples:" with Python calls.
	Text string
	// Plain is the text for formats other than Python and for native calls; empty if Text does not mention Python.
	Plain string
}

// Signature formats the call like a Python definition: Retrieve(query: str, limit: int = 5).
func (s Spec) Signature() string {
	parts := make([]string, len(s.Params))
	for i, p := range s.Params {
		parts[i] = p.Name + ": " + string(p.Kind)
		if !p.Required {
			parts[i] += " = " + repr(p.Default)
		}
	}
	return s.Name + "(" + strings.Join(parts, ", ") + ")"
}

// Describe renders tools for the system prompt: a heading with the signature, then the text of each, with examples in
// the given format.
func Describe(specs []Spec, f Format) string {
	parts := make([]string, len(specs))
	for i, s := range specs {
		parts[i] = "### " + s.Signature() + "\n\n" + s.text(f)
	}
	return strings.Join(parts, "\n\n")
}

// Told returns the text below the signature in format f.
func (s Spec) Told(f Format) string {
	if f.orPython() == Python {
		return s.Text
	}
	return s.text(f)
}

func (s Spec) text(f Format) string {
	if f.orPython() == Python {
		return strings.TrimSpace(s.Text)
	}
	lines := strings.Split(strings.TrimSpace(s.plain()), "\n")
	for i, line := range lines {
		if at := strings.Index(line, s.Name+"("); strings.HasPrefix(line, "- ") && at > 0 {
			lines[i] = line[:at] + s.rewrite(line[at:], f)
		}
	}
	return strings.Join(lines, "\n")
}

func (s Spec) plain() string { return cmp.Or(s.Plain, s.Text) }

// rewrite converts an example to another format, on one line or below the text before it.
func (s Spec) rewrite(call string, f Format) string {
	c, err := python.ParseCall(call, 0, python.Options{})
	if err != nil {
		return call
	}
	args := make(map[string]any, len(c.Keywords))
	for _, k := range c.Keywords {
		args[k.Name] = python.ToGo(k.Value)
	}
	text := f.Write(s, args)
	if strings.Contains(text, "\n") {
		return "\n" + text
	}
	return text
}

// Names lists the names of tools for a sentence.
func Names(specs []Spec) string {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}
