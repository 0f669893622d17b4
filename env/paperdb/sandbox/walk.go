package sandbox

import (
	"maps"
	"slices"
	"strings"
)

// walk traverses the syntax tree of a statement and refuses everything that the sandbox does not allow: tables other
// than those of the rules and the statement's own WITH names, table functions other than a few harmless ones, and
// functions that execute SQL text, reveal the host, or change the session.
type walk struct {
	catalog string // lower case
	tables  []string
	read    []string // tables that the statement reads
}

// refusedFunctions lists the functions refused anywhere; a trailing * makes the name a prefix.
var refusedFunctions = []string{
	"query", "query_table", "json_serialize_*", "json_deserialize_*", "json_execute_*", "enable_logging", "disable_logging",
	"duckdb_*", "pragma_*", "pg_get_*", "read_*", "glob", "sniff_csv", "checkpoint", "force_checkpoint", "which_secret",
	"sleep_ms", "write_log", "error", "setseed", "nextval", "currval", "getenv", "getvariable", "current_setting",
}

// node checks one value of the tree; names are the WITH names in scope, in lower case.
func (w *walk) node(value any, names []string) error {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			if err := w.node(item, names); err != nil {
				return err
			}
		}
	case map[string]any:
		return w.object(v, names)
	}
	return nil
}

func (w *walk) object(v map[string]any, names []string) error {
	if err := w.check(v, names); err != nil {
		return err
	}
	names, err := w.clauses(v, names)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		known := names
		if v["type"] == "RECURSIVE_CTE_NODE" && key == "right" {
			known = with(names, stringAt(v, "cte_name"))
		}
		if key == "cte_map" {
			continue
		}
		if err := w.node(v[key], known); err != nil {
			return err
		}
	}
	return nil
}

// clauses checks the WITH clauses of a query in order. Each sees the preceding ones; the query itself sees all.
func (w *walk) clauses(v map[string]any, names []string) ([]string, error) {
	cteMap, _ := v["cte_map"].(map[string]any)
	entries, _ := cteMap["map"].([]any)
	for _, entry := range entries {
		clause, _ := entry.(map[string]any)
		if err := w.node(clause["value"], names); err != nil {
			return nil, err
		}
		names = with(names, stringAt(clause, "key"))
	}
	return names, nil
}

// check checks an object but not its children.
func (w *walk) check(v map[string]any, names []string) error {
	tableFunctions := []string{"range", "generate_series", "unnest", "json_each", "json_tree", "repeat_row"} // allowed in a FROM clause
	name := strings.ToLower(stringAt(v, "function_name"))
	for _, refused := range refusedFunctions {
		if prefix, ok := strings.CutSuffix(refused, "*"); name == refused || ok && strings.HasPrefix(name, prefix) {
			return refuse("The function %s is not available.", name)
		}
	}
	switch v["type"] {
	case "BASE_TABLE":
		return w.table(v, names)
	case "TABLE_FUNCTION":
		function, _ := v["function"].(map[string]any)
		if name := stringAt(function, "function_name"); !slices.Contains(tableFunctions, strings.ToLower(name)) {
			return refuse("The table function %s is not available: %s.", name, w.theTables())
		}
	case "SHOW_REF":
		if v["query"] == nil {
			return refuse("The list of tables is fixed: %s. DESCRIBE one of them shows its columns.", w.theTables())
		}
	case "VALUE_PARAMETER":
		return refuse("The statement has a parameter such as ? or $1; write the value itself.")
	}
	return nil
}

// table checks a name in a FROM clause.
func (w *walk) table(v map[string]any, names []string) error {
	name := strings.ToLower(stringAt(v, "table_name"))
	schema := strings.ToLower(stringAt(v, "schema_name"))
	catalog := strings.ToLower(stringAt(v, "catalog_name"))
	bare := schema == "" && catalog == ""
	switch {
	case bare && slices.Contains(names, name):
		return nil
	case w.isOurs(catalog, schema) && slices.Contains(w.tables, name):
		w.read = append(w.read, name)
		return nil
	case bare && !strings.ContainsAny(name, "/.\\:*"):
		return &Refusal{Kind: Catalog, Text: "There is no table " + stringAt(v, "table_name") + ": " + w.theTables() + "."}
	}
	return refuse("Nothing but the tables of the database can be read, no files and no system tables: %s.", w.theTables())
}

// isOurs reports whether a table's qualifiers refer to the schema of the eight tables. The parser treats "papers" in
// "papers.chunks" as the schema, although it is the catalog.
func (w *walk) isOurs(catalog, schema string) bool {
	if catalog == "" {
		return schema == "" || schema == "main" || schema == w.catalog
	}
	return catalog == w.catalog && schema == "main"
}

func (w *walk) theTables() string { return "the tables are " + strings.Join(w.tables, ", ") }

func stringAt(v map[string]any, key string) string {
	s, _ := v[key].(string)
	return s
}

// with adds a name without modifying the caller's list.
func with(names []string, name string) []string {
	return append(slices.Clip(names), strings.ToLower(name))
}
