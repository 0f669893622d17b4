package eval

import (
	"strings"

	"airqa/internal/python"
)

// listOf reads an answer as a list. Anything else becomes a list of one element, with read false. The authors evaluate
// the text as Python; here it must be a literal.
func listOf(v python.Value, m Mode) (items []python.Value, read bool) {
	if items, ok := python.Elements(v); ok {
		return items, true
	}
	if parsed, ok := literalOf(v, m); ok {
		if items, ok := python.Elements(parsed); ok {
			return items, true
		}
	}
	return []python.Value{v}, false
}

// literalOf reads a text as a Python literal. In [Fixed] it may be JSON or contain JSON's constants, and LaTeX commands
// in strings keep their backslashes: "\frac" is not a form feed.
func literalOf(v python.Value, m Mode) (python.Value, bool) {
	text, ok := sourceText(v)
	if !ok {
		return nil, false
	}
	if m != Fixed {
		return python.Read(text)
	}
	if parsed, ok := python.ReadJSON(text); ok {
		if strings.Contains(text, `\`) {
			if kept, _, err := python.ParseJSON(text, 0, python.Options{LaTeX: true}); err == nil {
				parsed = kept
			}
		}
		return parsed, true
	}
	parsed, err := python.Parse(text, python.Options{JSONConstants: true, LaTeX: true})
	return parsed, err == nil
}

// sourceText returns v if Python could evaluate it.
func sourceText(v python.Value) (string, bool) {
	switch x := v.(type) {
	case string:
		return x, true
	case python.Bytes:
		return string(x), true
	}
	return "", false
}

// dictOf reads an answer as a dictionary. In [Reference], a JSON text may hold another type (nil then), and an
// unreadable answer gives an empty dictionary with read false.
func dictOf(v python.Value, m Mode) (d *python.Dict, read bool) {
	if d, ok := v.(*python.Dict); ok {
		return d, true
	}
	if text, ok := sourceText(v); ok && m != Fixed {
		if parsed, ok := python.ReadJSON(text); ok {
			d, _ := parsed.(*python.Dict)
			return d, true
		}
	}
	parsed, _ := literalOf(v, m)
	d, read = parsed.(*python.Dict)
	if !read && m != Fixed {
		d = &python.Dict{}
	}
	return d, read
}

// quotes are the pairs of quotation marks that models put around a title.
var quotes = [][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}}

// undelimited returns the text between the first pair of delimiters that surrounds s, or s.
func undelimited(s string, pairs [][2]string) string {
	for _, p := range pairs {
		if len(s) > len(p[0])+len(p[1]) && strings.HasPrefix(s, p[0]) && strings.HasSuffix(s, p[1]) {
			return s[len(p[0]) : len(s)-len(p[1])]
		}
	}
	return s
}

// trimmed strips the whitespace around a text and returns any other value unchanged.
func trimmed(v python.Value) python.Value {
	if s, ok := v.(string); ok {
		return python.Strip(s)
	}
	return v
}
