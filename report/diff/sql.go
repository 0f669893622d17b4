package diff

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// sqlKeywords are the words whose case does not matter. DuckDB ignores the case of names too, but shows them in results as
// they are written.
var sqlKeywords = wordSet(`ALL AND ANTI ANY AS ASC ASOF BETWEEN BY CASE CAST COLLATE CROSS CURRENT DESC DESCRIBE DISTINCT ELSE
END ESCAPE EXCEPT EXCLUDE EXISTS FALSE FETCH FILTER FIRST FOLLOWING FROM FULL GLOB GROUP GROUPING HAVING ILIKE IN INNER
INTERSECT INTERVAL INTO IS ISNULL JOIN LAST LATERAL LEFT LIKE LIMIT MATERIALIZED NATURAL NOT NOTNULL NULL NULLS OFFSET ON ONLY
OR ORDER ORDINALITY OUTER OVER PARTITION PIVOT POSITIONAL PRECEDING QUALIFY RANGE RECURSIVE REPLACE RIGHT ROLLUP ROW ROWS
SAMPLE SELECT SEMI SETS SIMILAR SOME TABLE TABLESAMPLE THEN TO TRUE UNBOUNDED UNION UNNEST UNPIVOT USING VALUES WHEN WHERE
WINDOW WITH WITHIN`)

func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// normalSQL returns a statement with one space between its tokens and keywords in upper case, without comments and a final
// semicolon, and with the literals of each IN list sorted. Literals and quoted names are kept as they are.
func normalSQL(text string) string {
	var tokens []string
	for text != "" {
		n := skipped(text)
		if n == 0 {
			n = token(text)
			tokens = append(tokens, cased(text[:n]))
		}
		text = text[n:]
	}
	for len(tokens) > 0 && tokens[len(tokens)-1] == ";" {
		tokens = tokens[:len(tokens)-1]
	}
	for i, word := range tokens {
		if word == "IN" && i+1 < len(tokens) && tokens[i+1] == "(" {
			sortList(tokens[i+2:])
		}
	}
	return strings.Join(tokens, " ")
}

// cased returns a token in upper case if it is a keyword.
func cased(word string) string {
	if c := word[0] | 0x20; c < 'a' || c > 'z' {
		return word
	}
	if upper := strings.ToUpper(word); sqlKeywords[upper] {
		return upper
	}
	return word
}

// skipped returns the length of the whitespace or the comment that a text begins with; 0 if it begins with a token.
func skipped(text string) int {
	switch {
	case strings.HasPrefix(text, "--"):
		return through(text, 0, "\n")
	case strings.HasPrefix(text, "/*"):
		return through(text, 2, "*/")
	}
	return len(text) - len(strings.TrimLeft(text, " \t\n\r"))
}

// token returns the length of the token that a text begins with.
func token(text string) int {
	switch c := text[0]; {
	case c == '\'' || c == '"':
		return literal(text, c)
	case isWord(c):
		return word(text)
	case len(text) < 2:
		return 1
	case text[:2] == "$$":
		return through(text, 2, "$$")
	case slices.Contains(operators, text[:2]):
		return 2
	}
	return 1
}

// word returns the length of a name, a keyword or a number.
func word(text string) int {
	n := 0
	for n < len(text) && (isWord(text[n]) || text[n] == '.' && isDigit(text[0])) {
		n++
	}
	return n
}

var operators = []string{"<=", ">=", "<>", "!=", "==", "||", "::", "->", "//", "**", "=>", ":="}

// through returns the position after the first end from a position on; the length of the text if there is none.
func through(text string, from int, end string) int {
	if i := strings.Index(text[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(text)
}

// literal returns the length of a text in quotes, in which a doubled quote is part of it.
func literal(text string, quote byte) int {
	for i := 1; i < len(text); i++ {
		if text[i] != quote {
			continue
		}
		if i+1 == len(text) || text[i+1] != quote {
			return i + 1
		}
		i++
	}
	return len(text)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return c == '_' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

// sortList sorts the literals of an IN list in place, whose order does not matter. It changes nothing if there is anything
// else before the closing parenthesis.
func sortList(tokens []string) {
	end := slices.Index(tokens, ")")
	if end < 0 {
		return
	}
	var list []string
	for i, t := range tokens[:end] {
		isLiteral := t[0] == '\'' || isDigit(t[0])
		switch {
		case i%2 == 0 && isLiteral:
			list = append(list, t)
		case i%2 == 0 || t != ",":
			return
		}
	}
	slices.Sort(list)
	for i, t := range list {
		tokens[2*i] = t
	}
}
