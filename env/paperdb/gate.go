package paperdb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a statement's text. The tree of a statement grows with a power of nested WITH clauses, and the
// parser is recursive.
const (
	maxLength  = 16 << 10 // bytes
	maxNesting = 100      // brackets within brackets
	maxWith    = 6        // WITH clauses
)

// gate lets a statement pass when it is one SELECT that reads nothing but the eight tables. It parses with an
// engine of its own, which never runs the statement.
type gate struct {
	db      *sql.DB
	catalog string // the database's name in a qualified table name
	// tree and canonical are prepared: every query asks both.
	tree, canonical *sql.Stmt
}

const (
	treeSQL      = `SELECT json_serialize_sql(?::VARCHAR, skip_default := true, skip_empty := true, skip_null := true)::VARCHAR`
	canonicalSQL = `SELECT json_deserialize_sql(json_serialize_sql(?::VARCHAR))::VARCHAR`
)

func openGate(ctx context.Context, catalog string) (*gate, error) {
	db, err := connect("", "")
	if err != nil {
		return nil, err
	}
	if err := lockDown(ctx, db); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	// An in-memory database lives as long as its connector; idle connections spare making one a query.
	db.SetMaxIdleConns(2)
	g := &gate{db: db, catalog: strings.ToLower(catalog)}
	if g.tree, err = db.PrepareContext(ctx, treeSQL); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if g.canonical, err = db.PrepareContext(ctx, canonicalSQL); err != nil {
		return nil, errors.Join(err, g.tree.Close(), db.Close())
	}
	return g, nil
}

func (g *gate) close() error {
	if g == nil {
		return nil
	}
	return errors.Join(g.tree.Close(), g.canonical.Close(), g.db.Close())
}

// pass returns the statement as the parser understood it, without comments and semicolons, or a *QueryError. The
// text has gone through checkText.
func (g *gate) pass(ctx context.Context, text string) (string, error) {
	var tree string
	if err := g.tree.QueryRowContext(ctx, text).Scan(&tree); err != nil {
		return "", err
	}
	if err := g.inspect(text, tree); err != nil {
		return "", err
	}
	var canonical string
	if err := g.canonical.QueryRowContext(ctx, text).Scan(&canonical); err != nil {
		return "", err
	}
	return strings.TrimRight(canonical, "; \n"), nil
}

// parsed is the answer of json_serialize_sql.
type parsed struct {
	Error      bool   `json:"error"`
	Type       string `json:"error_type"`
	Message    string `json:"error_message"`
	Position   string `json:"position"`
	Statements []any  `json:"statements"`
}

func (g *gate) inspect(text, tree string) error {
	var p parsed
	if err := json.Unmarshal([]byte(tree), &p); err != nil {
		return fmt.Errorf("read the tree of a statement: %w", err)
	}
	switch {
	case p.Error && p.Type == "parser":
		return syntaxError(text, p)
	case p.Error && p.Type != "not implemented":
		return &QueryError{Kind: KindRuntime, Text: cut(p.Message)}
	case p.Error:
		return refuse("Only a query can be run: one statement that starts with SELECT, WITH, FROM, VALUES, DESCRIBE or SUMMARIZE. " +
			"The database cannot be changed, and a PIVOT needs an IN list.")
	case len(p.Statements) == 0:
		return &QueryError{Kind: KindSyntax, Text: "The text holds no SQL statement."}
	case len(p.Statements) > 1:
		return refuse("Only one statement at a time can be run; this text holds %d.", len(p.Statements))
	}
	return (&walk{catalog: g.catalog}).node(p.Statements[0], nil)
}

// syntaxError says where the parser stopped.
func syntaxError(text string, p parsed) *QueryError {
	at, err := strconv.Atoi(p.Position)
	if err != nil || at < 0 || at > len(text) {
		return &QueryError{Kind: KindSyntax, Text: cut("Parser error: " + p.Message)}
	}
	before := text[:at]
	start := strings.LastIndexByte(before, '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	column := utf8.RuneCountInString(text[start:at]) + 1
	message := fmt.Sprintf("Parser error: %s at line %d, column %d: %s", p.Message, strings.Count(before, "\n")+1, column, strings.TrimSpace(line))
	return &QueryError{Kind: KindSyntax, Text: cut(message)}
}

var (
	quoted   = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	withWord = regexp.MustCompile(`(?i)\bwith\b`)
)

// checkText refuses what could exhaust the parser before it can be asked.
func checkText(text string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return &QueryError{Kind: KindSyntax, Text: "The statement holds characters that are no text."}
	}
	if len(text) > maxLength {
		return refuse("The statement is too long: %d bytes, %d are allowed.", len(text), maxLength)
	}
	bare := quoted.ReplaceAllString(text, "''")
	if len(withWord.FindAllStringIndex(bare, maxWith+1)) > maxWith {
		return refuse("The statement has too many WITH clauses; %d are allowed, each with several tables.", maxWith)
	}
	if nesting(bare) > maxNesting {
		return refuse("The statement nests too deep; %d brackets within brackets are allowed.", maxNesting)
	}
	return nil
}

func nesting(text string) int {
	depth, deepest := 0, 0
	for _, r := range text {
		switch r {
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return deepest
}
