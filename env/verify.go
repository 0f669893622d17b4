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
	// Checksums tells whether the store has some, which were compared.
	Checksums bool
	// Faults are what is wrong, in one line each.
	Faults []string
}

// Verify looks at the collections of a data directory: that each is there, was made of these papers by this model, is as it was
// written down to the last byte, and has a record for each text of the papers. The error is that of the directory or the
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
		v, err := verify(ctx, db, store, name, want)
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

func verify(ctx context.Context, db *paperdb.Reader, store vectors.Store, name string, want wanted) (Verified, error) {
	v := Verified{Name: name}
	info, err := checkCollection(ctx, store, name, want)
	if err == nil {
		_, v.Checksums = store.(checked)
		err = intact(ctx, store, name)
	}
	if ctx.Err() != nil {
		return v, ctx.Err()
	}
	if err != nil {
		v.Faults = append(v.Faults, err.Error())
		return v, nil
	}
	expected, err := expect(ctx, db, info)
	if err != nil {
		return v, err
	}
	for _, at := range paperdb.Indexed() {
		n, err := store.Count(ctx, name, vectors.Filter{Table: at.Table, Column: at.Column})
		if err != nil {
			return v, err
		}
		v.Records += n
		if wanted := expected[at.Table+"."+at.Column]; n != wanted {
			v.Faults = append(v.Faults, fmt.Sprintf("%d records of %s.%s, where the papers have %d texts", n, at.Table, at.Column, wanted))
		}
	}
	return v, nil
}

// expect counts the texts that a collection has a record of, by table and column.
func expect(ctx context.Context, db *paperdb.Reader, c vectors.Collection) (map[string]int, error) {
	var stats *bm25.Stats
	if c.Kind == vectors.Sparse {
		stats = new(bm25.Stats)
		if err := json.Unmarshal(c.Encoder, stats); err != nil {
			return nil, fmt.Errorf("collection %s: read its statistics: %w", c.Name, err)
		}
	}
	counts := map[string]int{}
	for cell, err := range db.Cells(ctx) {
		if err != nil {
			return nil, err
		}
		if stats == nil || len(stats.Document(cell.Text)) > 0 {
			counts[cell.Table+"."+cell.Column]++
		}
	}
	return counts, nil
}
