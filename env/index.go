package env

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/flat"
	"airqa/env/vectors/milvus"
)

// reindex updates the collections of the next generation to match its papers and makes it the current one.
func (w *Writer) reindex(ctx context.Context, rebuild map[string]bool) (err error) {
	dir, next, texts, cfg := w.dir, w.next, w.texts, w.cfg
	var open closers
	defer func() { err = errors.Join(err, open.close()) }()
	db, err := paperdb.OpenReader(ctx, paperdb.Config{Path: next.Database()})
	if err != nil {
		return err
	}
	open.add(db)
	files, err := db.Sources(ctx)
	if err != nil {
		return err
	}
	source := datadir.Fingerprint(sourcesOf(files))
	store, err := openStore(ctx, next, cfg.Vectors)
	if err != nil {
		return err
	}
	open.add(store)
	if err := claimStore(ctx, next, store, source, cfg.TakeOver); err != nil {
		return err
	}
	before, err := openBefore(ctx, dir, w.current)
	if err != nil {
		return err
	}
	open.add(before)
	if s, ok := store.(*milvus.Store); ok {
		before.servers = append(before.servers, s)
	}
	if from, err := openSource(ctx, dir, cfg); err != nil {
		return err
	} else if from != nil {
		open.add(from)
		before.servers = append(before.servers, from)
	}
	ix := indexer{
		db: db, source: source, files: files, texts: texts, overlap: newOverlap(texts, embed.BlocksOf(cfg.Embedder)),
		progress: cfg.Progress, notice: cfg.Notice, before: before, rebuild: rebuild, verify: cfg.Repair,
	}
	if ix.branched, err = branchFiles(dir, next); err != nil {
		cfg.Notice(err.Error() + "; the collection is built again")
	}
	if err := ix.update(ctx, store); err != nil {
		return fmt.Errorf("build search index: %w", err)
	}
	if err := commit(next, cfg, source, len(files)); err != nil {
		return err
	}
	err = clearTexts(ctx, texts, store)
	return errors.Join(err, open.close(), prune(next))
}

// clearTexts empties the cache if the index has the vectors and returns them when they are needed again.
func clearTexts(ctx context.Context, texts *embed.Cache, store vectors.Store) error {
	if s, ok := store.(*milvus.Store); ok {
		if kept, err := s.Rereadable(ctx, collectionOf(texts.Info())); err != nil || !kept {
			return err
		}
	}
	return texts.Clear()
}

// openSource opens the server that the vectors are moved from; nil if there is no other than that of cfg.Vectors.
func openSource(ctx context.Context, dir *datadir.Dir, cfg WriterConfig) (*milvus.Store, error) {
	to, err := placeOf(cfg.Vectors)
	if err != nil {
		return nil, err
	}
	from, err := placeOf(cfg.From)
	if err != nil || isFiles(cfg.From) || from == to {
		return nil, err
	}
	store, err := openStore(ctx, dir, cfg.From)
	if err != nil {
		return nil, fmt.Errorf("read the vectors of the present store: %w", err)
	}
	return store.(*milvus.Store), nil
}

// update updates the collections of a store.
func (ix indexer) update(ctx context.Context, store vectors.Store) error {
	switch s := store.(type) {
	case *flat.Store:
		return localIndexer{ix, s}.update(ctx)
	case *milvus.Store:
		return remoteIndexer{ix, s}.update(ctx)
	}
	return fmt.Errorf("unknown store %T", store)
}

// branchFiles makes the collections in the files begin as those of the current generation. It reports whether all do: those of
// an interrupted writer are continued, and format 1 has no versions of papers.
func branchFiles(dir, next *datadir.Dir) (all bool, err error) {
	store, err := flat.Open(next.Vectors(), next.Generation())
	if err != nil {
		return false, err
	}
	kept, err := store.Branch(dir.Generation())
	err = errors.Join(err, store.Close())
	return !kept && err == nil && dir.Generation() > 0, err
}

// commit makes a generation with an index the current one.
func commit(next *datadir.Dir, cfg WriterConfig, source string, papers int) error {
	info, err := next.Identified()
	if err != nil {
		return err
	}
	info.Fingerprint, info.Papers = source, papers
	if info.Index, err = recordOf(cfg.Embedder.Info(), cfg.Vectors); err != nil {
		return err
	}
	return next.Commit(info)
}

// prune removes the generations that are not needed, with their segments.
func prune(d *datadir.Dir) error {
	kept, err := d.Prune()
	if err != nil {
		return err
	}
	store, err := flat.Open(d.Vectors(), d.Generation())
	if err != nil {
		return err
	}
	return errors.Join(store.Keep(func(n int) bool { return slices.Contains(kept, n) }), store.Close())
}

// isCurrent reports whether the search index matches the papers and the settings. It opens all segments, but reads only
// small ones: [Verify] finds damage inside a large one.
func isCurrent(ctx context.Context, dir *datadir.Dir, cfg WriterConfig) (current bool, err error) {
	info, err := dir.Info()
	if err != nil {
		return false, err
	}
	index, err := recordOf(cfg.Embedder.Info(), cfg.Vectors)
	if err != nil || info.Format != datadir.Format || info.Index == nil || *info.Index != *index {
		return false, err
	}
	store, err := openStore(ctx, dir, cfg.Vectors)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if sealed, err := dir.Sealed(); err != nil || !sealed {
		return false, err
	}
	want := requirements{source: info.Fingerprint, model: cfg.Embedder.Info()}
	for _, name := range []string{bm25.Name, collectionOf(want.model)} {
		if have, err := checkCollection(ctx, store, name, want); err != nil || !want.sameWindows(have) {
			return false, ctx.Err()
		}
	}
	return true, nil
}

// verified looks for all faults of the index. It returns the collections that seem intact, but have another number of records
// than their papers should have.
func verified(ctx context.Context, dir *datadir.Dir, cfg WriterConfig) (miscounted map[string]bool, faulty bool, err error) {
	list, err := Verify(ctx, VerifyConfig{Dir: dir.Path(), Vectors: cfg.Vectors, Embedder: cfg.Embedder, Deep: true})
	if errors.Is(err, datadir.ErrUnfinished) {
		return nil, false, nil
	}
	miscounted = make(map[string]bool)
	for _, v := range list {
		faulty = faulty || len(v.Faults) > 0
		if v.Miscounted {
			miscounted[v.Name] = true
		}
	}
	return miscounted, faulty, err
}

// closers closes what was opened, last first.
type closers []io.Closer

func (c *closers) add(x io.Closer) { *c = append(*c, x) }

func (c *closers) close() error {
	var err error
	for _, x := range slices.Backward(*c) {
		err = errors.Join(err, x.Close())
	}
	*c = nil
	return err
}

func openCache(dir *datadir.Dir, cfg WriterConfig) (*embed.Cache, error) {
	path := cachePath(dir, cfg.Embedder.Info())
	return embed.OpenCache(path, cfg.Embedder, func(n int) {
		line := fmt.Sprintf("%d damaged records in embeddings/%s; their texts are embedded again", n, filepath.Base(path))
		if n == 1 {
			line = "1 damaged record in embeddings/" + filepath.Base(path) + "; its text is embedded again"
		}
		cfg.Notice(line)
	})
}
