package action

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
	"airqa/qa"
)

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

// schema returns the JSON Schema of a parameter. A parameter of any type is declared as a string, because Gemini
// refuses a parameter without a type, with a list of types, or with alternative schemas and a description. Other values
// are accepted nevertheless.
func (p Param) schema(about string) string {
	kind := ""
	switch p.Kind {
	case Str, Any:
		kind = `"type":"string",`
	case Int:
		kind = `"type":"integer",`
	case Floats:
		kind = `"type":"array","items":{"type":"number"},`
	}
	if !p.Required {
		about += " Default: " + quoted(p.Default) + "."
	}
	return `{` + kind + `"description":` + quoted(strings.TrimSpace(about)) + `}`
}

// ReadCall converts a native call to an action. Errors have no position, because the call is not part of the reply's
// text. Arguments that are not valid JSON arrive as a JSON string and are parsed leniently, as in the format JSON.
func (g Grammar) ReadCall(c qa.ToolCall) (*qa.Action, *qa.ParseError) {
	spec, known := g.spec(c.Name)
	if !known {
		return nil, &qa.ParseError{Kind: qa.ErrUnknownAction, Reason: fmt.Sprintf("there is no tool %s here. The tools are %s.", short(c.Name), Names(g.Specs))}
	}
	text := strings.TrimSpace(string(c.Arguments))
	var raw string
	if json.Unmarshal(c.Arguments, &raw) == nil {
		text = strings.TrimSpace(raw)
	}
	text = cmp.Or(text, "{}")
	call, ok := nativeCall(spec, text, false)
	latex, latexOK := nativeCall(spec, text, true)
	if !ok && latexOK {
		call, ok = latex, true
	}
	if !ok {
		return nil, &qa.ParseError{Kind: qa.ErrSyntax, Reason: fmt.Sprintf("the arguments of %s are not a JSON object: %s", spec.Name, short(text))}
	}
	b, fault := wording{json: true}.bind(spec, call)
	if fault != nil {
		return nil, &qa.ParseError{Kind: qa.ErrParameter, Reason: fault.reason}
	}
	return action(spec, b, latex), nil
}

// nativeCall reads the arguments of a native call.
func nativeCall(spec Spec, text string, latex bool) (python.Call, bool) {
	call := python.Call{Name: spec.Name}
	v, end, err := python.ParseJSON(text, 0, python.Options{Loose: true, LaTeX: latex})
	args, ok := v.(*python.Dict)
	if err != nil || !ok || strings.TrimSpace(text[end:]) != "" {
		return call, false
	}
	for k, v := range args.All() {
		call.Keywords = append(call.Keywords, python.Keyword{Name: python.Str(k), Value: v})
	}
	return call, true
}

// NoCall is the error of a reply without a native call.
func (g Grammar) NoCall() *qa.ParseError {
	return &qa.ParseError{Kind: qa.ErrNoAction, Reason: "the reply calls no tool. Call one of " + Names(g.Specs) + "; the answer is given by calling Answer."}
}
