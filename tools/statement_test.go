package tools_test

import (
	"context"
	"testing"

	"airqa/tools"
)

func TestStatement(t *testing.T) {
	const plain = "SELECT title FROM metadata WHERE title LIKE '%a%'"
	for _, text := range []string{
		"```sql\n" + plain + "\n```", "```" + plain + "```", "```\n" + plain + "\n```\n", "~~~sql\n" + plain + "\n~~~", "sql\n" + plain, "SQL: " + plain, "DuckDB SQL: " + plain,
		"SQLQuery: " + plain, "SQL Query:\n" + plain, "Query: " + plain, "```sql\nSQLQuery: " + plain + "\n```", "SQLQuery:\n```sql\n" + plain + "\n```", `"` + plain + `"`,
		"`" + plain + "`", "'SELECT title FROM metadata WHERE title LIKE ''%a%'''", "'" + plain + "'", "sqlite\n" + plain, "\"\n" + plain + "\";", "```sql " + plain + " ```", "```sql\n" + plain,
	} {
		if got := tools.Statement(text); got != plain {
			t.Errorf("%q: %q", text, got)
		}
	}
	for _, same := range []string{
		plain, "WITH sql AS (SELECT 1) SELECT * FROM sql", "SELECT '```sql\nSELECT 1\n```'", "select\n'sql: select 1'", "SELECT '<think>' FROM metadata", "DESCRIBE metadata",
		`SELECT "title" FROM "metadata"`, "EXPLAIN SELECT 1", "-- sql\nSELECT 1", "FROM metadata SELECT title", "(SELECT 1)", "SELECT x::int FROM t", "nonsense", `"title"`, "",
	} {
		if got := tools.Statement(same); got != same {
			t.Errorf("%q: %q", same, got)
		}
	}
}

type retriever struct{ query string }

func (r *retriever) Retrieve(_ context.Context, query string, _ int, _ tools.Scope) ([]tools.Hit, error) {
	r.query = query
	return nil, nil
}

func TestWrappedQuery(t *testing.T) {
	for call, want := range map[string]string{
		`Retrieve('"hidden size"')`: "hidden size", `Retrieve("'hidden size'")`: "hidden size", "Retrieve('```hidden size```')": "hidden size",
		`Retrieve('"a" and "b"')`: `"a" and "b"`, `Retrieve('the "Adam" optimizer')`: `the "Adam" optimizer`, `Retrieve("the model's size")`: "the model's size",
		`Retrieve('SQL: SELECT')`: "SQL: SELECT", "Retrieve('`a` and `b`')": "`a` and `b`", `Retrieve('"')`: `"`,
	} {
		r := &retriever{}
		act(t, tools.Set{tools.Retrieve{From: r}}, call)
		if r.query != want {
			t.Errorf("%s searches %q, want %q", call, r.query, want)
		}
	}
}
