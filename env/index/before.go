package index

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/flat"
	"airqa/env/vectors/milvus"
)

// before is the current generation while the next one is made: its texts and their vectors.
type before struct {
	db      *paperdb.Reader // nil without papers
	store   *flat.Store
	servers []*milvus.Store // that may have vectors, too; Close leaves them open
	papers  Papers          // whose files are without names and problems
	record  *datadir.Index  // how its index was made; nil if unknown
	doubted bool            // whether its files may be damaged
}

// openBefore opens a generation, and reads its papers unless they are known.
func openBefore(ctx context.Context, dir *datadir.Dir, known Papers) (*before, error) {
	b := &before{papers: known}
	if _, err := os.Stat(dir.Database()); errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	var err error
	if b.db, err = paperdb.OpenReader(ctx, paperdb.Config{Path: dir.Database()}); err != nil {
		return nil, err
	}
	if info, err := dir.Info(); err == nil {
		b.record = info.Index
	}
	if known.Fingerprint == "" {
		b.papers, err = ReadPapers(ctx, b.db)
	}
	if err == nil {
		b.store, err = flat.Open(dir.Vectors(), dir.Generation())
	}
	if err != nil {
		return nil, errors.Join(err, b.db.Close())
	}
	return b, nil
}

// Close closes the generation.
func (b *before) Close() error {
	if b.db == nil {
		return nil
	}
	return errors.Join(b.store.Close(), b.db.Close())
}

// dimension returns the dimension of the vectors of a model; 0 if there are none. The collections of the next generation begin
// as copies, and are open or needed anyway.
func (b *before) dimension(ctx context.Context, next vectors.Store, model embed.Info) (int, error) {
	if b.db == nil {
		return 0, nil
	}
	for _, s := range append([]vectors.Store{next}, b.stores()...) {
		have, err := s.Info(ctx, CollectionOf(model))
		if err == nil && have.Model == model.Model && have.ModelHash == model.Hash {
			return have.Dim, nil
		}
		_, local := s.(*flat.Store) // may be damaged
		if err != nil && !local && !errors.Is(err, vectors.ErrNotFound) && !errors.Is(err, milvus.ErrDescription) {
			return 0, err
		}
	}
	return 0, nil
}

// stores returns the files and the servers.
func (b *before) stores() []vectors.Store {
	stores := []vectors.Store{b.store}
	for _, s := range b.servers {
		stores = append(stores, s)
	}
	return stores
}

// hasVectors reports whether the generation has papers, and its collection their vectors.
func (b *before) hasVectors(ctx context.Context) (bool, error) {
	if b.db == nil || b.record == nil {
		return false, nil
	}
	for _, s := range b.stores() {
		have, err := s.Info(ctx, CollectionOf(embed.Info{Model: b.record.Embedder}))
		if err == nil && have.Source == b.papers.Fingerprint {
			return true, nil
		}
		if err != nil && !errors.Is(err, vectors.ErrNotFound) {
			return false, err
		}
	}
	return false, nil
}

// vectorsTo copies the vectors of papers from the collection of a model to its cache, so that none of their texts is embedded
// again: from the files, and what these lack from the servers. Papers that are not there have none.
func (b *before) vectorsTo(ctx context.Context, texts *embed.Cache, want vectors.Collection, ids []string) error {
	if b.db == nil || len(ids) == 0 || want.Kind != vectors.Dense {
		return nil
	}
	if err := b.localTo(ctx, texts, want, ids); err != nil {
		return err
	}
	for _, s := range b.servers {
		if err := b.servedTo(ctx, texts, s, want, ids); err != nil {
			return err
		}
	}
	return nil
}

// servedTo copies vectors from a server. The hash of a text is stored with its vector, so the collection may be of other papers
// or other windows.
func (b *before) servedTo(ctx context.Context, texts *embed.Cache, s *milvus.Store, want vectors.Collection, ids []string) error {
	have, err := s.Info(ctx, want.Name)
	switch {
	case errors.Is(err, vectors.ErrNotFound), b.doubted && errors.Is(err, milvus.ErrDescription):
		return nil
	case err != nil:
		return err
	case have.Model != want.Model || have.ModelHash != want.ModelHash || have.Dim != want.Dim:
		return nil
	}
	split := func(c paperdb.Cell) []string { return WindowsOf(texts, c) }
	return b.copyVectors(ctx, texts, ids, split, func(group []string, use func(vectors.Record) error) error {
		return s.Vectors(ctx, want.Name, group, use)
	})
}

