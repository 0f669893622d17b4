package action

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/ledger"
	"airqa/internal/python"
)

// Format is the text format of actions.
type Format string

// The formats. Actions are equivalent in all of them; the log stores the Python call.
const (
	// Python is one call with literal values: Query(sql="SELECT 1").
	Python Format = "python"
	// JSON is an object with action_type and parameters.
	JSON Format = "json"
	// XML is an element action with action_type and parameters; repeated tags make a list.
	XML Format = "xml"
	// YAML has the two keys of JSON.
	YAML Format = "yaml"
)

// Formats lists the names of the formats, the default first.
func Formats() []string { return []string{string(Python), string(JSON), string(XML), string(YAML)} }

// orPython returns f, or Python for the zero value.
func (f Format) orPython() Format { return cmp.Or(f, Python) }

// Rule describes in a sentence or two how to write an action.
func (f Format) Rule() string {
	switch f {
	case JSON:
		return "An action is one JSON object with the keys action_type and parameters."
	case XML:
		return "An action is one element <action> with the elements action_type and parameters; in parameters there is an element for each parameter, and one for each item of a list. Text is taken as it is: nothing needs to be escaped."
	case YAML:
		return "An action is one YAML mapping with the keys action_type and parameters. Put text with special characters into quotes, or into a block after |."
	}
	return "An action is one call in Python syntax with literal values."
}

// Write formats a call with the given arguments, in the tool's own order.
func (f Format) Write(spec Spec, args map[string]any) string {
	switch f {
	case JSON:
		return `{"action_type": ` + quoted(spec.Name) + `, "parameters": {` +
			each(spec, args, ", ", func(name string, v any) string { return quoted(name) + ": " + quoted(v) }) + "}}"
	case XML:
		return "<action><action_type>" + spec.Name + "</action_type><parameters>" + each(spec, args, "", elements) + "</parameters></action>"
	case YAML: // of which JSON is a subset
		return "action_type: " + spec.Name + "\nparameters:" +
			each(spec, args, "", func(name string, v any) string { return "\n  " + name + ": " + quoted(v) })
	}
	return spec.Name + "(" + each(spec, args, ", ", func(name string, v any) string {
		if s, ok := v.(string); ok && !strings.ContainsAny(s, "\"\\\n") { // double quotes, like the tool texts
			return name + `="` + s + `"`
		}
		return name + "=" + repr(v)
	}) + ")"
}

func quoted(v any) string {
	text, _ := ledger.EncodeText(v) // arguments are plain values, which it can encode
	return text
}

// elements writes an argument in XML: an element, or one for each item of a list.
func elements(name string, v any) string {
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	var text strings.Builder
	for _, item := range items {
		fmt.Fprintf(&text, "<%s>%v</%s>", name, item, name)
	}
	return text.String()
}

// yamlKey reports whether a line begins with a key of an action in YAML.
func yamlKey(line string) bool {
	for _, key := range []string{"action_type", "parameters"} {
		if rest, ok := strings.CutPrefix(line, key); ok && strings.HasPrefix(strings.TrimLeft(rest, " \t"), ":") {
			return true
		}
	}
	return false
}

// read reads the call that begins at byte i of a reply and ends at or before limit. Of the options, those of escapes count.
func (g Grammar) read(reply string, i, limit int, o python.Options) (python.Call, error) {
	switch g.Format {
	case JSON:
		// Models write SQL and LaTeX with line breaks in strings and unknown escapes.
		v, end, err := python.ParseJSON(reply, i, python.Options{Loose: true, LaTeX: o.LaTeX, KeepControls: o.KeepControls, UniqueKeys: true})
		if bad := (*python.Error)(nil); errors.As(err, &bad) {
			return python.Call{}, invalid(bad.Offset, "it is no JSON object: %s", bad.Reason)
		}
		return g.fromDict(v, i, end)
	case XML:
		return readXML(reply, i)
	}
	return g.readYAML(reply, i, limit, o)
}

