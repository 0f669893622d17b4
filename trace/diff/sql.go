package diff

import (
	"slices"
	"strings"

	"airqa/internal/sqltext"
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
	var tokens []sqltext.Token
	for t := range sqltext.Tokens(text) {
		if t.Kind != sqltext.Space && t.Kind != sqltext.Comment {
			tokens = append(tokens, cased(t))
		}
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].Text == ";" {
		tokens = tokens[:len(tokens)-1]
	}
	words := make([]string, len(tokens))
	for i, t := range tokens {
		if t.Text == "IN" && i+1 < len(tokens) && tokens[i+1].Text == "(" {
			sortList(tokens[i+2:])
		}
		words[i] = t.Text
	}
	return strings.Join(words, " ")
}

// cased returns a token in upper case if it is a keyword.
func cased(t sqltext.Token) sqltext.Token {
	if upper := t.Upper(); t.Kind == sqltext.Word && sqlKeywords[upper] {
		t.Text = upper
	}
	return t
}

// sortList sorts the literals of an IN list in place, whose order does not matter. It changes nothing if there is anything
// else before the closing parenthesis.
func sortList(tokens []sqltext.Token) {
	end := slices.IndexFunc(tokens, func(t sqltext.Token) bool { return t.Text == ")" })
	if end < 0 {
		return
	}
	var list []sqltext.Token
	for i, t := range tokens[:end] {
		isLiteral := t.Text[0] == '\'' || t.Kind == sqltext.Number
		switch {
		case i%2 == 0 && isLiteral:
			list = append(list, t)
		case i%2 == 0 || t.Text != ",":
			return
		}
	}
	slices.SortFunc(list, func(a, b sqltext.Token) int { return strings.Compare(a.Text, b.Text) })
	for i, t := range list {
		tokens[2*i] = t
	}
}
