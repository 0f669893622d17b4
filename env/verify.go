package env

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
)

// VerifyConfig says whose collections to look at: Dir's own files, or those on a server by URL.
type VerifyConfig struct {
	Dir      string
	Vectors  string
	Embedder embed.Embedder
}

// Verified is what [Verify] saw of a collection.
type Verified struct {
	Name    string
	Records int
	// Texts is how many texts the records are of: a passage longer than the model reads has several.
	Texts int
	// Checksums tells whether the store has some, which were compared.
	Checksums bool
	// Faults are what is wrong, in one line each.
	Faults []string
}

// Verify looks at the collections of a data directory: that each is there, was made of these papers by this model, is as it was
// written down to the last byte, and has the records that the texts of the papers need. The error is that of the directory or the
// server.
func Verify(ctx context.Context, cfg VerifyConfig) (list []Verified, err error) {
	dir, db, err := openPapers(ctx, cfg.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	store, err := openStore(ctx, dir, cfg.Vectors)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	source, _, err := fingerprint(ctx, db)
	if err != nil {
		return nil, err
	}
	want := wanted{source: source, model: cfg.Embedder.Info()}
	for _, name := range []string{bm25.Name, collectionOf(want.model)} {
		v, err := verifier{db: db, store: store, want: want, model: cfg.Embedder}.collection(ctx, name)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// checked is a store that can compare a collection with its checksums.
type checked interface {
	Verify(ctx context.Context, name string) error
}

// intact compares a collection with its checksums where the store has some.
func intact(ctx context.Context, store vectors.Store, name string) error {
	if s, ok := store.(checked); ok {
		return s.Verify(ctx, name)
	}
	return nil
}

// verifier looks at the collections of one store.
type verifier struct {
	db    *paperdb.Reader
	store vectors.Store
	want  wanted
	model embed.Embedder
}

func (r verifier) collection(ctx context.Context, name string) (Verified, error) {
	v := Verified{Name: name}
	info, err := checkCollection(ctx, r.store, name, r.want)
	if err == nil {
		_, v.Checksums = r.store.(checked)
		err = intact(ctx, r.store, name)
	}
	if err == nil && info.Window > 0 && info.Window != r.want.model.Window {
		err = fmt.Errorf("made with windows of %d tokens, not of %d: name the limit of the model as at ingest", info.Window, r.want.model.Window)
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
			v.Faults = append(v.Faults, fmt.Sprintf("%d records of %s.%s, where the papers have %d", n, at.Table, at.Column, want.records))
		}
	}
	return v, nil
}

// amount is how many texts a column has, and how many records they should have.
type amount struct{ texts, records int }

// expect counts what a collection should hold, by table and column.
func (r verifier) expect(ctx context.Context, c vectors.Collection) (map[paperdb.Place]amount, error) {
	var stats *bm25.Stats
	if c.Kind == vectors.Sparse {
		stats = new(bm25.Stats)
		if err := json.Unmarshal(c.Encoder, stats); err != nil {
			return nil, fmt.Errorf("collection %s: read its statistics: %w", c.Name, err)
		}
	}
	counts := map[paperdb.Place]amount{}
	for cell, err := range r.db.Cells(ctx) {
		if err != nil {
			return nil, err
		}
		if stats != nil && len(stats.Document(cell.Text)) == 0 {
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