// invalid makes the error of a call or an argument at a byte of the reply.
func invalid(offset int, format string, args ...any) *python.Error {
	return &python.Error{Offset: offset, Reason: fmt.Sprintf(format, args...)}
}

// fromDict makes a call of the mapping between two bytes. The keys of other protocols count too.
func (g Grammar) fromDict(v python.Value, start, end int) (python.Call, error) {
	call := python.Call{NameStart: start, End: end}
	d, ok := v.(*python.Dict)
	if !ok {
		return call, invalid(start, "it is a %s, not a mapping with action_type and parameters", python.Type(v))
	}
	name, args := g.callIn(d)
	inner, ok := args.(*python.Dict)
	switch call.Name = name; {
	case ok && name == "":
		return g.fromDict(inner, start, end) // {"type": "function", "function": {...}}
	case name == "":
		return call, invalid(start, "action_type is missing")
	case args != nil && !ok:
		return call, invalid(start, "parameters is a %s, not a mapping", python.Type(args))
	case ok:
		call.Keywords = keywords(inner, start)
	}
	return call, nil
}

// keywords are the items of a mapping at byte i as the arguments of a call.
func keywords(d *python.Dict, i int) (args []python.Keyword) {
	for k, v := range d.All() {
		args = append(args, python.Keyword{Name: python.Str(k), Value: v, Offset: i})
	}
	return args
}

// callIn returns the name and the arguments of the call in a mapping. Without the keys action_type and parameters, the name is the
// first text that is the name of a tool, and the arguments are the first mapping, which may be in a text. A key that is the name of
// a tool has its arguments.
func (g Grammar) callIn(d *python.Dict) (string, python.Value) {
	typed, _ := d.Get("action_type")
	name, _ := typed.(string)
	args, given := d.Get("parameters")
	for k, v := range d.All() {
		text, _ := v.(string)
		inner, isDict := v.(*python.Dict)
		key := python.Str(k)
		if spec := g.tool(key); spec != nil && spec.Name == key && isDict && name == "" {
			return key, inner
		}
		if name == "" && g.tool(text) != nil {
			name = text
		}
		if parsed, ok := python.ReadJSON(text); ok && strings.HasPrefix(text, "{") {
			inner, isDict = parsed.(*python.Dict)
		}
		if isDict && !given {
			args, given = inner, true
		}
	}
	return name, args
}

// fence opens and closes a code block.
const fence = "```"

var language = lazyregexp.New(`^[ \t]*[\w+-]*[ \t]*\r?\n`)

// LastBlock returns the trimmed content of the last fenced block of a reply, ignoring thinking, or the whole trimmed
// reply if there is none. Baselines that ask once read their answer this way. A block that a line opens and nothing
// closes runs to the end.
func LastBlock(reply string) string {
	reply = Visible(reply)
	block := strings.Trim(strings.TrimSpace(reply), "`")
	for open, mark := fenceFrom(reply, 0); mark != ""; {
		from := open + len(mark)
		from += len(language.FindString(reply[from:]))
		n := strings.Index(reply[from:], mark)
		if n < 0 {
			if beginsLine(reply, open) {
				block = reply[from:]
			}
			break
		}
		block = reply[from : from+n]
		open, mark = fenceFrom(reply, from+n+len(mark))
	}
	return strings.TrimSpace(block)
}

// fenceFrom finds the next fence and returns its characters, if any: three or more backticks, or tildes that begin a line.
func fenceFrom(text string, at int) (open int, mark string) {
	for {
		n := strings.IndexAny(text[at:], "`~")
		if n < 0 {
			return len(text), ""
		}
		open = at + n
		at = pass(text, open, text[open:open+1])
		if at-open >= len(fence) && (text[open] == '`' || beginsLine(text, open) && language.MatchString(text[at:])) {
			return open, text[open:at]
		}
	}
}

func beginsLine(text string, i int) bool {
	before := strings.TrimRight(text[:i], " \t>")
	return before == "" || strings.HasSuffix(before, "\n")
}
