package paperdb

import (
	"context"
	"database/sql"
	"errors"

	"airqa/env/paperdb/sandbox"
)

// parser checks statements with package sandbox. It parses them with its own engine, which never runs them.
type parser struct {
	db    *sql.DB
	rules sandbox.Rules
	tree  *sql.Stmt // prepared, because every query uses it
}

const treeSQL = `SELECT json_serialize_sql(
	?::VARCHAR, skip_default := true, skip_empty := true, skip_null := true)::VARCHAR`

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
	return p, nil
}

func (p *parser) close() error {
	if p == nil {
		return nil
	}
	return errors.Join(p.tree.Close(), p.db.Close())
}

// pass returns the statement without semicolons, and the tables that it reads, or a *QueryError. Places in it are
// those of the text, which must have passed sandbox.CheckText.
func (p *parser) pass(ctx context.Context, text string) (s statement, err error) {
	s.text = text
	if s.tables, err = p.check(ctx, text); err != nil {
		return statement{}, err
	}
	if alone := sandbox.WithoutSemicolons(text); alone != text { // what runs must be what was checked
		s.text = alone
		s.tables, err = p.check(ctx, alone)
	}
	return s, err
}

func (p *parser) check(ctx context.Context, text string) (tables []string, err error) {
	var tree string
	if err := p.tree.QueryRowContext(ctx, text).Scan(&tree); err != nil {
		return nil, err
	}
	tables, err = p.rules.CheckTree(text, tree)
	return tables, refused(err)
}

// refused converts a refusal of package sandbox to a QueryError and leaves other errors unchanged.
func refused(err error) error {
	var no *sandbox.Refusal
	if errors.As(err, &no) {
		return &QueryError{Kind: no.Kind, Text: cut(no.Text)}
	}
	return err
}
