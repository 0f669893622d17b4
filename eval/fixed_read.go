package eval

import (
	"strings"

	"airqa/internal/python"
)

// listOf reads an answer as a list, like asList, from Python or JSON or a mixture of both.
func listOf(v python.Value) (items []python.Value, read bool) { return listBy(v, literalOf) }

// literalOf reads a text as JSON, or else as a Python literal that may contain JSON's constants. LaTeX commands in
// strings keep their backslashes: "\frac" is not a form feed.
func literalOf(v python.Value) (python.Value, bool) {
	text, ok := sourceText(v)
	if !ok {
		return nil, false
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
func unquoted(s string) string { return python.Strip(undelimited(python.Strip(s), quotes)) }

// undelimited returns the text between the first pair of delimiters that surrounds s, or s.
func undelimited(s string, pairs [][2]string) string {
	for _, p := range pairs {
		if len(s) > len(p[0])+len(p[1]) && strings.HasPrefix(s, p[0]) && strings.HasSuffix(s, p[1]) {
			return s[len(p[0]) : len(s)-len(p[1])]
		}
	}
	return s
}
