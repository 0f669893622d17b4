package action

import (
	"strings"

	"airqa/internal/python"
)

// Kind is the type of a parameter, written as Python writes it.
type Kind string

// The kinds.
const (
	Str    Kind = "str"
	Int    Kind = "int"
	Floats Kind = "List[float]"
	Any    Kind = "Any"
)

// Param is a parameter of a tool. Default is printed in the signature when it is not required.
type Param struct {
	Name     string
	Kind     Kind
	Required bool
	Default  any // nil, int64 or []any
}

// Spec is what the model is told of a tool: its name, its parameters in order, and a text.
type Spec struct {
	Name   string
	Params []Param
	// Text describes the tool; the signature is printed above it. It has a part "Parameters:" with a line for each, and a part
	// "Examples:" with calls in Python.
	Text string
	// Plain is the text for other formats than Python and for native calls; empty where Text says nothing about Python.
	Plain string
}

// Signature prints the call as a Python definition would: Retrieve(query: str, limit: int = 5).
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

// Describe renders tools for the system prompt: a heading with the signature, then the text of each, with its examples in
// the format.
func Describe(specs []Spec, f Format) string {
	parts := make([]string, len(specs))
	for i, s := range specs {
		parts[i] = "### " + s.Signature() + "\n\n" + s.text(f)
	}
	return strings.Join(parts, "\n\n")
}

// Told is the text that stands below the signature, as the file has it for Python.
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

func (s Spec) plain() string {
	if s.Plain != "" {
		return s.Plain
	}
	return s.Text
}

// rewrite puts an example into another format: on one line, or below the words before it.
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

// Names lists the names of tools, for a sentence.
func Names(specs []Spec) string {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}