// localTo copies vectors from the files. A damaged collection has none.
func (b *before) localTo(ctx context.Context, texts *embed.Cache, want vectors.Collection, ids []string) error {
	have, err := b.store.Info(ctx, want.Name)
	if err != nil {
		return ctx.Err()
	}
	window := have.Window
	if have.Window = want.Window; !SameContent(have, want) || have.Source != b.papers.Fingerprint {
		return ctx.Err()
	}
	if b.doubted && b.store.Verify(ctx, want.Name) != nil {
		return ctx.Err()
	}
	split := func(c paperdb.Cell) []string { return WindowsOf(texts, c) }
	if window != want.Window { // the vectors of other windows are of no use
		split = func(c paperdb.Cell) []string { return []string{c.Text} }
	}
	return b.copyVectors(ctx, texts, ids, split, func(group []string, use func(vectors.Record) error) error {
		return b.store.Vectors(ctx, want.Name, group, use)
	})
}

func (b *before) withoutVector(ctx context.Context, texts *embed.Cache) (n int, err error) {
	for c, err := range b.db.Cells(ctx, nil) {
		if err != nil {
			return n, err
		}
		for _, text := range WindowsOf(texts, c) {
			has, err := texts.Has(text)
			if err != nil {
				return n, err
			}
			if !has {
				n++
			}
		}
	}
	return n, nil
}

// copyVectors copies the vectors of some papers, or of all papers if ids is nil, to the cache. It takes the texts of a cell from
// split, and their vectors from read.
func (b *before) copyVectors(
	ctx context.Context, texts *embed.Cache, ids []string, split func(paperdb.Cell) []string,
	read func(ids []string, use func(vectors.Record) error) error,
) error {
	groups, err := b.db.CellGroups(ctx, ids)
	if err != nil {
		return err
	}
	for _, group := range groups {
		known, err := b.lacking(ctx, texts, group, split)
		if err != nil {
			return err
		}
		if len(known) == 0 {
			continue
		}
		found := make(map[vectors.Origin][]vectors.Record)
		err = read(group, func(r vectors.Record) error {
			if known[r.Origin] != nil {
				r.Dense = slices.Clone(r.Dense)
				found[r.Origin] = append(found[r.Origin], r)
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := cacheVectors(texts, known, found); err != nil {
			return err
		}
	}
	return nil
}

// lacking returns the texts of the cells of papers that have a text without a cached vector, in the order of their records.
func (b *before) lacking(
	ctx context.Context, texts *embed.Cache, ids []string, split func(paperdb.Cell) []string,
) (map[vectors.Origin][]string, error) {
	known := make(map[vectors.Origin][]string)
	for c, err := range b.db.Cells(ctx, ids) {
		if err != nil {
			return nil, err
		}
		windows := split(c)
		for _, text := range windows {
			has, err := texts.Has(text)
			if err != nil {
				return nil, err
			}
			if !has {
				known[c.Origin] = windows
				break
			}
		}
	}
	return known, nil
}

// cacheVectors stores the vectors of cells in the cache: those whose text is known by its hash, or, without hashes, of cells that have
// as many records as texts.
func cacheVectors(texts *embed.Cache, known map[vectors.Origin][]string, found map[vectors.Origin][]vectors.Record) error {
	var kept []string
	var dense [][]float32
	for origin, windows := range known {
		records := found[origin]
		for i, text := range windows {
			at := slices.IndexFunc(records, func(r vectors.Record) bool { return r.Text == embed.TextHash(text) })
			if at < 0 && len(records) == len(windows) && records[i].Text == 0 {
				at = i
			}
			if at >= 0 {
				kept, dense = append(kept, text), append(dense, records[at].Dense)
			}
		}
	}
	return texts.Put(kept, dense)
}
