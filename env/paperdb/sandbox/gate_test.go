package sandbox_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"airqa/env/paperdb/sandbox"
)

// kindOf returns the kind of a refusal, or "" for a statement that passes.
func kindOf(t *testing.T, err error) string {
	t.Helper()
	var no *sandbox.Refusal
	if err != nil && !errors.As(err, &no) {
		t.Fatal(err)
	}
	if no == nil {
		return ""
	}
	return no.Kind
}

func TestCheckText(t *testing.T) {
	deep := strings.Repeat("(", 101) + "1" + strings.Repeat(")", 101)
	tests := []struct {
		name, text, want string
	}{
		{"plain", "SELECT 1", ""},
		{"brackets in quotes", "SELECT '" + strings.Repeat("(", 200) + "'", ""},
		{"no text", "SELECT '\xff'", sandbox.Syntax},
		{"long", strings.Repeat("x", 17<<10), sandbox.Refused},
		{"deep", strings.Repeat("(", 101), sandbox.Refused},
		{"many WITH", strings.Repeat("with ", 7), sandbox.Refused},
		{"behind a quote in a comment", "SELECT /*'*/ " + deep + " /*'*/", sandbox.Refused},
		{"behind a quote in a line comment", "SELECT --'\n" + deep + " --'", sandbox.Refused},
		{"behind a carriage return", "SELECT --'\r" + deep + " --'", sandbox.Refused},
		{"behind a nested comment", "SELECT /* /* ' */ ' */ " + deep + " -- '", sandbox.Refused},
		{"behind a dollar quote", "SELECT $a$'$a$, " + deep + ", '1'", sandbox.Refused},
		{"behind an empty tag", "SELECT $$'$$, " + deep + ", '1'", sandbox.Refused},
		{"behind an escaped quote", `SELECT E'\'', ` + deep + ", '1'", sandbox.Refused},
		{"behind a backslash", `SELECT '\', ` + deep + ", '1'", sandbox.Refused},
		{"behind a doubled quote", "SELECT 'it''s', " + deep + ", '1'", sandbox.Refused},
		{"behind a quoted name", `SELECT 1 AS "a""'", ` + deep + ", '1'", sandbox.Refused},
		{"a number and an escape", `SELECT 1E'\'', ` + deep + ", '1'", sandbox.Syntax},
		{"a strange space and a dollar quote", "SELECT 1 a\u00a0$$'$$, " + deep + ", '1'", sandbox.Syntax},
		{"a number and a dollar quote", "SELECT 1$a$'$a$, " + deep + ", '1'", sandbox.Syntax},
		{"deep in comments", "SELECT 1 -- " + deep + "\n/* " + deep + " /* */ */", ""},
		{"deep in strings", "SELECT $x$" + deep + `$x$, E'\'` + deep + "', \"" + deep + `"`, ""},
		{"an operator and a parameter", "SELECT a - -b, $1, 'ü' || é FROM t WHERE x ->> '$.a' = 1e5", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := kindOf(t, sandbox.CheckText(tt.text)); got != tt.want {
				t.Errorf("refused as %q, want %q", got, tt.want)
			}
		})
	}
}

// The trees come from the parser, without irrelevant parts.
func TestCheckTree(t *testing.T) {
	from := func(table string) string {
		return `{"statements": [{"node": {"type": "SELECT_NODE", "from_table": ` + table + `}}]}`
	}
	tests := []struct {
		name, tree, want string
	}{
		{"table", from(`{"type": "BASE_TABLE", "table_name": "Chunks"}`), ""},
		{"table of the database", from(`{"type": "BASE_TABLE", "table_name": "chunks", "schema_name": "papers"}`), ""},
		{"unknown table", from(`{"type": "BASE_TABLE", "table_name": "users"}`), sandbox.Catalog},
		{"file", from(`{"type": "BASE_TABLE", "table_name": "/etc/passwd"}`), sandbox.Refused},
		{"other database", from(`{"type": "BASE_TABLE", "table_name": "chunks", "schema_name": "main", "catalog_name": "system"}`), sandbox.Refused},
		{"harmless function", from(`{"type": "TABLE_FUNCTION", "function": {"function_name": "range"}}`), ""},
		{"function that reads", from(`{"type": "TABLE_FUNCTION", "function": {"function_name": "read_csv"}}`), sandbox.Refused},
		{"deep inside", from(`[[{"select": [{"function_name": "GETENV"}]}]]`), sandbox.Refused},
		{"list of tables", from(`{"type": "SHOW_REF"}`), sandbox.Refused},
		{"parameter", from(`{"type": "VALUE_PARAMETER"}`), sandbox.Refused},
		{"two statements", `{"statements": [{}, {}]}`, sandbox.Refused},
		{"none", `{"statements": []}`, sandbox.Syntax},
		{"no query", `{"error": true, "error_type": "not implemented"}`, sandbox.Refused},
		{"parser", `{"error": true, "error_type": "parser", "error_message": "syntax error", "position": "3"}`, sandbox.Syntax},
		{"other error", `{"error": true, "error_type": "internal"}`, sandbox.Runtime},
	}
	rules := sandbox.Rules{Catalog: "Papers", Tables: []string{"metadata", "chunks"}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := rules.CheckTree("SELECT 1", tt.tree)
			if got := kindOf(t, err); got != tt.want {
				t.Errorf("refused as %q, want %q", got, tt.want)
			}
		})
	}
}

// A WITH name is in scope for the query and the later clauses, and nowhere else.
func TestWithNames(t *testing.T) {
	clause := func(name, table string) string {
		return `{"key": "` + name + `", "value": {"from_table": {"type": "BASE_TABLE", "table_name": "` + table + `"}}}`
	}
	statement := func(clauses ...string) string {
		return `{"statements": [{"cte_map": {"map": [` + strings.Join(clauses, ",") + `]}, "from_table": {"type": "BASE_TABLE", "table_name": "b"}}]}`
	}
	rules := sandbox.Rules{Tables: []string{"chunks"}}
	tables, err := rules.CheckTree("", statement(clause("a", "chunks"), clause("b", "a")))
	if err != nil || !slices.Equal(tables, []string{"chunks"}) {
		t.Errorf("each knows those before it: got %v, tables %v, want chunks alone", err, tables)
	}
	_, err = rules.CheckTree("", statement(clause("b", "a"), clause("a", "chunks")))
	if got := kindOf(t, err); got != sandbox.Catalog {
		t.Errorf("a name before its clause: refused as %q", got)
	}
}

func TestUnreadableTree(t *testing.T) {
	var no *sandbox.Refusal
	if _, err := (sandbox.Rules{}).CheckTree("", "{"); err == nil || errors.As(err, &no) {
		t.Errorf("got %v, want an error that blames no statement", err)
	}
}
