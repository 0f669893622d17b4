package env_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/env"
	"airqa/env/index"
	"airqa/internal/testkit/milvustest"
)

// Two directories that write under one prefix never get hits of each other: the other one's collections are refused, until they
// are rebuilt.
func TestOnePrefixForTwo(t *testing.T) {
	server := milvustest.Start(t)
	model := &letters{model: "letters"}
	url := "milvus://" + server.Address + "?prefix=copies_&timeout=5s"
	at := func(dir string) env.WriterConfig { return env.WriterConfig{Dir: dir, Embedder: model, Vectors: url} }
	first, second := filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "data")
	check(t, fillWith(t, at(first), attention, bert))
	check(t, os.CopyFS(second, os.DirFS(first)))
	faultless(t, index.VerifyConfig{Dir: second, Embedder: model, Vectors: url})

	check(t, fillWith(t, at(second), resnet))
	faultless(t, index.VerifyConfig{Dir: second, Embedder: model, Vectors: url})
	_, err := env.Open(t.Context(), env.Config{Dir: first, Vectors: url, Embedder: model, QueryInProcess: true})
	if err == nil || !strings.Contains(err.Error(), "another data directory wrote to the server") {
		t.Errorf("a reader of the first: %v", err)
	}
	check(t, fillWith(t, at(first), longer(attention, 2)))
	faultless(t, index.VerifyConfig{Dir: first, Embedder: model, Vectors: url})
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
