package env

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
)

// before is the current generation while the next one is made: its texts and their vectors.
type before struct {
	db    *paperdb.Reader // nil without papers
	store *flat.Store
	files []paperdb.Owned // without names and problems
	from  string          // the fingerprint of the papers
}

// openBefore opens a generation, and reads its papers unless they are known.
func openBefore(ctx context.Context, dir *datadir.Dir, known before) (*before, error) {
	b := &known
	if _, err := os.Stat(dir.Database()); errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	var err error
	if b.db, err = paperdb.OpenReader(ctx, paperdb.Config{Path: dir.Database()}); err != nil {
		return nil, err
	}
	if b.from == "" {
		b.files, err = b.db.Sources(ctx)
		b.from = datadir.Fingerprint(sourcesOf(b.files))
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

// source is the fingerprint of the papers.
func (b *before) source() string { return b.from }

// dimension returns the dimension of the vectors of a model; 0 if there are none.
func (b *before) dimension(ctx context.Context, model embed.Info) int {
	if b.db == nil {
		return 0
	}
	have, err := b.store.Info(ctx, collectionOf(model))
	if err != nil || have.Model != model.Model || have.ModelHash != model.Hash {
		return 0
	}
	return have.Dim
}

// all returns the ids of the papers.
func (b *before) all() []string {
	ids := make([]string, len(b.files))
	for i, f := range b.files {
		ids[i] = f.PaperID
	}
	return ids
}

// vectorsTo copies the vectors of papers from the collection of a model in the files to its cache, so that none of their
// texts is embedded again. Papers that are not there have none. If the manifest of the collection is lost, it takes the
// vectors of all papers from the segments, and reports whether there are any.
func (b *before) vectorsTo(ctx context.Context, texts *embed.Cache, want vectors.Collection, ids []string) (lost bool, err error) {
	if b.db == nil || len(ids) == 0 || want.Kind != vectors.Dense {
		return false, nil
	}
	have, err := b.store.Info(ctx, want.Name)
	if err != nil {
		return b.salvage(ctx, texts, want)
	}
	window := have.Window
	if have.Window = want.Window; !sameContent(have, want) || have.Source != b.source() {
		return false, ctx.Err()
	}
	split := func(c paperdb.Cell) []string { return windowsOf(texts, c) }
	if window != want.Window { // the vectors of other windows are of no use
		split = func(c paperdb.Cell) []string { return []string{c.Text} }
	}
	return false, b.copyVectors(ctx, texts, ids, split, func(group []string, use func(vectors.Record) error) error {
		return b.store.Vectors(ctx, want.Name, group, use)
	})
}

// salvage copies the vectors of all papers from the segments of a dense collection whose manifest is lost to the cache. It
// reports whether there are any segments.
func (b *before) salvage(ctx context.Context, texts *embed.Cache, want vectors.Collection) (found bool, err error) {
	from, err := b.store.Salvage(ctx, want)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	if from.Segments() == 0 {
		return false, nil
	}
	versions := versionsOf(b.files)
	split := func(c paperdb.Cell) []string { return windowsOf(texts, c) }
	return true, b.copyVectors(ctx, texts, nil, split, func(group []string, use func(vectors.Record) error) error {
		return from.Vectors(group, versions, use)
	})
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
		known := make(map[vectors.Origin][]string) // the texts of a cell in the order of its records
		for c, err := range b.db.Cells(ctx, group) {
			if err != nil {
				return err
			}
			known[originOf(c)] = split(c)
		}
		found := make(map[vectors.Origin][][]float32)
		err := read(group, func(r vectors.Record) error {
			found[r.Origin] = append(found[r.Origin], slices.Clone(r.Dense))
			return nil
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			continue // damage: these texts are embedded again
		}
		var keep []string
		var dense [][]float32
		for origin, windows := range known {
			if made := found[origin]; len(made) == len(windows) {
				keep, dense = append(keep, windows...), append(dense, made...)
			}
		}
		if err := texts.Put(keep, dense); err != nil {
			return err
		}
	}
	return nil
}
