package action

import (
	"html"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

// tagPattern matches the start of a parameter. Models do not escape text (a < b in SQL), so an element ends at its own
// closing tag, and markup inside it is text.
var tagPattern = lazyregexp.New(`^\s*<([A-Za-z_]\w*)>`)

func readXML(reply string, i int) (written, *python.Error) {
	body, end, fault := element(reply, i, "action")
	if fault != nil {
		return written{}, fault
	}
	w := written{end: end}
	at := i + len("<action>")
	inside := strings.Index(body, "<parameters>")
	rest := body
	if inside >= 0 {
		after := strings.LastIndex(body, "</parameters>")
		if after < inside {
			return w, syntax(end, "</parameters> is missing")
		}
		from := inside + len("<parameters>")
		if w.args, fault = tagged(reply, at+from, body[from:after]); fault != nil {
			return w, fault
		}
		rest = body[:inside] + body[after:]
	}
	name := strings.Index(rest, "<action_type>")
	if name < 0 {
		return w, syntax(at, "action_type is missing")
	}
	text, _, fault := element(rest, name, "action_type")
	if fault != nil {
		return w, syntax(at, "</action_type> is missing")
	}
	w.name = strings.TrimSpace(text)
	return w, nil
}

// element returns the body of the element that begins at byte i, and its end.
func element(reply string, i int, name string) (body string, end int, fault *python.Error) {
	i += len(name) + 2
	n := strings.Index(reply[i:], "</"+name+">")
	if n < 0 {
		return "", 0, syntax(len(reply), "</%s> is missing", name)
	}
	return reply[i : i+n], i + n + len(name) + 3, nil
}

// tagged reads the parameters. Repeated ones become lists.
func tagged(reply string, at int, text string) ([]python.Keyword, *python.Error) {
	var args []python.Keyword
	for end := at + len(text); strings.TrimSpace(reply[at:end]) != ""; {
		m := tagPattern.FindStringSubmatchIndex(reply[at:end])
		if m == nil {
			return nil, syntax(at, "a parameter is due here: <name>value</name>")
		}
		name, from := reply[at+m[2]:at+m[3]], at+m[2]-1
		body, next, fault := element(reply[:end], from, name)
		if fault != nil {
			return nil, syntax(from, "</%s> is missing", name)
		}
		args = addTagged(args, python.Keyword{Name: name, Value: plainText(body), Offset: from})
		at = next
	}
	return args, nil
}

func addTagged(args []python.Keyword, k python.Keyword) []python.Keyword {
	for i := range args {
		if args[i].Name != k.Name {
			continue
		}
		list, ok := args[i].Value.(python.List)
		if !ok {
			list = python.List{args[i].Value}
		}
		args[i].Value = append(list, k.Value)
		return args
	}
	return append(args, k)
}

// plainText returns an element's text, escaped or not, in a CDATA section or not.
func plainText(body string) string {
	trimmed := strings.TrimSpace(body)
	if inner, ok := strings.CutPrefix(trimmed, "<![CDATA["); ok && strings.HasSuffix(inner, "]]>") {
		return strings.TrimSuffix(inner, "]]>")
	}
	return html.UnescapeString(trimmed)
}
