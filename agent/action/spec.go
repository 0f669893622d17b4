package action

import "strings"

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
	// Text describes the tool; the signature is printed above it.
	Text string
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

// Describe renders tools for the system prompt: a heading with the signature, then the text of each.
func Describe(specs []Spec) string {
	parts := make([]string, len(specs))
	for i, s := range specs {
		parts[i] = "### " + s.Signature() + "\n\n" + strings.TrimSpace(s.Text)
	}
	return strings.Join(parts, "\n\n")
}

// Names lists the names of tools, for a sentence.
func Names(specs []Spec) string {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}
