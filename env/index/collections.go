// Package index has the search index of a data directory: its settings, its collections in files or on a server, their checks and
// comparisons. It brings them in step with the papers. Start from [Open] or [Update].
package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/flat"
	"airqa/env/vectors/milvus"
	"airqa/internal/lazyregexp"
)

// MiniLM is the collection name that the reference implementation uses for all-MiniLM-L6-v2.
const MiniLM = "text_sentence_transformers_all_minilm_l6_v2"

var notInNames = lazyregexp.New(`[^a-z0-9_]+`)

// CollectionOf names the collection of an embedding model. As in the reference, the name joins modality, type and model
// in lower case and replaces every other character with "_".
func CollectionOf(info embed.Info) string {
	if EmbedderName(info.Model) == DefaultEmbedder {
		return MiniLM
	}
	return "text_" + notInNames.ReplaceAllString(strings.ToLower(info.Model), "_")
}

// OpenStore opens the vector store of a data directory: the local files if url is empty or [Files], else a Milvus server.
func OpenStore(ctx context.Context, dir *datadir.Dir, url string) (vectors.Store, error) {
	if IsFiles(url) {
		s, err := flat.Open(dir.Vectors(), dir.Generation())
		if err != nil {
			return nil, err // a nil *flat.Store would make a non-nil interface
		}
		return s, nil
	}
	cfg, err := milvus.ParseURL(url)
	if err != nil {
		return nil, err
	}
	s, err := milvus.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// CheckServer connects to the server of a writer before it begins.
func CheckServer(ctx context.Context, dir *datadir.Dir, url string) error {
	store, err := OpenStore(ctx, dir, url)
	if err != nil {
		return err
	}
	return store.Close()
}

// SameContent reports whether records of one collection can be added to the other.
func SameContent(a, b vectors.Collection) bool {
	return a.Name == b.Name && a.Kind == b.Kind && a.Dim == b.Dim && a.Model == b.Model && a.ModelHash == b.ModelHash &&
		a.Window == b.Window && a.Corpus == b.Corpus
}

// changingPrefix begins the source of a collection that is being changed.
const changingPrefix = "changing:"

// Changing is the source of a collection while it is changed from one fingerprint of the papers to another.
func Changing(from, to string) string { return changingPrefix + from + ":" + to }

// CheckVectors validates the URL of a vector store without connecting to it. An empty URL and [Files] are valid.
func CheckVectors(url string) error {
	_, err := PlaceOf(url)
	return err
}

// Check checks that a collection exists, was built from the current papers, and with the given model.
// want.Model is the zero Info for BM25.
func Check(ctx context.Context, store vectors.Store, name string, want Requirements) (vectors.Collection, error) {
	c, err := store.Info(ctx, name)
	if errors.Is(err, vectors.ErrNotFound) || err == nil && c.Source == "" {
		return c, incomplete(ctx, store, name)
	}
	if err != nil {
		return c, err
	}
	if strings.HasPrefix(c.Source, changingPrefix) {
		return c, fmt.Errorf("an ingest is changing the search index on the server; wait for it, or, if it was interrupted, %s", rebuildHint(store))
	}
	if s, remote := store.(*milvus.Store); remote && s.IndexFor(c) != c.Index {
		return c, fmt.Errorf("collection %s has index %s, not %s; leave it out of the URL, or change it with airqa store vectors --to URL",
			name, cmp.Or(c.Index, "FLAT"), cmp.Or(s.IndexFor(c), "FLAT"))
	}
	if c.Source != want.Source {
		other := ""
		if _, remote := store.(*milvus.Store); remote {
			other = " or because another data directory wrote to the server"
		}
		return c, fmt.Errorf("the search index is out of date, for instance after an interrupted ingest%s; %s", other, rebuildHint(store))
	}
	if name == bm25.Name {
		return c, nil
	}
	if err := want.Model.Check(embed.Info{Model: c.Model, Hash: c.ModelHash, Dim: c.Dim}); err != nil {
		return c, fmt.Errorf("%w; use the model of the last ingest, or ingest again with this one", err)
	}
	return c, nil
}

// incomplete is the error of a collection that is missing, or lacks papers because the model failed.
func incomplete(ctx context.Context, store vectors.Store, name string) error {
	if name == bm25.Name {
		return fmt.Errorf("the search index has no collection %s; %s", name, rebuildHint(store))
	}
	return fmt.Errorf("collection %s lacks vectors of the papers%s; %s; --retrieve bm25 needs no vectors",
		name, availableModels(ctx, store), rebuildHint(store))
}

// rebuildHint is a hint for a missing or outdated collection.
func rebuildHint(store vectors.Store) string {
	if _, remote := store.(*milvus.Store); remote {
		return "run the same airqa ingest command again, or airqa store vectors --to if it filled the server"
	}
	return "run the same airqa ingest command again"
}

// Requirements describes the papers and the model a collection must have been built from.
type Requirements struct {
	Source string
	Model  embed.Info
}

// SameWindows reports whether a collection of the model splits passages alike.
func (r Requirements) SameWindows(c vectors.Collection) bool {
	return c.Kind != vectors.Dense || c.Window == r.Model.Window
}

// availableModels lists the dense collections that exist instead.
func availableModels(ctx context.Context, store vectors.Store) string {
	list, err := store.List(ctx)
	if err != nil {
		return ""
	}
	var names []string
	for _, c := range list {
		if c.Kind == vectors.Dense {
			names = append(names, c.Model)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (it was built with " + strings.Join(names, ", ") + ": select that model with --embedder)"
}

// Collections lists the vector collections of a data directory, in its own files or at the URL of a vector store. It
// does not check whether they match the papers.
func Collections(ctx context.Context, dir, url string) (list []vectors.Collection, err error) {
	d, err := datadir.Open(dir)
	if err == nil {
		err = d.Hold("")
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Release()) }()
	store, err := OpenStore(ctx, d, url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return store.List(ctx)
}
