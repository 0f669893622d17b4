package env

import (
	"cmp"
	"context"
	"errors"

	"airqa/env/datadir"
	"airqa/env/paperdb"
)

// Holding is a paper in a data directory with its file and row counts.
type Holding struct {
	paperdb.Metadata
	File   paperdb.File
	Counts paperdb.Counts
}

// Holdings returns all papers, ordered by id.
func (e *Env) Holdings(ctx context.Context) ([]Holding, error) { return holdings(ctx, e.db) }

// Holdings returns the papers of the data directory dir, ordered by id. Unlike [Open], it needs no search index and no
// model, so it works after an interrupted ingest.
func Holdings(ctx context.Context, dir string) (list []Holding, err error) {
	d, db, err := openPapers(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close(), d.Release()) }()
	return holdings(ctx, db)
}

// openPapers opens the current generation of the data directory at path and its database. The caller closes the database
// and releases the directory.
func openPapers(ctx context.Context, path string) (*datadir.Dir, *paperdb.Reader, error) {
	dir, err := datadir.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if err := dir.Hold(""); err != nil {
		return nil, nil, err
	}
	db, err := paperdb.OpenReader(ctx, paperdb.Config{Path: dir.Database()})
	if err != nil {
		err = errors.Join(err, dir.Release())
	}
	return dir, db, err
}

func holdings(ctx context.Context, db *paperdb.Reader) ([]Holding, error) {
	papers, errPapers := db.Papers(ctx)
	counts, errCounts := db.Counts(ctx)
	files, errFiles := db.Files(ctx)
	if err := cmp.Or(errPapers, errCounts, errFiles); err != nil {
		return nil, err
	}
	of := map[string]paperdb.File{}
	for _, f := range files {
		of[f.PaperID] = f.File
	}
	list := make([]Holding, len(papers))
	for i, p := range papers {
		// Both lists are sorted by id and contain each paper once.
		list[i] = Holding{Metadata: p, File: of[p.PaperID], Counts: counts[i]}
	}
	return list, nil
}

// Elements lists the sections, tables, figures and equations of all papers, see paperdb.Reader.Elements.
func (e *Env) Elements(ctx context.Context) ([]paperdb.Element, error) { return e.db.Elements(ctx) }

// Parts returns metadata, pages, sections, figures, tables and equations of a paper, or paperdb.ErrNoPaper.
func (e *Env) Parts(ctx context.Context, paperID string) (paperdb.Paper, error) {
	p, err := e.db.Enrichable(ctx, paperID)
	if err == nil {
		p.Equations, err = e.db.Equations(ctx, paperID)
	}
	return p, err
}
