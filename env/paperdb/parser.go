package paperdb

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"airqa/env/paperdb/sandbox"
)

// parser checks statements with package sandbox. It parses them with its own engine, which never runs them.
type parser struct {
	db    *sql.DB
	rules sandbox.Rules
	// Prepared, because every query uses both.
	tree, canonical *sql.Stmt
}

const (
	treeSQL      = `SELECT json_serialize_sql(?::VARCHAR, skip_default := true, skip_empty := true, skip_null := true)::VARCHAR`
	canonicalSQL = `SELECT json_deserialize_sql(json_serialize_sql(?::VARCHAR))::VARCHAR`
)

func openParser(ctx context.Context, catalog string) (*parser, error) {
	db, err := connect("", "")
	if err != nil {
		return nil, err
	}
	if err := lockDown(ctx, db, modelMemory); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	// An in-memory database lives as long as its connector; idle connections save opening one per query.
	db.SetMaxIdleConns(2)
	p := &parser{db: db, rules: sandbox.Rules{Catalog: catalog, Tables: Tables()}}
	if p.tree, err = db.PrepareContext(ctx, treeSQL); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if p.canonical, err = db.PrepareContext(ctx, canonicalSQL); err != nil {
		return nil, errors.Join(err, p.tree.Close(), db.Close())
	}
	return p, nil
}

func (p *parser) close() error {
	if p == nil {
		return nil
	}
	return errors.Join(p.tree.Close(), p.canonical.Close(), p.db.Close())
}

// pass returns the statement as understood by the parser, without comments and semicolons, and the tables that it reads,
// or a *QueryError. The text must have passed sandbox.CheckText.
func (p *parser) pass(ctx context.Context, text string) (canonical string, tables []string, err error) {
	var tree string
	if err := p.tree.QueryRowContext(ctx, text).Scan(&tree); err != nil {
		return "", nil, err
	}
	if tables, err = p.rules.CheckTree(text, tree); err != nil {
		return "", nil, refused(err)
	}
	if err := p.canonical.QueryRowContext(ctx, text).Scan(&canonical); err != nil {
		return "", nil, err
	}
	return strings.TrimRight(canonical, "; \n"), tables, nil
}

// refused converts a refusal of package sandbox to a QueryError and leaves other errors unchanged.
func refused(err error) error {
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		return &QueryError{Kind: no.Kind, Text: cut(no.Text)}
	}
	return err
}
