package gate

import (
	"maps"
	"slices"
	"strings"
)

// walk goes through the tree of a statement and refuses what the sandbox does not offer: every table but those
// of the rules and the statement's own WITH names, every table function but a few harmless ones, and functions that
// run SQL from a text, tell about the host, or change the session.
type walk struct {
	catalog string // lower case
	tables  []string
}

// tableFunctions are the functions that may stand in a FROM.
var tableFunctions = []string{"range", "generate_series", "unnest", "json_each", "json_tree", "repeat_row"}

// refusedFunctions may stand nowhere; a name that ends in * is a prefix.
var refusedFunctions = []string{
	"query", "query_table", "json_serialize_*", "json_deserialize_*", "json_execute_*", "enable_logging", "disable_logging",
	"duckdb_*", "pragma_*", "pg_get_*", "read_*", "glob", "sniff_csv", "checkpoint", "force_checkpoint", "which_secret",
	"sleep_ms", "write_log", "error", "setseed", "nextval", "currval", "getenv", "getvariable", "current_setting",
}

// node looks at one value of the tree; names are the WITH names that are known there, in lower case.
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
			known = with(names, text1(v, "cte_name"))
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

// clauses looks at the WITH clauses of a query in their order. Each knows those before it; the query itself
// knows them all.
func (w *walk) clauses(v map[string]any, names []string) ([]string, error) {
	cteMap, _ := v["cte_map"].(map[string]any)
	entries, _ := cteMap["map"].([]any)
	for _, entry := range entries {
		clause, _ := entry.(map[string]any)
		if err := w.node(clause["value"], names); err != nil {
			return nil, err
		}
		names = with(names, text1(clause, "key"))
	}
	return names, nil
}

// check looks at the object itself, not at what it holds.
func (w *walk) check(v map[string]any, names []string) error {
	if name := strings.ToLower(text1(v, "function_name")); name != "" && matches(refusedFunctions, name) {
		return refuse("The function %s is not available.", name)
	}
	switch v["type"] {
	case "BASE_TABLE":
		return w.table(v, names)
	case "TABLE_FUNCTION":
		function, _ := v["function"].(map[string]any)
		if name := text1(function, "function_name"); !slices.Contains(tableFunctions, strings.ToLower(name)) {
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

// table checks a name in a FROM.
func (w *walk) table(v map[string]any, names []string) error {
	name := strings.ToLower(text1(v, "table_name"))
	schema := strings.ToLower(text1(v, "schema_name"))
	catalog := strings.ToLower(text1(v, "catalog_name"))
	bare := schema == "" && catalog == ""
	switch {
	case bare && slices.Contains(names, name), w.ours(catalog, schema) && slices.Contains(w.tables, name):
		return nil
	case bare && !strings.ContainsAny(name, "/.\\:*"):
		return &Refusal{Kind: Catalog, Text: "There is no table " + text1(v, "table_name") + ": " + w.theTables() + "."}
	}
	return refuse("Nothing but the tables of the database can be read, no files and no system tables: %s.", w.theTables())
}

// ours tells whether a table's qualifiers name the schema of the eight tables. The parser takes the one word in
// "papers.chunks" for a schema, although it is the catalog.
func (w *walk) ours(catalog, schema string) bool {
	if catalog == "" {
		return schema == "" || schema == "main" || schema == w.catalog
	}
	return catalog == w.catalog && schema == "main"
}

func (w *walk) theTables() string { return "the tables are " + strings.Join(w.tables, ", ") }

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if prefix, ok := strings.CutSuffix(p, "*"); ok {
			return strings.HasPrefix(name, prefix)
		}
		return p == name
	})
}

// text1 is the text at a key, or nothing.
func text1(v map[string]any, key string) string {
	s, _ := v[key].(string)
	return s
}

// with adds a name without touching the caller's list.
func with(names []string, name string) []string {
	return append(slices.Clip(names), strings.ToLower(name))
}
