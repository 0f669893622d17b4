// Package sandbox guards against untrusted SQL. It has two parts; neither uses a driver.
//
// The gate admits a single SELECT that reads only the allowed tables: [CheckText] checks the text before parsing,
// [Rules.CheckTree] the syntax tree from DuckDB's json_serialize_sql. The caller parses and runs the statement.
//
// Workers run calls in child processes of the same program, so that a call that exhausts memory, crashes, or cannot be
// interrupted costs only a process. A program calls [Main], the child's side, first in its main. [Pool] is the parent's
// side: [Pool.Call] sends a request to a child and kills it at the deadline. Children communicate over standard input and
// output. They have an empty environment, no other open files, and limits on memory, processor time and files where the
// system supports them, and they die with their parent. On Linux, after a child has opened what its handler needs, it
// sets no_new_privs; if the kernel has Landlock, it can no longer open files or connections.
package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"airqa/internal/lazyregexp"
)

// Kinds of [Refusal].
const (
	Syntax  = "syntax"
	Catalog = "catalog" // no such table
	Refused = "refused" // not allowed
	Runtime = "runtime" // any other parser failure
)

// Refusal is the error for a statement that may not run. Its text is for the author of the statement. It quotes the
// statement and may be as long.
type Refusal struct {
	// Kind is one of the constants.
	Kind string
	Text string
}

func (r *Refusal) Error() string { return r.Text }

func refuse(text string, args ...any) *Refusal {
	return &Refusal{Kind: Refused, Text: fmt.Sprintf(text, args...)}
}

// Rules define what a statement may read.
type Rules struct {
	// Catalog is the database's name in a qualified table name.
	Catalog string
	// Tables are the names of the tables, in lower case.
	Tables []string
}

// parsed is the result of json_serialize_sql.
type parsed struct {
	Error      bool   `json:"error"`
	Type       string `json:"error_type"`
	Message    string `json:"error_message"`
	Position   string `json:"position"`
	Statements []any  `json:"statements"`
}

// CheckTree checks a statement by its text and the result of json_serialize_sql. It returns the tables that the
// statement reads, sorted, or a [*Refusal] if it may not run, or a different error if the result cannot be read.
func (r Rules) CheckTree(text, tree string) (tables []string, err error) {
	var p parsed
	if err := json.Unmarshal([]byte(tree), &p); err != nil {
		return nil, fmt.Errorf("read the tree of a statement: %w", err)
	}
	switch {
	case p.Error && p.Type == "parser":
		return nil, syntaxError(text, p)
	case p.Error && p.Type != "not implemented":
		return nil, &Refusal{Kind: Runtime, Text: WithoutAdvice(p.Message)}
	case p.Error:
		return nil, refuse("Only a query can be run: one statement that starts with SELECT, WITH, FROM, VALUES, DESCRIBE or SUMMARIZE. " +
			"The database cannot be changed, and a PIVOT needs an IN list.")
	case len(p.Statements) == 0:
		return nil, &Refusal{Kind: Syntax, Text: "The text holds no SQL statement."}
	case len(p.Statements) > 1:
		return nil, refuse("Only one statement at a time can be run; this text holds %d.", len(p.Statements))
	}
	w := walk{catalog: strings.ToLower(r.Catalog), tables: r.Tables}
	if err := w.node(p.Statements[0], nil); err != nil {
		return nil, err
	}
	slices.Sort(w.read)
	return slices.Compact(w.read), nil
}

// advice matches the engine's advice to change a setting, which statements cannot do.
var advice = lazyregexp.New(`\s*Use "SET [^"]*" to [^.\n]*\.?`)

// WithoutAdvice removes advice that cannot be followed from an engine error.
func WithoutAdvice(text string) string { return advice.ReplaceAllString(text, "") }

func syntaxError(text string, p parsed) *Refusal {
	at, err := strconv.Atoi(p.Position)
	if err != nil || at < 0 || at > len(text) {
		return &Refusal{Kind: Syntax, Text: "Parser error: " + WithoutAdvice(p.Message)}
	}
	before := text[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	column := utf8.RuneCountInString(text[start:at]) + 1
	message := fmt.Sprintf("Parser error: %s at line %d, column %d: %s", WithoutAdvice(p.Message), strings.Count(before, "\n")+1, column, strings.TrimSpace(line))
	return &Refusal{Kind: Syntax, Text: message}
}
