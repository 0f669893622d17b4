package action

import (
	"html"
	"slices"
	"strings"

	"airqa/internal/lazyregexp"
	"airqa/internal/python"
)

var (
	openingTag = lazyregexp.New(`^\s*<([\w:.-]+)([^<>\n]*)>`)
	grouping   = lazyregexp.New(`^</?parameters>`)
)

// readXML reads the action at byte i: an element with its type, and one for each parameter. Repeated ones become a list.
func readXML(reply string, i int) (python.Call, error) {
	call := python.Call{NameStart: i, End: i + len("<action>")}
	for inside := false; ; {
		call.End = pass(reply, call.End, " \t\r\n")
		switch rest := reply[call.End:]; {
		case grouping.MatchString(rest):
			call.End += len(grouping.FindString(rest))
			inside = rest[1] != '/'
			continue
		case strings.HasPrefix(rest, "</action>") && call.Name == "":
			return call, invalid(call.End, "action_type is missing")
		case strings.HasPrefix(rest, "</action>"):
			call.End += len("</action>")
			return call, nil
		}
		name, _, body, end := element(reply, call.End)
		switch {
		case name == "":
			return call, invalid(call.End, "a parameter is due here: <name>value</name>, or </action> is missing")
		case end < 0:
			call.End = len(reply)
			return call, invalid(call.End, "</%s> is missing", name)
		case name == "action_type":
			call.Name = strings.TrimSpace(body)
		case inside:
			text := strings.TrimSpace(body)
			if inner, ok := strings.CutPrefix(text, "<![CDATA["); ok && strings.HasSuffix(inner, "]]>") {
				text = strings.TrimSuffix(inner, "]]>")
			} else {
				text = html.UnescapeString(text)
			}
			call.Keywords = addElement(call.Keywords, python.Keyword{Name: name, Value: text, Offset: call.End})
		}
		call.End = end
	}
}

// element reads the element at byte i of a text: its name, which is empty if none begins there, its attributes and its body. It
// ends at its own closing tag, because models do not escape text (a < b in SQL); the end is -1 if there is none.
func element(text string, i int) (name, attributes, body string, end int) {
	m := openingTag.FindStringSubmatch(text[i:])
	if m == nil {
		return "", "", "", -1
	}
	from, closing := i+len(m[0]), "</"+m[1]+">"
	n := strings.Index(text[from:], closing)
	if n < 0 {
		return m[1], m[2], "", -1
	}
	return m[1], m[2], text[from : from+n], from + n + len(closing)
}

// addElement adds an element to the arguments.
func addElement(args []python.Keyword, k python.Keyword) []python.Keyword {
	i := slices.IndexFunc(args, func(other python.Keyword) bool { return other.Name == k.Name })
	if i < 0 {
		return append(args, k)
	}
	list, ok := args[i].Value.(python.List)
	if !ok {
		list = python.List{args[i].Value}
	}
	args[i].Value = append(list, k.Value)
	return args
}
