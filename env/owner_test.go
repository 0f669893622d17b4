package env_test

import (
	"path/filepath"
	"strings"
	"testing"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/vectors"
	"airqa/env/vectors/milvus"
	"airqa/internal/testkit/milvustest"
)

const foreign = "collections of another data directory under this prefix"

// A prefix on a server belongs to the first directory that writes to it. Other directories can neither overwrite nor
// read its collections.
func TestAPrefixBelongsToOneDirectory(t *testing.T) {
	server := milvustest.Start(t)
	url := "milvus://" + server.Address + "?prefix=owned_&timeout=5s"
	first, second := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "data")
	check(t, fillWith(t, env.WriterConfig{Dir: first, Embedder: &letters{model: "letters"}, Vectors: url}, attention))
	fill(t, second, bert)

	refused(t, fillWith(t, env.WriterConfig{Dir: second, Embedder: &letters{model: "letters"}, Vectors: url}))
	_, err := env.Open(t.Context(), env.Config{Dir: second, Vectors: url, Mode: env.BM25, QueryInProcess: true})
	refused(t, err)

	check(t, fillWith(t, env.WriterConfig{Dir: first, Embedder: &letters{model: "letters"}, Vectors: url}, resnet))
	e, err := env.Open(t.Context(), env.Config{Dir: first, Vectors: url, Mode: env.BM25, QueryInProcess: true})
	check(t, err)
	check(t, e.Close())
	other := strings.Replace(url, "owned_", "second_", 1)
	check(t, fillWith(t, env.WriterConfig{Dir: second, Embedder: &letters{model: "letters"}, Vectors: other}))
}

// Collections that predate owners are claimed by the directory whose papers they were built from.
func TestCollectionsWithoutAnOwner(t *testing.T) {
	server := milvustest.Start(t)
	config := milvus.Config{Address: server.Address, Prefix: "old_"}
	url := "milvus://" + server.Address + "?prefix=old_&timeout=5s"
	dir, stranger := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "data")
	fill(t, dir, attention)
	fill(t, stranger, bert)

	d, err := datadir.Open(dir)
	check(t, err)
	info, err := d.Info()
	check(t, err)
	s, err := milvus.Open(t.Context(), config)
	check(t, err)
	defer func() { check(t, s.Close()) }()
	check(t, s.Replace(t.Context(), vectors.Collection{Name: "s", Kind: vectors.Sparse, Model: "bm25", Source: info.Fingerprint}, vectors.All(nil)))

	refused(t, fillWith(t, env.WriterConfig{Dir: stranger, Embedder: &letters{model: "letters"}, Vectors: url}))
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: &letters{model: "letters"}, Vectors: url}))
	if owner, err := s.Owner(t.Context()); err != nil || owner != info.ID {
		t.Errorf("owner %q, %v; want %q", owner, err, info.ID)
	}
	if err := s.Claim(t.Context(), "someone else"); err == nil {
		t.Error("a second owner is accepted")
	}
}

func refused(t *testing.T, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), foreign) {
		t.Errorf("got %v, want %q", err, foreign)
	}
}
