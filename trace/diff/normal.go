package diff

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/internal/words"
	"airqa/qa"
)

// arguments returns the arguments of an action in a form in which equal ones are the same text.
func arguments(a *qa.Action) map[string]string {
	normal := make(map[string]string, len(a.Args))
	for name, v := range a.Args {
		text, ok := v.(string)
		switch {
		case ok && name == "sql":
			normal[name] = normalSQL(text)
		case ok && name == "query":
			normal[name] = strings.Join(strings.Fields(text), " ")
		default:
			normal[name] = canonical(v)
		}
	}
	return normal
}

// canonical returns a value as JSON, in which the type of a number does not matter (5 and 5.0), nor the order of a list of
// uuids.
func canonical(v any) string {
	raw, err := json.Marshal(sorted(v))
	if err != nil { // an infinite number
		return fmt.Sprint(v)
	}
	return string(raw)
}

// sorted returns a value with each list of uuids inside sorted.
func sorted(v any) any {
	switch x := v.(type) {
	case []any:
		isID := func(e any) bool { text, ok := e.(string); return ok && qa.IsUUID(text) }
		list, ids := make([]any, len(x)), true
		for i, e := range x {
			list[i], ids = sorted(e), ids && isID(e)
		}
		if ids {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(x))
		for key, e := range x {
			object[key] = sorted(e)
		}
		return object
	}
	return v
}

// otherArguments returns the names of the arguments in which two actions differ, sorted.
func otherArguments(a, b *qa.Action) []string {
	if a == nil || b == nil {
		return nil
	}
	x, y := arguments(a), arguments(b)
	all := maps.Clone(x)
	maps.Copy(all, y)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool {
		v, inA := x[name]
		w, inB := y[name]
		return inA && inB && v == w
	})
}

// sqlKeywords are the words whose case does not matter. DuckDB ignores the case of names too, but shows them in results as
// they are written.
var sqlKeywords = words.Set(`ALL AND ANTI ANY AS ASC ASOF BETWEEN BY CASE CAST COLLATE CROSS CURRENT DESC DESCRIBE DISTINCT ELSE
END ESCAPE EXCEPT EXCLUDE EXISTS FALSE FETCH FILTER FIRST FOLLOWING FROM FULL GLOB GROUP GROUPING HAVING ILIKE IN INNER
INTERSECT INTERVAL INTO IS ISNULL JOIN LAST LATERAL LEFT LIKE LIMIT MATERIALIZED NATURAL NOT NOTNULL NULL NULLS OFFSET ON ONLY
OR ORDER ORDINALITY OUTER OVER PARTITION PIVOT POSITIONAL PRECEDING QUALIFY RANGE RECURSIVE REPLACE RIGHT ROLLUP ROW ROWS
SAMPLE SELECT SEMI SETS SIMILAR SOME TABLE TABLESAMPLE THEN TO TRUE UNBOUNDED UNION UNNEST UNPIVOT USING VALUES WHEN WHERE
WINDOW WITH WITHIN`)

// normalSQL returns a statement with one space between its tokens and keywords in upper case, without comments and a final
// semicolon, and with the literals of each IN list sorted. Literals and quoted names are kept as they are.
func normalSQL(text string) string {
	var tokens []sqlToken
	for t := range sqlTokens(text) {
		if t.kind != sqlSpace && t.kind != sqlComment {
			if upper := t.upper(); t.kind == sqlWord && sqlKeywords[upper] {
				t.text = upper
			}
			tokens = append(tokens, t)
		}
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].text == ";" {
		tokens = tokens[:len(tokens)-1]
	}
	words := make([]string, len(tokens))
	for i, t := range tokens {
		if t.text == "IN" && i+1 < len(tokens) && tokens[i+1].text == "(" {
			sortList(tokens[i+2:])
		}
		words[i] = t.text
	}
	return strings.Join(words, " ")
}

// sortList sorts the literals of an IN list in place, whose order does not matter. It changes nothing if there is anything
// else before the closing parenthesis.
func sortList(tokens []sqlToken) {
	end := slices.IndexFunc(tokens, func(t sqlToken) bool { return t.text == ")" })
	if end < 0 {
		return
	}
	var list []sqlToken
	for i, t := range tokens[:end] {
		isLiteral := t.text[0] == '\'' || t.kind == sqlNumber
		switch {
		case i%2 == 0 && isLiteral:
			list = append(list, t)
		case i%2 == 0 || t.text != ",":
			return
		}
	}
	slices.SortFunc(list, func(a, b sqlToken) int { return strings.Compare(a.text, b.text) })
	for i, t := range list {
		tokens[2*i] = t
	}
}
