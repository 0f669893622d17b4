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
		s, err := flat.Open(dir.Vectors())
		if err != nil {
			return nil, err // and no store: a nil *flat.Store in the interface would pass for one
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
	if err := checkOwner(ctx, dir, s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// errForeign is returned for collections of another data directory, which a change would destroy.
var errForeign = errors.New("the Milvus server holds the collections of another data directory under this prefix; " +
	"give each directory its own: milvus://HOST:19530?prefix=NAME_")

// checkOwner refuses collections that another data directory has claimed.
func checkOwner(ctx context.Context, dir *datadir.Dir, s *milvus.Store) error {
	owner, err := s.Owner(ctx)
	if err != nil || owner == "" {
		return err
	}
	info, err := dir.Info()
	if err == nil && info.ID != owner {
		err = errForeign
	}
	return err
}

// claimStore makes the collections of a server those of dir, before the first change. Collections without an owner, from a
// version that recorded none, are taken over only if they were made from the papers of dir: those of the last ingest or, where
// that was interrupted, those of the database now.
func claimStore(ctx context.Context, dir *datadir.Dir, store vectors.Store, source string) error {
	s, ok := store.(*milvus.Store)
	if !ok {
		return nil
	}
	info, err := dir.Identified()
	if err != nil {
		return err
	}
	owner, err := s.Owner(ctx)
	if err != nil || owner == info.ID {
		return err
	}
	list, err := s.List(ctx)
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.Source != source && c.Source != info.Fingerprint {
			return errForeign
		}
	}
	return s.Claim(ctx, info.ID)
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
		return c, fmt.Errorf("the search index has no collection %s%s; %s", name, others(ctx, store), rebuild(store))
	}
	if err != nil {
		return c, err
	}
	if c.Source != want.source {
		return c, fmt.Errorf("the search index is behind the papers, as after an interrupted ingest; %s", rebuild(store))
	}
	if name == bm25.Name {
		return c, nil
	}
	if err := want.model.Check(embed.Info{Model: c.Model, Hash: c.ModelHash, Dim: c.Dim}); err != nil {
		return c, fmt.Errorf("%w; search with the model that ingested, or ingest again with this one", err)
	}
	return c, nil
}

// rebuild is what to do about a collection that is missing or old.
func rebuild(store vectors.Store) string {
	if _, remote := store.(*milvus.Store); remote {
		return "run the same airqa ingest again, or airqa vectors copy if that filled the server"
	}
	return "run the same airqa ingest again"
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
