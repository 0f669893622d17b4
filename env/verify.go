package env

import (
	"context"
	"errors"
	"fmt"

	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

// VerifyConfig selects the collections to verify: those in Dir, or those on the server at the URL Vectors.
type VerifyConfig struct {
	Dir      string
	Vectors  string
	Embedder embed.Embedder
}

// Verified is the result of [Verify] for one collection.
type Verified struct {
	Name    string
	Records int
	// Texts is the number of embedded texts. A passage longer than the model's window has several records.
	Texts int
	// Checksums reports whether the store has checksums, which were then verified.
	Checksums bool
	// Faults lists the problems found, one line each. Miscounted means that the number of records is the only one.
	Faults     []string
	Miscounted bool
}

// Verify checks each collection of a data directory: that it exists, was built from these papers with this model,
// matches its checksums, and has the expected number of records. An error means that the directory or the server could
// not be read.
func Verify(ctx context.Context, cfg VerifyConfig) (list []Verified, err error) {
	dir, db, err := openPapers(ctx, cfg.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close(), dir.Release()) }()
	store, err := openStore(ctx, dir, cfg.Vectors)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	source, err := fingerprint(ctx, dir, db)
	if err != nil {
		return nil, err
	}
	if sealed, err := dir.Sealed(); err != nil || !sealed {
		list = append(list, Verified{Name: "papers", Faults: []string{"the description of their generation is damaged or missing"}})
	}
	want := requirements{source: source, model: cfg.Embedder.Info()}
	for _, name := range []string{bm25.Name, collectionOf(want.model)} {
		v, err := verifier{db: db, store: store, want: want, model: cfg.Embedder}.collection(ctx, name)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// verifiable is a store with checksums.
type verifiable interface {
	Verify(ctx context.Context, name string) error
}

// verifyChecksums verifies the checksums of a collection if the store has any.
func verifyChecksums(ctx context.Context, store vectors.Store, name string) error {
	if s, ok := store.(verifiable); ok {
		return s.Verify(ctx, name)
	}
	return nil
}

type verifier struct {
	db    *paperdb.Reader
	store vectors.Store
	want  requirements
	model embed.Embedder
}

func (r verifier) collection(ctx context.Context, name string) (Verified, error) {
	v := Verified{Name: name}
	info, err := checkCollection(ctx, r.store, name, r.want)
	if err == nil {
		_, v.Checksums = r.store.(verifiable)
		err = verifyChecksums(ctx, r.store, name)
	}
	if err == nil && info.Window > 0 && info.Window != r.want.model.Window {
		err = fmt.Errorf("built with windows of %d tokens, not %d; use the model limit of the ingest", info.Window, r.want.model.Window)
	}
	if ctx.Err() != nil {
		return v, ctx.Err()
	}
	if err != nil {
		v.Faults = append(v.Faults, err.Error())
		return v, nil
	}
	expected, err := r.expect(ctx, info)
	if err != nil {
		return v, err
	}
	for _, at := range paperdb.Indexed() {
		n, err := r.store.Count(ctx, name, vectors.Filter{Table: at.Table, Column: at.Column})
		if err != nil {
			return v, err
		}
		want := expected[at]
		v.Records, v.Texts = v.Records+n, v.Texts+want.texts
		if n != want.records {
			v.Miscounted = true
			v.Faults = append(v.Faults, fmt.Sprintf("%d records of %s.%s; the papers have %d", n, at.Table, at.Column, want.records))
		}
	}
	return v, nil
}

// amount counts the texts of a column and the records they should have.
type amount struct{ texts, records int }

// expect counts the records a collection should have, by table and column.
func (r verifier) expect(ctx context.Context, c vectors.Collection) (map[paperdb.Place]amount, error) {
	var texts keywords
	if c.Kind != vectors.Dense {
		var err error
		if texts, err = keywordsOf(c, r.store); err != nil {
			return nil, err
		}
	}
	counts := map[paperdb.Place]amount{}
	for cell, err := range r.db.Cells(ctx, nil) {
		if err != nil {
			return nil, err
		}
		if c.Kind != vectors.Dense && !texts.indexes(cell) {
			continue
		}
		n := 1
		if c.Window > 0 {
			n = len(windowsOf(r.model, cell))
		}
		at := paperdb.Place{Table: cell.Table, Column: cell.Column}
		counts[at] = amount{counts[at].texts + 1, counts[at].records + n}
	}
	return counts, nil
}
