package index

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	// Deep reads the texts of all papers, too, and compares the number of records of each column with theirs.
	Deep bool
}

// Verified is the result of [Verify] for one collection.
type Verified struct {
	Name    string
	Records int
	// Texts is the number of embedded texts; 0 unless Deep. A passage longer than the model's window has several records.
	Texts int
	// Checksums reports whether the store has checksums, which were then verified.
	Checksums bool
	// Faults lists the problems found, one line each.
	Faults []string
}

// Verify checks each collection of a data directory: that it exists, was built from these papers with this model, and
// matches its checksums. Deep also checks that it has the expected number of records. An error means that the directory or
// the server could not be read.
func Verify(ctx context.Context, cfg VerifyConfig) (list []Verified, err error) {
	dir, db, err := OpenPapers(ctx, cfg.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close(), dir.Release()) }()
	store, err := OpenStore(ctx, dir, cfg.Vectors)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	info, err := dir.Info()
	if err != nil {
		return nil, err
	}
	if sealed, err := dir.Sealed(); err != nil || !sealed {
		list = append(list, Verified{Name: "papers", Faults: []string{"the description of their generation is damaged or missing"}})
	}
	want := Requirements{Source: info.Fingerprint, Model: cfg.Embedder.Info()}
	r := verifier{db: db, store: store, want: want, model: cfg.Embedder}
	var all, intact []*tally
	for _, name := range []string{bm25.Name, CollectionOf(want.Model)} {
		t, err := r.collection(ctx, name)
		if err != nil {
			return nil, err
		}
		if len(t.Faults) == 0 {
			intact = append(intact, t)
		}
		all = append(all, t)
	}
	if cfg.Deep {
		err = r.recount(ctx, intact)
	}
	for _, t := range all {
		list = append(list, t.Verified)
	}
	return list, err
}

// verifiable is a store with checksums.
type verifiable interface {
	Verify(ctx context.Context, name string) error
}

type verifier struct {
	db    *paperdb.Reader
	store vectors.Store
	want  Requirements
	model embed.Embedder
}

// tally is a collection being verified, with the records that it should have by column.
type tally struct {
	Verified
	info  vectors.Collection
	texts Keywords              // not of a dense collection
	want  map[paperdb.Place]int // records
}

// collection checks all but the number of records by column.
func (r verifier) collection(ctx context.Context, name string) (*tally, error) {
	v := Verified{Name: name}
	info, err := Check(ctx, r.store, name, r.want)
	if s, ok := r.store.(verifiable); ok && err == nil {
		v.Checksums = true
		err = s.Verify(ctx, name)
	} else if err == nil && info.Kind == vectors.Dense { // a server may have lost or refused its index
		_, err = r.store.Search(ctx, name, vectors.Query{Vector: vectors.Vector{Dense: slices.Repeat([]float32{1}, info.Dim)}, K: 1})
	}
	if err == nil && !r.want.SameWindows(info) {
		err = fmt.Errorf("built with windows of %d tokens, not %d; use the --embed-tokens or --vectors-per-chunk of the ingest", info.Window, r.want.Model.Window)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		v.Faults = append(v.Faults, err.Error())
		return &tally{Verified: v}, nil
	}
	v.Records, err = r.store.Count(ctx, name, vectors.Filter{})
	return &tally{Verified: v, info: info, want: make(map[paperdb.Place]int)}, err
}

// recount reads all texts once, and compares the number of records in each column of some collections with that of the papers.
func (r verifier) recount(ctx context.Context, list []*tally) (err error) {
	for _, t := range list {
		if t.info.Kind != vectors.Dense {
			if t.texts, err = KeywordsOf(t.info, r.store); err != nil {
				return err
			}
		}
	}
	for cell, err := range r.db.Cells(ctx, nil) {
		if err != nil {
			return err
		}
		for _, t := range list {
			n := 1
			switch {
			case t.info.Kind == vectors.Dense:
				n = len(WindowsOf(r.model, cell))
			case !t.texts.Indexes(cell):
				continue
			}
			t.want[paperdb.Place{Table: cell.Table, Column: cell.Column}] += n
			t.Texts++
		}
	}
	for _, t := range list {
		if err := r.compare(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (r verifier) compare(ctx context.Context, t *tally) error {
	for _, at := range paperdb.Indexed() {
		n, err := r.store.Count(ctx, t.Name, vectors.Filter{Table: at.Table, Column: at.Column})
		if err != nil {
			return err
		}
		if want := t.want[at]; n != want {
			t.Faults = append(t.Faults, fmt.Sprintf("%d records of %s.%s; the papers have %d", n, at.Table, at.Column, want))
		}
	}
	return nil
}
