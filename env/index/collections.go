// Package index has the search index of a data directory: its settings, its collections in files or on a server, their checks, and
// comparisons of two stores.
package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"

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
	owner, err := s.Owner(ctx)
	if err == nil && owner != "" {
		var info datadir.Info
		if info, err = dir.Info(); err == nil && info.ID != owner {
			err = errForeign
		}
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// errForeign protects the collections of another data directory from being overwritten.
var errForeign = errors.New("the Milvus server contains the collections of another data directory under this prefix; " +
	"give each directory its own: milvus://HOST:19530?prefix=NAME_")

// Claim makes dir the owner and the last writer of a server's collections. It must be called before the first write.
// Collections written before owners were recorded have none: they are claimed only if they were built from the papers of
// dir, either at the last ingest or, after an interrupted ingest, from the current database.
func Claim(ctx context.Context, dir *datadir.Dir, store vectors.Store, source string, takeOver bool) error {
	s, ok := store.(*milvus.Store)
	if !ok {
		return nil
	}
	if err := own(ctx, dir, s, source); err != nil {
		return err
	}
	last, err := checkCopies(ctx, dir, s, takeOver)
	if err != nil {
		return err
	}
	known, err := dir.Writes()
	if err != nil {
		return err
	}
	token := uuid.NewString()
	if err := dir.SetWrites(append(known, token)); err != nil {
		return err
	}
	if err := s.RecordWrite(ctx, token, last); err != nil {
		return err
	}
	other := slices.DeleteFunc(known, func(t string) bool { return slices.Contains(last, t) })
	return dir.SetWrites(append(other, token))
}

// checkCopies returns the tokens of the last writers of a server's collections. They are those of dir unless another copy of
// dir has written since, which is an error: each copy would make the collections useless for the other.
func checkCopies(ctx context.Context, dir *datadir.Dir, s *milvus.Store, takeOver bool) ([]string, error) {
	last, err := s.Writes(ctx)
	if err != nil {
		return nil, err
	}
	known, err := dir.Writes()
	for _, token := range last {
		if err == nil && !takeOver && !slices.Contains(known, token) {
			err = fmt.Errorf("another copy of data directory %[1]s has written the collections on the Milvus server since; "+
				"give this one its own prefix with airqa store vectors copy --data %[1]s --to milvus://HOST:19530?prefix=NAME_, "+
				"or replace them with airqa store vectors copy --take-over", dir.Path())
		}
	}
	return last, err
}

// CheckServer connects to the server of a writer before it begins, and checks that it may write there.
func CheckServer(ctx context.Context, dir *datadir.Dir, url string, takeOver bool) error {
	store, err := OpenStore(ctx, dir, url)
	if err != nil {
		return err
	}
	if s, ok := store.(*milvus.Store); ok {
		_, err = checkCopies(ctx, dir, s, takeOver)
	}
	return errors.Join(err, store.Close())
}

// own makes dir the owner of a server's collections.
func own(ctx context.Context, dir *datadir.Dir, s *milvus.Store, source string) error {
	info, err := dir.Info()
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

// SameContent reports whether records of one collection can be added to the other.
func SameContent(a, b vectors.Collection) bool {
	return a.Name == b.Name && a.Kind == b.Kind && a.Dim == b.Dim && a.Model == b.Model && a.ModelHash == b.ModelHash &&
		a.Window == b.Window && a.Corpus == b.Corpus
}

// changingPrefix begins the source of a collection that is being changed.
const changingPrefix = "changing:"

// Changing is the source of a collection while it is changed. If the change is interrupted, the same one can be repeated.
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
	if errors.Is(err, vectors.ErrNotFound) {
		return c, fmt.Errorf("the search index has no collection %s%s; %s", name, availableModels(ctx, store), rebuildHint(store))
	}
	if err != nil {
		return c, err
	}
	if strings.HasPrefix(c.Source, changingPrefix) {
		return c, fmt.Errorf("an ingest is changing the search index on the server; wait for it, or, if it was interrupted, %s", rebuildHint(store))
	}
	if s, remote := store.(*milvus.Store); remote && s.IndexFor(c) != c.Index {
		return c, fmt.Errorf("collection %s has index %s, not %s; leave it out of the URL, or change it with airqa store vectors copy --to URL",
			name, cmp.Or(c.Index, "FLAT"), cmp.Or(s.IndexFor(c), "FLAT"))
	}
	if c.Source != want.Source {
		return c, fmt.Errorf("the search index is out of date, for instance after an interrupted ingest%s; %s", copyHint(store), rebuildHint(store))
	}
	if name == bm25.Name {
		return c, nil
	}
	if err := want.Model.Check(embed.Info{Model: c.Model, Hash: c.ModelHash, Dim: c.Dim}); err != nil {
		return c, fmt.Errorf("%w; use the model of the last ingest, or ingest again with this one", err)
	}
	return c, nil
}

// copyHint names another reason for an outdated collection.
func copyHint(store vectors.Store) string {
	if _, remote := store.(*milvus.Store); remote {
		return " or because another copy of this data directory wrote to the server"
	}
	return ""
}

// rebuildHint is a hint for a missing or outdated collection.
func rebuildHint(store vectors.Store) string {
	if _, remote := store.(*milvus.Store); remote {
		return "run the same airqa ingest command again, or airqa store vectors copy if it filled the server"
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

// Stored is a vector collection and its size.
type Stored struct {
	vectors.Collection
	// Stats has only Records if the collection is on a server.
	flat.Stats
}

// Collections lists the vector collections of a data directory, in its own files or at the URL of a vector store. It
// does not check whether they match the papers.
func Collections(ctx context.Context, dir, url string) (list []Stored, err error) {
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
	all, err := store.List(ctx)
	for _, c := range all {
		x := Stored{Collection: c}
		if local, ok := store.(*flat.Store); ok {
			x.Stats, err = local.Stats(ctx, c.Name)
		} else {
			x.Records, err = store.Count(ctx, c.Name, vectors.Filter{})
		}
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, err
}
