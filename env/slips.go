package env

import (
	"strings"

	"airqa/internal/lazyregexp"
)

// literal matches a text in a statement, or a name in double quotes, which may have a single quote.
var literal = lazyregexp.New(`"[^"]*"|'(?:[^']|'')*'`)

// slips are forms of other dialects: what the engine says about one, what the statement has outside of texts, and the
// form of DuckDB.
var slips = []struct {
	said, has *lazyregexp.Regexp
	form      string
}{
	{lazyregexp.New(`"[‘’“”]`), lazyregexp.New(`[‘’“”]`), "Write texts in straight single quotes: '…'."},
	{lazyregexp.New("near \"`|name `"), lazyregexp.New("`"), "Write names without backticks, or in double quotes."},
	{
		lazyregexp.New(`(?i)near "\d+"|name top `), lazyregexp.New(`(?i)\bTOP\s*\(?\s*(\d+)`),
		"Instead of TOP, write LIMIT $1 at the end.",
	},
	{lazyregexp.New(`NOT IMPLEMENTED`), lazyregexp.New(`(?i)\bLIMIT\s+(\d+)\s*,\s*(\d+)`), "Write LIMIT $2 OFFSET $1."},
	{
		lazyregexp.New(`(?i)near "(FROM|IN|FULL)"`), lazyregexp.New(`(?i)^\s*SHOW\s+(?:FULL\s+)?(?:COLUMNS|FIELDS)\s+\w+\s+(\w+)`),
		"Write DESCRIBE $1.",
	},
	{lazyregexp.New(`(?i)near "(RLIKE|REGEXP)"`), nil, "Write regexp_matches(column, 'pattern')."},
	{lazyregexp.New(`(?i)near "SEPARATOR"`), nil, "Write string_agg(column, 'separator')."},
	{lazyregexp.New(`(?i)near "AGAINST"`), nil, "Write column ILIKE '%word%'."},
	{lazyregexp.New(`(?i)name isnull `), nil, "Write column IS NULL."},
	{lazyregexp.New(`(?i)name convert `), nil, "Write CAST(column AS type)."},
	{lazyregexp.New(`near "[！-～]`), nil, "Write punctuation in ASCII."},
}

// missing matches the engine's words about an unknown column.
var missing = lazyregexp.New(`^Binder Error: Referenced column "([^"]+)" not found`)

// form returns a sentence with DuckDB's form of what an error is about, if the error shows that the statement has it in
// another dialect; otherwise "".
func form(sql, said string) string {
	bare := literal.ReplaceAllStringFunc(sql, func(text string) string {
		if text[0] == '"' {
			return text
		}
		return "''"
	})
	for _, s := range slips {
		if !s.said.MatchString(said) {
			continue
		}
		if s.has == nil {
			return "\n" + s.form
		}
		if m := s.has.FindStringSubmatch(bare); m != nil {
			return "\n" + strings.NewReplacer("$1", m[min(1, len(m)-1)], "$2", m[len(m)-1]).Replace(s.form)
		}
	}
	if m := missing.FindStringSubmatch(said); m != nil && strings.Contains(bare, `"`+m[1]+`"`) {
		return "\nDouble quotes name a column: if this is a text, write '" + strings.ReplaceAll(m[1], "'", "''") + "'."
	}
	if strings.Contains(sql, `\'`) && strings.Contains(said, "syntax error") {
		return "\nWrite a quote within a text twice: 'It''s'."
	}
	return ""
}
