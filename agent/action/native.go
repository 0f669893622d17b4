package action

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"airqa/internal/pyliteral"
	"airqa/qa"
)

// Native describes tools to a model that calls them natively: the first part of each text, and a JSON Schema of its
// parameters with what the text says of each.
func Native(specs []Spec) []qa.ToolSpec {
	var out []qa.ToolSpec
	for _, s := range specs {
		about, rest, _ := strings.Cut(strings.TrimSpace(s.plain()), "\n\nParameters:")
		out = append(out, qa.ToolSpec{Name: s.Name, Description: strings.TrimSpace(about), Parameters: s.schema(rest)})
	}
	return out
}

// paramLine is a line of the part "Parameters:" of a tool's text.
var paramLine = regexp.MustCompile(`(?m)^- (\w+) \([^)]*\): (.+)$`)

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

// schema is the JSON Schema of a parameter. A parameter of any type has none: some servers refuse lists of types.
func (p Param) schema(about string) string {
	kind := ""
	switch p.Kind {
	case Str:
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

// ReadCall turns a native call into an action. Errors have no position: the reply holds no text of the call.
func (g Grammar) ReadCall(c qa.ToolCall) (*qa.Action, *qa.ParseError) {
	spec, known := g.spec(c.Name)
	if !known {
		return nil, &qa.ParseError{Kind: qa.ErrUnknownAction, Reason: fmt.Sprintf("there is no tool %s here. The tools are %s.", short(c.Name), Names(g.Specs))}
	}
	v, err := pyliteral.FromJSON(c.Arguments)
	args, ok := v.(*pyliteral.Dict)
	if len(strings.TrimSpace(string(c.Arguments))) == 0 {
		args, ok, err = &pyliteral.Dict{}, true, nil
	}
	if err != nil || !ok {
		return nil, &qa.ParseError{Kind: qa.ErrSyntax, Reason: fmt.Sprintf("the arguments of %s are no JSON object: %s", spec.Name, short(string(c.Arguments)))}
	}
	call := pyliteral.Call{Name: spec.Name}
	for k, v := range args.All() {
		call.Keywords = append(call.Keywords, pyliteral.Keyword{Name: pyliteral.Str(k), Value: v})
	}
	b, fault := bind(spec, call)
	if fault != nil {
		return nil, &qa.ParseError{Kind: qa.ErrParameter, Reason: fault.reason}
	}
	return &qa.Action{Name: spec.Name, Args: plain(b), Text: render(spec, b)}, nil
}

// NoCall is the error of a reply without a native call.
func (g Grammar) NoCall() *qa.ParseError {
	return &qa.ParseError{Kind: qa.ErrNoAction, Reason: "the reply calls no tool. Call one of " + Names(g.Specs) + "; the answer is given by calling Answer."}
}
