package env_test

import (
	"strings"
	"testing"

	"airqa/internal/testkit"
)

// An error about a form of another dialect ends with the form of DuckDB; other errors end as the engine's do.
func TestSlips(t *testing.T) {
	testkit.OneGoroutine(t)
	e := open(t, library(t))
	const backticks, curly, regex = "Write names without backticks, or in double quotes.", "Write texts in straight single quotes: '…'.", "Write regexp_matches(column, 'pattern')."
	for sql, want := range map[string]string{
		"SELECT title FROM `metadata`": backticks, "SELECT `title` FROM metadata": backticks, "SELECT m.`title` FROM metadata m": backticks,
		"SELECT TOP 3 title FROM metadata":                               "Instead of TOP, write LIMIT 3 at the end.",
		"select distinct top 12 title from metadata":                     "Instead of TOP, write LIMIT 12 at the end.",
		"SELECT TOP (5) title FROM metadata":                             "Instead of TOP, write LIMIT 5 at the end.",
		"SELECT title FROM metadata WHERE title LIKE \"%Bert%\"":         "Double quotes name a column: if this is a text, write '%Bert%'.",
		"SELECT title FROM metadata WHERE title IN (\"It's\", 'b')":      "Double quotes name a column: if this is a text, write 'It''s'.",
		"SELECT title FROM metadata LIMIT 1, 2":                          "Write LIMIT 2 OFFSET 1.",
		"SELECT title FROM metadata ORDER BY title LIMIT 10 ,20;":        "Write LIMIT 20 OFFSET 10.",
		"SHOW COLUMNS FROM metadata":                                     "Write DESCRIBE metadata.",
		"show full columns in chunks":                                    "Write DESCRIBE chunks.",
		"SELECT title FROM metadata WHERE title = ‘Bert’":                curly,
		"SELECT title FROM metadata WHERE title LIKE “%Bert%”":           curly,
		"SELECT title FROM metadata WHERE title RLIKE 'B'":               regex,
		"SELECT title FROM metadata WHERE title regexp 'B'":              regex,
		"SELECT group_concat(title SEPARATOR '; ') FROM metadata":        "Write string_agg(column, 'separator').",
		"SELECT title FROM metadata WHERE title = 'It\\'s'":              "Write a quote within a text twice: 'It''s'.",
		"SELECT title FROM metadata WHERE isnull(title)":                 "Write column IS NULL.",
		"SELECT convert(VARCHAR, num_pages) FROM metadata":               "Write CAST(column AS type).",
		"SELECT title FROM metadata WHERE title = 'Bert'；":               "Write punctuation in ASCII.",
		"SELECT title FROM metadata WHERE match(title) against ('Bert')": "Write column ILIKE '%word%'.",
	} {
		if _, err := e.Query(t.Context(), sql); err == nil || !strings.HasSuffix(err.Error(), "\n"+want) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, sql := range []string{
		"SELECT nosuch FROM metadata", "SELECT nosuch FROM metadata WHERE title = '\"nosuch\" `a` “b” TOP 3'", "SELECT title FORM metadata 3",
		"SELECT title FROM metadata WHERE title = 'LIMIT 1, 2' LIMIT x", "SELECT top FROM metadata", "SHOW TABLES",
	} {
		if _, err := e.Query(t.Context(), sql); err == nil || strings.Contains(err.Error(), "rite ") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if got, err := e.Query(t.Context(), "```sql\nSELECT count(*) FROM metadata\n```"); err != nil || len(got.Values) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}
