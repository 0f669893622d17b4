package index

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/internal/terminal"
)

// indexer has what an update of the collections needs, in the files or on a server, to match the papers in the database.
type indexer struct {
	Config
	db     *paperdb.Reader
	papers Papers
	// branched means that the collections in the files were copied from those of the current generation, and nothing was
	// changed since.
	branched bool
	// gone are the papers of the current generation that changed or were removed, fresh are those that changed or were added.
	gone, fresh []string

	texts   *embed.Cache
	overlap *overlap
	before  *before
}

// plan is an update of one collection.
type plan struct {
	// want describes the collection after the update.
	want vectors.Collection
	// build means that the collection is replaced, and all papers are added.
	build bool
	// outdated are the papers whose records are deleted: they were removed, or have another version now. missing are those
	// whose records are added. Both are sorted.
	outdated, missing []string
	// terms are those of a BM25 collection on a server that change, or all of one that is built.
	terms map[string]bm25.Term
}

// newPlan plans the update of a collection that has papers in the versions have; nil means that it is built.
func (ix indexer) newPlan(want vectors.Collection, have map[string]string) plan {
	versions := ix.papers.Versions()
	return plan{want: want, build: have == nil, outdated: lacking(have, versions), missing: lacking(versions, have)}
}

// changes plans the update of a collection of the papers of the current generation. It reads no collection, and computes no
// versions.
func (ix indexer) changes(want vectors.Collection) plan {
	return plan{want: want, outdated: ix.gone, missing: ix.fresh}
}

// lacking returns the papers that others do not have in the same version, sorted and not nil.
func lacking(versions, others map[string]string) []string {
	ids := []string{}
	for id, version := range versions {
		if others[id] != version {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// added returns the papers to add; nil for all.
func (p plan) added() []string {
	if p.build {
		return nil
	}
	return p.missing
}

// saveVectors copies the vectors that an update deletes to the cache: most texts of another version of a paper are the same.
func (ix indexer) saveVectors(ctx context.Context, p plan) error {
	if !p.build {
		return ix.before.vectorsTo(ctx, ix.texts, p.want, p.outdated)
	}
	if err := ix.before.vectorsTo(ctx, ix.texts, p.want, ix.before.papers.IDs()); err != nil {
		return err
	}
	r := ix.before.record
	if p.want.Kind != vectors.Dense || r == nil || r.Embedder != EmbedderName(p.want.Model) || !ix.Rebuild && IsFiles(r.Vectors) {
		return nil // no server, and no collection to rebuild, should have these vectors
	}
	if (r.VectorsPerChunk == datadir.OneVector) != ix.texts.Info().OneVector {
		return nil // that most passages are embedded again was asked for
	}
	n, err := ix.before.withoutVector(ctx, ix.texts)
	if n > 0 {
		ix.Notice(fmt.Sprintf("no vector of %s of papers that were indexed before is left in collection %s; embedding them again",
			terminal.Plural(n, "text"), p.want.Name))
	}
	return err
}

// denseCollection describes the collection of the embedding model.
func (ix indexer) denseCollection(ctx context.Context, store vectors.Store) (vectors.Collection, error) {
	info := ix.texts.Info()
	if info.Dim == 0 {
		var err error
		if info.Dim, err = ix.before.dimension(ctx, store, info); err != nil {
			return vectors.Collection{}, err
		}
	}
	if info.Dim == 0 {
		// The first vector from an endpoint reveals its dimension.
		probe, err := ix.texts.Embed(ctx, []string{"dimension"})
		if err != nil {
			return vectors.Collection{}, err
		}
		info.Dim = len(probe[0])
	}
	return vectors.Collection{
		Name: CollectionOf(info), Kind: vectors.Dense, Dim: info.Dim, Model: info.Model, ModelHash: info.Hash,
		Window: info.Window, Source: ix.papers.Fingerprint,
	}, nil
}

// window is a part of a cell's text with its own vector.
type window struct {
	paperdb.Cell
	text string
}

// embed embeds the windows of cells that are accepted, and yields them in their order, a block at a time.
func (ix indexer) embed(
	ctx context.Context, cells iter.Seq2[paperdb.Cell, error], accept func(text string) (bool, error),
) iter.Seq2[embedded, error] {
	return ix.overlap.all(ctx, batches(ix.overlap.Texts, func(yield func(window, error) bool) {
		for c, err := range cells {
			if err != nil {
				yield(window{}, err)
				return
			}
			for _, text := range WindowsOf(ix.texts, c) {
				ok, err := accept(text)
				if (ok || err != nil) && !yield(window{c, text}, err) {
					return
				}
			}
		}
	}))
}

func always(string) (bool, error) { return true, nil }

// batches yields the elements of a sequence n at a time.
func batches[T any](n int, all iter.Seq2[T, error]) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		var batch []T
		for x, err := range all {
			if err != nil {
				yield(nil, err)
				return
			}
			if batch = append(batch, x); len(batch) < n {
				continue
			}
			if !yield(batch, nil) {
				return
			}
			batch = nil
		}
		if len(batch) > 0 {
			yield(batch, nil)
		}
	}
}
