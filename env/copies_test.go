package env_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/env"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/internal/testkit/milvustest"
)

const copied = "another copy of data directory"

// Of two copies of a directory with collections on a server, one continues to write them. The other is refused, until it is
// asked to take them over, and may fill a prefix of its own.
func TestCopiesOnServer(t *testing.T) {
	server := milvustest.Start(t)
	model := &letters{model: "letters"}
	url := "milvus://" + server.Address + "?prefix=copies_&timeout=5s"
	at := func(dir string) env.WriterConfig { return env.WriterConfig{Dir: dir, Embedder: model, Vectors: url} }
	first, second := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "data")
	check(t, fillWith(t, at(first), attention, bert))
	check(t, os.CopyFS(second, os.DirFS(first)))
	moved := filepath.Join(t.TempDir(), "moved")
	check(t, os.Rename(second, moved))
	second = moved
	faultless(t, index.VerifyConfig{Dir: second, Embedder: model, Vectors: url})

	check(t, fillWith(t, at(second), resnet))
	check(t, fillWith(t, at(second), longer(bert, 2))) // again and again
	for _, papers := range []string{"none", "one"} {
		err := fillWith(t, at(first))
		if papers == "one" {
			err = fillWith(t, at(first), resnet)
		}
		if err == nil || !strings.Contains(err.Error(), copied) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", papers, err)
		}
	}
	faultless(t, index.VerifyConfig{Dir: second, Embedder: model, Vectors: url})
	_, err := env.Open(t.Context(), env.Config{Dir: first, Vectors: url, Embedder: model, QueryInProcess: true})
	if err == nil || !strings.Contains(err.Error(), "another copy of this data directory wrote to the server") {
		t.Errorf("a reader of the first: %v", err)
	}

	own := at(first)
	own.Vectors = strings.Replace(url, "copies_", "own_", 1)
	check(t, fillWith(t, own))
	faultless(t, index.VerifyConfig{Dir: first, Embedder: model, Vectors: own.Vectors})
	faultless(t, index.VerifyConfig{Dir: second, Embedder: model, Vectors: url})

	take := at(first)
	take.TakeOver = true
	check(t, fillWith(t, take))
	check(t, fillWith(t, at(first), longer(attention, 2)))
	faultless(t, index.VerifyConfig{Dir: first, Embedder: model, Vectors: url})
	if err := fillWith(t, at(second)); err == nil || !strings.Contains(err.Error(), copied) {
		t.Errorf("the second: %v", err)
	}
}

// A writer that was killed at any moment is no other copy: it continues, and a copy made before is refused.
func TestKilledWriterIsNoCopy(t *testing.T) {
	s := serve(t, &letters{model: "letters"})
	check(t, s.write(t, step{put: []paperdb.Paper{attention}}))
	earlier := filepath.Join(t.TempDir(), "data")
	check(t, os.CopyFS(earlier, os.DirFS(s.dir)))
	text := func(n int) string { return strings.Repeat("word ", n+3) }
	for n := range 8 {
		s.reset(n)
		_ = s.write(t, step{put: []paperdb.Paper{paper(text(n), text(n))}}) // may fail
		s.reset(-1)
		if err := s.write(t, step{}); err != nil {
			t.Fatalf("after %d changes: %v", n, err)
		}
		s.verify(t)
	}
	err := s.writeTo(t, env.WriterConfig{Dir: earlier, Embedder: s.model, Vectors: s.url}, step{put: []paperdb.Paper{bert}})
	if err == nil || !strings.Contains(err.Error(), copied) {
		t.Errorf("the copy: %v", err)
	}
}

// An ingest connects to the server before it reads a paper.
func TestServerIsTriedFirst(t *testing.T) {
	server := milvustest.Start(t)
	address := server.Address
	server.Kill()
	_, err := env.OpenWriter(t.Context(), env.WriterConfig{
		Dir: filepath.Join(t.TempDir(), "data"), Embedder: &letters{model: "letters"}, Vectors: "milvus://" + address + "?timeout=2s",
	})
	if err == nil || !strings.Contains(err.Error(), "milvus at "+address+" is unreachable") {
		t.Errorf("got %v", err)
	}
}
