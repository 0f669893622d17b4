package action

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"airqa/internal/pyliteral"
)

// Format is the notation in which a model writes an action as text.
type Format string

// The formats. An action means the same in each; the log has it as a Python call.
const (
	// Python is one call with literal values: Query(sql="SELECT 1").
	Python Format = "python"
	// JSON is an object with action_type and parameters.
	JSON Format = "json"
	// XML is an element action with action_type and parameters; a tag that comes again makes a list.
	XML Format = "xml"
	// YAML has the two keys of JSON.
	YAML Format = "yaml"
)

// Formats are the names of the formats, the default first.
func Formats() []string { return []string{string(Python), string(JSON), string(XML), string(YAML)} }

// orPython is the format itself; the zero value is Python.
func (f Format) orPython() Format {
	if f == "" {
		return Python
	}
	return f
}

// Rule says in a sentence or two how an action is written.
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

// Write prints a call in the format. The arguments are those of the call that are given, in the tool's own order.
func (f Format) Write(spec Spec, args map[string]any) string {
	switch f {
	case JSON:
		return writeJSON(spec, args)
	case XML:
		return writeXML(spec, args)
	case YAML:
		return writeYAML(spec, args)
	}
	var parts []string
	for _, p := range spec.Params {
		if v, ok := args[p.Name]; ok {
			parts = append(parts, p.Name+"="+pythonText(v))
		}
	}
	return spec.Name + "(" + strings.Join(parts, ", ") + ")"
}

// pythonText prefers double quotes, as the texts of the tools do.
func pythonText(v any) string {
	if s, ok := v.(string); ok && !strings.ContainsAny(s, "\"\\\n") {
		return `"` + s + `"`
	}
	return repr(v)
}

func writeJSON(spec Spec, args map[string]any) string {
	var parts []string
	for _, p := range spec.Params {
		if v, ok := args[p.Name]; ok {
			parts = append(parts, quoted(p.Name)+": "+quoted(v))
		}
	}
	return `{"action_type": ` + quoted(spec.Name) + `, "parameters": {` + strings.Join(parts, ", ") + "}}"
}

func quoted(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return `""` // arguments are plain values
	}
	return strings.TrimSpace(b.String())
}

func writeXML(spec Spec, args map[string]any) string {
	var b strings.Builder
	b.WriteString("<action><action_type>" + spec.Name + "</action_type><parameters>")
	for _, p := range spec.Params {
		v, ok := args[p.Name]
		if !ok {
			continue
		}
		items, isList := v.([]any)
		if !isList {
			items = []any{v}
		}
		for _, item := range items {
			_, _ = fmt.Fprintf(&b, "<%s>%v</%s>", p.Name, item, p.Name)
		}
	}
	b.WriteString("</parameters></action>")
	return b.String()
}

func writeYAML(spec Spec, args map[string]any) string {
	var b strings.Builder
	b.WriteString("action_type: " + spec.Name + "\nparameters:")
	for _, p := range spec.Params {
		if v, ok := args[p.Name]; ok {
			b.WriteString("\n  " + p.Name + ": " + quoted(v)) // JSON is YAML
		}
	}
	return b.String()
}

// written is a call as it was found in a reply.
type written struct {
	name string
	args []pyliteral.Keyword
	end  int
}

// starts are where an action may begin in a reply without a label.
var starts = map[Format]*regexp.Regexp{
	JSON: regexp.MustCompile(`\{\s*"(?:action_type|parameters|name|arguments)"\s*:`),
	XML:  regexp.MustCompile(`<action>`),
	YAML: regexp.MustCompile(`(?m)^[ \t]*action_type[ \t]*:`),
}

// read reads the call that begins at byte i of a reply; it ends at or before limit.
func (f Format) read(reply string, i, limit int) (written, *pyliteral.Error) {
	switch f {
	case JSON:
		return readJSON(reply, i)
	case XML:
		return readXML(reply, i)
	}
	return readYAML(reply, i, limit)
}

func syntax(offset int, format string, args ...any) *pyliteral.Error {
	return &pyliteral.Error{Offset: offset, Reason: fmt.Sprintf(format, args...)}
}

func readJSON(reply string, i int) (written, *pyliteral.Error) {
	var raw json.RawMessage
	dec := json.NewDecoder(strings.NewReader(reply[i:]))
	if err := dec.Decode(&raw); err != nil {
		return written{}, syntax(i+int(dec.InputOffset()), "it is no JSON object: %v", err)
	}
	v, err := pyliteral.FromJSON(raw)
	if err != nil {
		return written{}, syntax(i, "%v", err)
	}
	w, fault := fromDict(v, i)
	w.end = i + int(dec.InputOffset())
	return w, fault
}

// fromDict takes name and arguments from a mapping. The names of the keys that other protocols use are taken, too.
func fromDict(v pyliteral.Value, at int) (written, *pyliteral.Error) {
	d, ok := v.(*pyliteral.Dict)
	if !ok {
		return written{}, syntax(at, "it is a %s, not a mapping with action_type and parameters", pyliteral.Type(v))
	}
	var w written
	w.name, _ = first(d, "action_type", "name", "action").(string)
	if w.name == "" {
		return written{}, syntax(at, "action_type is missing")
	}
	switch args := first(d, "parameters", "arguments", "args").(type) {
	case nil:
	case *pyliteral.Dict:
		for k, v := range args.All() {
			w.args = append(w.args, pyliteral.Keyword{Name: pyliteral.Str(k), Value: v, Offset: at})
		}
	default:
		return w, syntax(at, "parameters is a %s, not a mapping", pyliteral.Type(args))
	}
	return w, nil
}

func first(d *pyliteral.Dict, names ...string) pyliteral.Value {
	for _, name := range names {
		if v, ok := d.Get(name); ok {
			return v
		}
	}
	return nil
}

// readYAML takes everything up to limit: nothing else says where a mapping ends.
func readYAML(reply string, i, limit int) (written, *pyliteral.Error) {
	text := reply[i:limit]
	if fence := strings.Index(text, "```"); fence >= 0 {
		text = text[:fence]
	}
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		return written{}, syntax(i, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	w, fault := fromDict(fromYAML(v), i)
	w.end = i + len(strings.TrimRight(text, " \t\r\n"))
	return w, fault
}

// fromYAML turns what the decoder made into the values of a call.
func fromYAML(v any) pyliteral.Value {
	switch x := v.(type) {
	case map[string]any:
		d := &pyliteral.Dict{}
		for _, k := range sortedKeys(x) {
			d.Set(k, fromYAML(x[k]))
		}
		return d
	case map[any]any:
		d := &pyliteral.Dict{}
		named := make(map[string]any, len(x))
		for k, item := range x {
			named[fmt.Sprint(k)] = item
		}
		for _, k := range sortedKeys(named) {
			d.Set(k, fromYAML(named[k]))
		}
		return d
	case []any:
		list := make(pyliteral.List, len(x))
		for i, item := range x {
			list[i] = fromYAML(item)
		}
		return list
	case int:
		return int64(x)
	case nil, bool, int64, float64, string:
		return x
	}
	return fmt.Sprint(v) // dates and numbers beyond 64 bits
}
