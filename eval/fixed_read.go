package eval

import (
	"strings"

	"airqa/internal/python"
)

// listOf reads an answer as a list, like asList, from Python or JSON or a mixture of both.
func listOf(v python.Value) (items []python.Value, read bool) {
	if items, ok := elements(v); ok {
		return items, true
	}
	if parsed, ok := literalOf(v); ok {
		if items, ok := elements(parsed); ok {
			return items, true
		}
	}
	return []python.Value{v}, false
}

// dictOf reads an answer as a dictionary from Python or JSON or a mixture of both, or returns nil.
func dictOf(v python.Value) *python.Dict {
	if d, ok := v.(*python.Dict); ok {
		return d
	}
	parsed, _ := literalOf(v)
	d, _ := parsed.(*python.Dict)
	return d
}

// literalOf reads a text as JSON, or else as a Python literal that may contain JSON's constants. LaTeX commands in
// strings keep their backslashes: "\frac" is not a form feed.
func literalOf(v python.Value) (python.Value, bool) {
	text, ok := sourceText(v)
	if !ok {
		return nil, false
	}
	if parsed, ok := python.ReadJSON(text); ok {
		return latexKept(text, parsed), true
	}
	parsed, err := python.Parse(text, python.Options{JSONConstants: true, LaTeX: true})
	return parsed, err == nil
}

// latexKept re-reads a JSON text, keeping LaTeX commands as written.
func latexKept(text string, parsed python.Value) python.Value {
	if !strings.Contains(text, `\`) {
		return parsed
	}
	if kept, _, err := python.ParseJSON(text, 0, python.Options{LaTeX: true}); err == nil {
		return kept
	}
	return parsed
}

// keyText is a key as text: 1 is "1".
func keyText(k python.Value, lowercase bool) string {
	s := python.Str(k)
	if lowercase {
		s = python.Lower(s)
	}
	return s
}

// quotes are the pairs of quotation marks that models put around a title.
var quotes = [][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}}

// unquoted returns a text without surrounding whitespace and one pair of quotes.
func unquoted(s string) string {
	s = python.Strip(s)
	for _, q := range quotes {
		if len(s) > len(q[0])+len(q[1]) && s[:len(q[0])] == q[0] && s[len(s)-len(q[1]):] == q[1] {
			return python.Strip(s[len(q[0]) : len(s)-len(q[1])])
		}
	}
	return s
}
