package env

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/vectors"
	"airqa/env/vectors/bm25"
	"airqa/env/vectors/flat"
	"airqa/env/vectors/milvus"
)

// Mode is how passages are searched.
type Mode string

// The modes. The paper searches dense vectors (Section 4.1); the others are for comparison.
const (
	Dense  Mode = "dense"
	BM25   Mode = "bm25"
	Hybrid Mode = "hybrid" // reciprocal rank fusion of both
	// None opens a directory without its vectors, for whoever needs tables and pages only. Retrieve then fails.
	None Mode = "none"
)

// Modes lists the modes by name.
func Modes() []Mode { return []Mode{Dense, BM25, Hybrid} }

// MiniLM is the collection of all-MiniLM-L6-v2, under the name that the reference gives it.
const MiniLM = "text_sentence_transformers_all_minilm_l6_v2"

var notInNames = regexp.MustCompile(`[^a-z0-9_]+`)

// collectionOf names the collection of an embedding model: the reference's rule is modality, type and model in lower case,
// with "_" for everything else.
func collectionOf(info embed.Info) string {
	if strings.HasPrefix(info.Model, "all-MiniLM-L6-v2") {
		return MiniLM
	}
	return "text_" + notInNames.ReplaceAllString(strings.ToLower(info.Model), "_")
}

// cachePath is where vectors of a model are kept by their texts.
func cachePath(dir *datadir.Dir, info embed.Info) string {
	name := collectionOf(info)
	if len(info.Hash) >= 8 {
		name += "-" + info.Hash[:8]
	}
	return filepath.Join(dir.Path(), "embeddings", name+".cache")
}

// openStore opens the vector store of a data directory: its own files, or the Milvus server of a URL.
func openStore(ctx context.Context, dir *datadir.Dir, url string) (vectors.Store, error) {
	if url == "" {
		return flat.Open(dir.Vectors())
	}
	cfg, err := milvus.ParseURL(url)
	if err != nil {
		return nil, err
	}
	return milvus.Open(ctx, cfg)
}

// CheckVectors tells what is wrong with the URL of a vector store, without contacting it. An empty one is right.
func CheckVectors(url string) error {
	if url == "" {
		return nil
	}
	_, err := milvus.ParseURL(url)
	return err
}

// checkCollection makes sure that a collection is there, was made of these papers, and by the model that would search it.
// model is the zero Info for BM25.
func checkCollection(ctx context.Context, store vectors.Store, name string, want wanted) (vectors.Collection, error) {
	c, err := store.Info(ctx, name)
	if errors.Is(err, vectors.ErrNotFound) {
		return c, fmt.Errorf("the search index has no collection %s%s; run the same airqa ingest again", name, others(ctx, store))
	}
	if err != nil {
		return c, err
	}
	if c.Source != want.source {
		return c, errors.New("the search index is behind the papers, as after an interrupted ingest; run the same airqa ingest again")
	}
	if name == bm25.Name {
		return c, nil
	}
	if err := want.model.Check(embed.Info{Model: c.Model, Hash: c.ModelHash, Dim: c.Dim}); err != nil {
		return c, fmt.Errorf("%w; search with the model that ingested, or ingest again with this one", err)
	}
	return c, nil
}

// wanted is what a collection must have been made from.
type wanted struct {
	source string
	model  embed.Info
}

// others says which dense collections there are instead.
func others(ctx context.Context, store vectors.Store) string {
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
	return " (it was made with " + strings.Join(names, ", ") + ": name that model with --embedder)"
}

// Collections lists the vector collections of a data directory, in its own files or at the URL of a vector store. Whether they
// fit the papers is not looked at.
func Collections(ctx context.Context, dir, url string) (list []vectors.Collection, err error) {
	d, err := datadir.Open(dir)
	if err != nil {
		return nil, err
	}
	store, err := openStore(ctx, d, url)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return store.List(ctx)
}
