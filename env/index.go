package env

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/flat"
)

// reindex brings the BM25 collection and airqa.json up to the papers in the database.
func reindex(ctx context.Context, dir *datadir.Dir) (err error) {
	db, err := paperdb.OpenReader(ctx, dir.Database())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	source, papers, err := fingerprint(ctx, db)
	if err != nil {
		return err
	}
	store, err := flat.Open(dir.Vectors())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if !current(ctx, store, source) {
		if err := rebuild(ctx, db, store, source); err != nil {
			return fmt.Errorf("build search index: %w", err)
		}
	}
	return dir.WriteInfo(datadir.Info{Fingerprint: source, Papers: papers})
}

// current tells whether the collection was made from these papers. A damaged one is not.
func current(ctx context.Context, store vectors.Store, source string) bool {
	info, err := store.Info(ctx, bm25.Name)
	return err == nil && info.Source == source
}

// rebuild counts the terms of all chunks, then makes their vectors: two passes over the database, so that no
// more than one paper's text is in memory.
//
// The reference implementation counts whole pages and searches chunks with the counts. Here the chunks are
// counted, which are the documents that are searched: the average length is theirs.
func rebuild(ctx context.Context, db *paperdb.Reader, store vectors.Store, source string) error {
	stats, err := bm25.Fit(texts(db.Chunks(ctx)))
	if err != nil {
		return err
	}
	encoder, err := json.Marshal(stats)
	if err != nil {
		return err
	}
	c := vectors.Collection{Name: bm25.Name, Kind: vectors.Sparse, Model: "bm25", Source: source, Encoder: encoder}
	return store.Replace(ctx, c, records(db.Chunks(ctx), stats))
}

func texts(chunks iter.Seq2[paperdb.Passage, error]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for p, err := range chunks {
			if !yield(p.Text, err) {
				return
			}
		}
	}
}

// records leaves out chunks without a term, which nothing could find.
func records(chunks iter.Seq2[paperdb.Passage, error], stats *bm25.Stats) iter.Seq2[vectors.Record, error] {
	return func(yield func(vectors.Record, error) bool) {
		for p, err := range chunks {
			terms := stats.Document(p.Text)
			if err == nil && len(terms) == 0 {
				continue
			}
			r := vectors.Record{
				Origin: vectors.Origin{PaperID: p.PaperID, Page: p.Page, Table: searchTable, Column: searchColumn, Key: p.ID},
				Vector: vectors.Vector{Sparse: terms},
			}
			if !yield(r, err) {
				return
			}
		}
	}
}
