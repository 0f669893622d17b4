package action

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

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
	each := func(separator string, write func(name string, v any) string) string {
		var parts []string
		for _, p := range spec.Params {
			if v, ok := args[p.Name]; ok {
				parts = append(parts, write(p.Name, v))
			}
		}
		return strings.Join(parts, separator)
	}
	switch f {
	case JSON:
		return `{"action_type": ` + quoted(spec.Name) + `, "parameters": {` +
			each(", ", func(name string, v any) string { return quoted(name) + ": " + quoted(v) }) + "}}"
	case XML:
		return "<action><action_type>" + spec.Name + "</action_type><parameters>" + each("", elements) + "</parameters></action>"
	case YAML: // of which JSON is a subset
		return "action_type: " + spec.Name + "\nparameters:" +
			each("", func(name string, v any) string { return "\n  " + name + ": " + quoted(v) })
	}
	return spec.Name + "(" + each(", ", func(name string, v any) string { return name + "=" + pythonText(v) }) + ")"
}

// pythonText prefers double quotes, like the tool texts.
func pythonText(v any) string {
	if s, ok := v.(string); ok && !strings.ContainsAny(s, "\"\\\n") {
		return `"` + s + `"`
	}
	return repr(v)
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

// elements writes an argument in XML: an element, or one for each item of a list.
func elements(name string, v any) string {
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	var b strings.Builder
	for _, item := range items {
		_, _ = fmt.Fprintf(&b, "<%s>%v</%s>", name, item, name)
	}
	return b.String()
}

// written is a call as found in a reply.
type written struct {
	name string
	args []python.Keyword
	end  int
}

func (w written) call(start int) python.Call {
	return python.Call{Name: w.name, Keywords: w.args, NameStart: start, End: w.end}
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

// read reads the call that begins at byte i of a reply and ends at or before limit. If latex is true, LaTeX commands
// are kept.
func (f Format) read(reply string, i, limit int, latex bool) (written, *python.Error) {
	switch f {
	case JSON:
		// Models write SQL and LaTeX with line breaks in strings and unknown escapes.
		v, end, err := python.ParseJSON(reply, i, python.Options{Loose: true, LaTeX: latex})
		if bad := (*python.Error)(nil); errors.As(err, &bad) {
			return written{}, syntax(bad.Offset, "it is no JSON object: %s", bad.Reason)
		}
		w, fault := fromDict(v, i)
		w.end = end
		return w, fault
	case XML:
		return readXML(reply, i)
	}
	return readYAML(reply, i, limit, latex)
}

func syntax(offset int, format string, args ...any) *python.Error {
	return &python.Error{Offset: offset, Reason: fmt.Sprintf(format, args...)}
}

// fromDict takes name and arguments from a mapping. It also accepts the keys of other protocols.
func fromDict(v python.Value, at int) (written, *python.Error) {
	d, ok := v.(*python.Dict)
	if !ok {
		return written{}, syntax(at, "it is a %s, not a mapping with action_type and parameters", python.Type(v))
	}
	var w written
	w.name, _ = first(d, "action_type", "name", "action").(string)
	if w.name == "" {
		return written{}, syntax(at, "action_type is missing")
	}
	switch args := first(d, "parameters", "arguments", "args").(type) {
	case nil:
	case *python.Dict:
		for k, v := range args.All() {
			w.args = append(w.args, python.Keyword{Name: python.Str(k), Value: v, Offset: at})
		}
	default:
		return w, syntax(at, "parameters is a %s, not a mapping", python.Type(args))
	}
	return w, nil
}

func first(d *python.Dict, names ...string) python.Value {
	for _, name := range names {
		if v, ok := d.Get(name); ok {
			return v
		}
	}
	return nil
}

// readYAML reads everything up to limit, because a mapping has no end marker.
func readYAML(reply string, i, limit int, latex bool) (written, *python.Error) {
	text := reply[i:limit]
	if fence := strings.Index(text, "```"); fence >= 0 {
		text = text[:fence]
	}
	end := i + len(strings.TrimRight(text, " \t\r\n"))
	if latex {
		text = doubleBackslashes(text)
	}
	var document yaml.Node
	err := yaml.Unmarshal([]byte(text), &document)
	var v python.Value
	if err == nil {
		v, err = fromYAML(&document)
	}
	if err != nil {
		return written{end: end}, syntax(i, "%s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	w, fault := fromDict(v, i)
	w.end = end
	return w, fault
}

// doubleBackslashes escapes the backslashes of LaTeX in double quotes.
func doubleBackslashes(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && (quoted || strings.HasSuffix(strings.TrimRight(text[max(0, i-3):i], " "), ":") || i > 0 && strings.IndexByte(" ,[{", text[i-1]) >= 0):
			quoted = !quoted
		case c == '\\' && quoted && i+1 < len(text):
			if python.LaTeXCommand(text[i:]) > 0 || strings.IndexByte("0abtnvfre \"/\\N_LPxuU\n\r", text[i+1]) < 0 {
				b.WriteByte('\\')
				break
			}
			b.WriteByte(c)
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// fromYAML converts a node to the value of a call. Decoding to maps would compare each key with all others.
func fromYAML(n *yaml.Node) (python.Value, error) {
	switch n.Kind {
	case yaml.DocumentNode:
		return fromYAML(n.Content[0])
	case yaml.MappingNode:
		d := &python.Dict{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := fromYAML(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			d.Set(n.Content[i].Value, v)
		}
		return d, nil
	case yaml.SequenceNode:
		list := make(python.List, len(n.Content))
		for i, item := range n.Content {
			var err error
			if list[i], err = fromYAML(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case yaml.ScalarNode:
		return scalar(n)
	}
	return nil, errors.New("aliases are not supported")
}

func scalar(n *yaml.Node) (python.Value, error) {
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case int:
		return int64(x), nil
	case nil, bool, int64, float64, string:
		return x, nil
	}
	return n.Value, nil // dates and numbers beyond 64 bits
}

var blockPattern = regexp.MustCompile("(?s)```(?:[\\w+-]*[ \t]*\n)?(.*?)```")

// LastBlock returns the trimmed content of the last fenced block of a reply, ignoring thinking, or the whole trimmed
// reply if there is none. Baselines that ask once read their answer this way.
func LastBlock(reply string) string {
	reply = reply[afterThinking(reply):]
	blocks := blockPattern.FindAllStringSubmatch(reply, -1)
	if len(blocks) == 0 {
		return strings.TrimSpace(strings.Trim(strings.TrimSpace(reply), "`"))
	}
	return strings.TrimSpace(blocks[len(blocks)-1][1])
}

// afterThinking returns the start of the visible part of a reply without an action. An answer may mention the tags in
// its text, so an opening tag counts only before any block, a closing one only at the end of its line.
func afterThinking(reply string) int {
	from := 0
	marks := marksOf(reply)
	closing := closings(marks)
	for i := 0; i < len(marks); i++ {
		m := marks[i]
		switch {
		case m.kind == openTag && !strings.Contains(reply[from:m.start], "```"):
			if i = closing[i]; i == len(marks) {
				return len(reply)
			}
			from = marks[i].end
		case m.kind == closeTag && (m.line || restBlank(reply, m.end)):
			from = m.end
		}
	}
	return from
}
