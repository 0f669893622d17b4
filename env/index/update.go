package index

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/flat"
	"airqa/env/vectors/milvus"
	"airqa/internal/files"
)

// Config configures the update of a search index. Embedder is required.
type Config struct {
	Embedder embed.Embedder
	// Vectors is the URL of a Milvus server for the collections; empty means the directory's own files. From is the URL of the
	// server that the vectors are moved from, if Vectors is another store.
	Vectors, From string
	// Rebuild builds the collections again, although they seem to match.
	Rebuild bool
	// Progress receives the number of texts that are embedded, Notice a line for the user.
	Progress func(done, total int)
	Notice   func(line string)
}

// Update makes the next generation of a data directory the current one.
type Update struct {
	Config
	// Dir is the current generation, Next the next one, whose database is complete.
	Dir, Next *datadir.Dir
	// Before are the papers of Dir, After those of Next, or zero if they were not read.
	Before, After Papers
	// Texts are the vectors by text, see [OpenTexts].
	Texts *embed.Cache
	// Failed is the failure of the model while papers were added, which is not asked again; nil if there was none.
	Failed error
}

// Run updates the collections of the next generation to match its papers, and makes it the current one: done. If the model
// fails, it still does so without vectors, beside the error, unless readers of the current generation would lose theirs.
func (u Update) Run(ctx context.Context) (done bool, err error) {
	var open files.Closers
	defer func() { err = errors.Join(err, open.Close()) }()
	db, err := paperdb.OpenReader(ctx, paperdb.Config{Path: u.Next.Database()})
	if err != nil {
		return false, err
	}
	open.Add(db)
	papers := u.After
	if papers.Fingerprint == "" {
		if papers, err = ReadPapers(ctx, db); err != nil {
			return false, err
		}
	}
	store, err := OpenStore(ctx, u.Next, u.Vectors)
	if err != nil {
		return false, err
	}
	open.Add(store)
	before, err := u.openBefore(ctx, store, &open)
	if err != nil {
		return false, err
	}
	ix := indexer{
		Config: u.Config, db: db, papers: papers, texts: u.Texts, overlap: newOverlap(u.Texts, embed.BlocksOf(u.Embedder)),
		before: before,
	}
	ix.gone, ix.fresh = before.papers.Without(papers), papers.Without(before.papers)
	if !u.Rebuild { // what is damaged cannot be copied
		if ix.branched, err = BranchFiles(u.Dir, u.Next); err != nil {
			return false, err
		}
	}
	failed, err := ix.updateUnless(ctx, store, u.Failed)
	if err != nil {
		return false, fmt.Errorf("build search index: %w", err)
	}
	if err := u.commit(papers); err != nil {
		return false, err
	}
	if failed == nil { // the index has the vectors of the cache
		err = u.Texts.Clear()
	}
	return true, errors.Join(failed, err, open.Close(), Prune(u.Next))
}

// openBefore opens the current generation and the servers that may have its vectors.
func (u Update) openBefore(ctx context.Context, store vectors.Store, open *files.Closers) (*before, error) {
	b, err := openBefore(ctx, u.Dir, u.Before)
	if err != nil {
		return nil, err
	}
	open.Add(b)
	b.doubted = u.Rebuild
	if s, ok := store.(*milvus.Store); ok {
		b.servers = append(b.servers, s)
	}
	from, err := u.openSource(ctx)
	if from != nil {
		open.Add(from)
		b.servers = append(b.servers, from)
	}
	return b, err
}

// openSource opens the server that the vectors are moved from; nil if there is no other than that of Vectors.
func (u Update) openSource(ctx context.Context) (*milvus.Store, error) {
	to, err := PlaceOf(u.Vectors)
	if err != nil {
		return nil, err
	}
	from, err := PlaceOf(u.From)
	if err != nil || IsFiles(u.From) || from == to {
		return nil, err
	}
	store, err := OpenStore(ctx, u.Dir, u.From)
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

// updateUnless updates the collections, or only the words if the model has failed or fails: then it returns the failure for the
// user. If the current generation has its vectors, a failure is an error: readers keep them.
func (ix indexer) updateUnless(ctx context.Context, store vectors.Store, failed error) (shown, err error) {
	if failed == nil {
		failed = ix.update(ctx, store)
	}
	if failed == nil {
		return nil, nil
	}
	if _, ok := errors.AsType[*embed.FailedError](failed); !ok {
		return nil, failed
	}
	has, err := ix.before.hasVectors(ctx)
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	if has {
		return nil, fmt.Errorf("%w; the papers from before stay available, and the same airqa command again adds the others", failed)
	}
	switch s := store.(type) {
	case *flat.Store:
		err = localIndexer{ix, s}.updateWords(ctx)
	case *milvus.Store:
		err = remoteIndexer{ix, s}.updateWords(ctx)
	}
	return fmt.Errorf("%w; the papers can be listed, queried and searched by words (--retrieve bm25), and "+
		"the same airqa command again adds what is missing", failed), err
}

// commit makes the next generation, which has an index of its papers, the current one.
func (u Update) commit(papers Papers) error {
	info, err := u.Next.Info()
	if err != nil {
		return err
	}
	info.Fingerprint, info.Papers = papers.Fingerprint, len(papers.Files)
	if info.Index, err = RecordOf(u.Embedder.Info(), u.Vectors); err != nil {
		return err
	}
	return u.Next.Commit(info)
}

// IsCurrent reports whether the search index matches the papers and the settings. It opens all segments, but reads only
// small ones: [Verify] finds damage inside a large one.
func IsCurrent(ctx context.Context, dir *datadir.Dir, cfg Config) (current bool, err error) {
	info, err := dir.Info()
	if err != nil {
		return false, err
	}
	record, err := RecordOf(cfg.Embedder.Info(), cfg.Vectors)
	if err != nil || info.Index == nil || *info.Index != *record {
		return false, err
	}
	store, err := OpenStore(ctx, dir, cfg.Vectors)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if sealed, err := dir.Sealed(); err != nil || !sealed {
		return false, err
	}
	want := Requirements{Source: info.Fingerprint, Model: cfg.Embedder.Info()}
	for _, name := range []string{bm25.Name, CollectionOf(want.Model)} {
		if have, err := Check(ctx, store, name, want); err != nil || !want.SameWindows(have) {
			return false, ctx.Err()
		}
	}
	return true, nil
}

// OpenTexts opens the cache of vectors by text in a folder.
func OpenTexts(folder string, cfg Config) (*embed.Cache, error) {
	info := cfg.Embedder.Info()
	name := CollectionOf(info)
	if len(info.Hash) >= 8 {
		name += "-" + info.Hash[:8]
	}
	name += ".cache"
	shown := filepath.Base(folder) + "/" + name
	return embed.OpenCache(filepath.Join(folder, name), cfg.Embedder, func(n int) {
		line := fmt.Sprintf("%d damaged records in %s; their texts are embedded again", n, shown)
		if n == 1 {
			line = "1 damaged record in " + shown + "; its text is embedded again"
		}
		cfg.Notice(line)
	})
}
