package tools

import (
	"strings"

	"airqa/agent/action"
	"airqa/internal/lazyregexp"
)

var (
	// label matches the language of a statement, or a word for it, in front of the statement.
	label = lazyregexp.New("(?is)^(?:\\w*(?:sql|duckdb)\\w*(?: query)?\\s*:?|[a-z]+(?: [a-z]+)?:)\\s*((?:(?:select|with|from)\\b|```|~~~|[\"'`]).*)$")
	// quoted matches a statement in quotes of one kind.
	quoted = lazyregexp.New("(?is)^(?:\"\\s*((?:select|with|from|describe)\\b.*)\"|'\\s*((?:select|with|from|describe)\\b.*)'|`\\s*((?:select|with|from|describe)\\b.*)`);?$")
)

// Statement returns an SQL statement without what models write around one: a Markdown fence, the name of the language, a
// label, quotes around the whole. No statement begins with these.
func Statement(text string) string {
	for range 4 { // a label, a fence, the language, quotes
		text = unfenced(strings.TrimSpace(text))
		if m := label.FindStringSubmatch(text); m != nil {
			text = m[1]
		}
		if m := quoted.FindStringSubmatch(text); m != nil {
			text = m[1] + m[3]
			if m[2] != "" {
				text = single(m[2])
			}
		}
	}
	return text
}

// single undoes the doubling of quotes in a text in single quotes, if all are doubled.
func single(text string) string {
	if strings.Contains(strings.ReplaceAll(text, "''", ""), "'") {
		return text
	}
	return strings.ReplaceAll(text, "''", "'")
}

// unfenced returns the content of a text that begins with a Markdown fence; another text as it is.
func unfenced(text string) string {
	if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
		return action.LastBlock(text)
	}
	return text
}

// unquoted returns a query without a fence, and without quotes around the whole that it has nowhere else.
func unquoted(query string) string {
	text := unfenced(strings.TrimSpace(query))
	for _, q := range []string{`"`, "'", "`"} {
		if inner, ok := strings.CutPrefix(text, q); ok && strings.Count(inner, q) == 1 && strings.HasSuffix(inner, q) {
			return strings.TrimSuffix(inner, q)
		}
	}
	return text
}
