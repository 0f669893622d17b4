package action

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/qa"
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
		parts[i] = "### " + s.Signature() + "\n\n" + strings.TrimSpace(s.Told(f))
	}
	return strings.Join(parts, "\n\n")
}

// Told returns the text below the signature in format f.
func (s Spec) Told(f Format) string {
	if f.orPython() == Python {
		return s.Text
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

// param finds a parameter by its name in any letter case.
func (s Spec) param(name string) string {
	for _, p := range s.Params {
		if strings.EqualFold(p.Name, name) {
			return p.Name
		}
	}
	return ""
}

// paramIn finds the parameter that the tag of an element names: <query>, <parameter=query>, <parameter name="query">.
func (s Spec) paramIn(tag string) string {
	words := strings.FieldsFunc(tag, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return s.param(strings.Join(words[max(0, len(words)-1):], ""))
}

// Names lists the names of tools for a sentence.
func Names(specs []Spec) string {
	names := make([]string, len(specs))
	for i, s := range specs {
		names[i] = s.Name
	}
	return strings.Join(names, ", ")
}

// Native describes tools to a model with native tool calls: the first part of each text, and a JSON Schema of its
// parameters with their descriptions.
func Native(specs []Spec) []qa.ToolSpec {
	var out []qa.ToolSpec
	for _, s := range specs {
		about, rest, _ := strings.Cut(strings.TrimSpace(s.plain()), "\n\nParameters:")
		out = append(out, qa.ToolSpec{Name: s.Name, Description: strings.TrimSpace(about), Parameters: s.schema(rest)})
	}
	return out
}

// paramLine matches a line of the "Parameters:" part of a tool's text.
var paramLine = lazyregexp.New(`(?m)^- (\w+) \([^)]*\): (.+)$`)

func (s Spec) schema(text string) json.RawMessage {
	about := make(map[string]string)
	for _, m := range paramLine.FindAllStringSubmatch(text, -1) {
		about[m[1]] = m[2]
	}
	var properties, required []string
	for _, p := range s.Params {
		properties = append(properties, quoted(p.Name)+":"+p.schema(about[p.Name]))
		if p.Required {
			required = append(required, quoted(p.Name))
		}
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` +
		strings.Join(required, ",") + `],"additionalProperties":false}`)
}

// schema returns the JSON Schema of a parameter.
func (p Param) schema(about string) string {
	if !p.Required {
		about += " Default: " + quoted(p.Default) + "."
	}
	return `{` + kinds[p.Kind].schema + `,"description":` + quoted(strings.TrimSpace(about)) + `}`
}

// ReadCall converts a native call to an action. Errors have no position, because the call is not part of the reply's
// text. Arguments that are not valid JSON arrive as a JSON string and are parsed leniently, as in the format JSON.
func (g Grammar) ReadCall(c qa.ToolCall) (*qa.Action, *qa.ParseError) {
	spec := g.tool(c.Name)
	if spec == nil {
		return nil, &qa.ParseError{Kind: qa.ErrUnknownAction, Reason: fmt.Sprintf("there is no tool %s here. The tools are %s.", short(c.Name), Names(g.Specs))}
	}
	text := string(c.Arguments)
	if raw := ""; json.Unmarshal(c.Arguments, &raw) == nil {
		text = raw
	}
	text = cmp.Or(strings.TrimSpace(text), "{}")
	call, latex, err := g.objectArguments(*spec, text, 0)
	if err != nil || strings.TrimSpace(text[call.End:]) != "" {
		return nil, &qa.ParseError{Kind: qa.ErrSyntax, Reason: fmt.Sprintf("the arguments of %s are not a JSON object: %s", spec.Name, short(text))}
	}
	b, fault := JSON.bind(*spec, call)
	if fault != nil {
		return nil, &qa.ParseError{Kind: qa.ErrParameter, Reason: fault.Reason}
	}
	return action(*spec, b, latex), nil
}

// objectArguments reads the JSON object at byte i of a text as the arguments of a tool, see [Grammar.variants].
func (g Grammar) objectArguments(spec Spec, text string, i int) (call, latex python.Call, err error) {
	return g.variants(text, i, func(o python.Options) (python.Call, error) {
		o.Loose = true
		call := python.Call{Name: spec.Name, NameStart: i}
		v, end, err := python.ParseJSON(text, i, o)
		args, ok := v.(*python.Dict)
		if err != nil || !ok {
			return call, cmp.Or(err, errors.New("no object")) // the caller has its own words
		}
		call.Keywords, call.End = keywords(args, i), end
		return call, nil
	})
}

// NoCall is the error of a reply without a native call.
func (g Grammar) NoCall() *qa.ParseError {
	return &qa.ParseError{Kind: qa.ErrNoAction, Reason: "the reply calls no tool. Call one of " + Names(g.Specs) + "; the answer is given by calling Answer."}
}
