package eval

import (
	"strings"

	"airqa/internal/python"
)

// listOf reads an answer as a list, as asList does, from Python or JSON or a mixture of both.
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

// dictOf reads an answer as a dictionary from Python or JSON or a mixture of both; nil when it is none.
func dictOf(v python.Value) *python.Dict {
	if d, ok := v.(*python.Dict); ok {
		return d
	}
	parsed, _ := literalOf(v)
	d, _ := parsed.(*python.Dict)
	return d
}

// literalOf reads a text as JSON, or else as a Python literal in which JSON's constants may stand. LaTeX commands in its
// strings stay as they are written: "\frac" is no form feed.
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

// latexKept reads a text that is JSON once more, with LaTeX commands as written.
func latexKept(text string, parsed python.Value) python.Value {
	if !strings.Contains(text, `\`) {
		return parsed
	}
	if kept, _, err := python.ParseJSON(text, 0, python.Options{LaTeX: true}); err == nil {
		return kept
	}
	return parsed
}

// keyText is a key as a text: 1 is "1".
func keyText(k python.Value, lowercase bool) string {
	s := python.Str(k)
	if lowercase {
		s = python.Lower(s)
	}
	return s
}

// quotes are pairs of marks that models put around a title.
var quotes = [][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}}

// unquoted returns a text without blanks at its ends, and without one pair of quotes around it.
func unquoted(s string) string {
	s = python.Strip(s)
	for _, q := range quotes {
		if len(s) > len(q[0])+len(q[1]) && s[:len(q[0])] == q[0] && s[len(s)-len(q[1]):] == q[1] {
			return python.Strip(s[len(q[0]) : len(s)-len(q[1])])
		}
	}
	return s
}
