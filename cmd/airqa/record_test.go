package main

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/datadir"
)

// embeddings is an endpoint that embeds texts by their length, and counts them.
func embeddings(t *testing.T) (url string, count *atomic.Int64) {
	t.Helper()
	count = new(atomic.Int64)
	server := embeddingServer(func(text string) []float64 {
		count.Add(1)
		return []float64{1, float64(len(text)), float64(len(text) % 7)}
	})
	t.Cleanup(server.Close)
	return server.URL + "/v1", count
}

// embeddingServer is an embedding endpoint on the loopback.
func embeddingServer(embed func(text string) []float64) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/few/") && len(asked.Input) > 10 {
			http.Error(w, `{"error":{"message":"batch size is invalid, it should not be larger than 10"}}`, http.StatusBadRequest)
			return
		}
		type vector struct {
			Index     int       `json:"index"`
			Embedding []float64 `json:"embedding"`
		}
		var list []vector
		for i, text := range asked.Input {
			list = append(list, vector{i, embed(text)})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": list})
	}))
}

// byWords is a vector of the words of a text, for tests of everything but the built-in model.
func byWords(text string) []float64 {
	v := make([]float64, 256)
	v[0] = 1
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		h := fnv.New32a()
		_, _ = h.Write([]byte(strings.Trim(word, ".,;:?()")))
		v[h.Sum32()%256]++
	}
	return v
}

// indexOf is what airqa.json records of a search index.
func indexOf(t *testing.T, data string) *datadir.Index {
	t.Helper()
	d, err := datadir.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	info, err := d.Info()
	if err != nil {
		t.Fatal(err)
	}
	return info.Index
}

// A data directory is used with the embedder and the vector store that it was made with, without naming them again.
func TestDataDirectoryRecordsItsIndex(t *testing.T) {
	dir := t.TempDir()
	if err := unpackPapers(filepath.Join(dir, "papers")); err != nil {
		t.Fatal(err)
	}
	url, count := embeddings(t)
	data, paper := filepath.Join(dir, "data"), filepath.Join(dir, "papers", "prunella.pdf")
	t.Setenv("AIRQA_EMBED_API_KEY", "sk-secret")
	ends := func(code int, pattern string, args ...string) {
		t.Helper()
		out, got := runProgram(t, append(args, "--data", data)...)
		if got != code || !regexp.MustCompile(pattern).MatchString(out) {
			t.Errorf("airqa %s ended with %d, want %d and %q:\n%s", strings.Join(args, " "), got, code, pattern, out)
		}
	}
	records := func(want datadir.Index) {
		t.Helper()
		if diff := cmp.Diff(&want, indexOf(t, data)); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	}

	ends(exitDone, "1 added", "ingest", "--embedder", "openai:v", "--embed-tokens", "512", "--embed-base-url", url, paper)
	records(datadir.Index{Embedder: "openai:v", Window: 512, Vectors: "files"})
	raw, err := os.ReadFile(filepath.Join(data, datadir.InfoName))
	if err != nil || strings.Contains(string(raw), "127.0.0.1") || strings.Contains(string(raw), "sk-secret") {
		t.Errorf("airqa.json names the endpoint or the key: %s, %v", raw, err)
	}

	// What needs no embedder needs no endpoint. The address is not recorded; the environment has it for the rest.
	t.Setenv("AIRQA_EMBED_API_KEY", "")
	ends(exitDone, "1 row", "sql", "SELECT 1")
	ends(exitDone, "score", "search", "--retrieve", "bm25", "training")
	ends(exitUsage, "no API key for api.openai.com: set AIRQA_EMBED_API_KEY", "search", "training")
	t.Setenv("AIRQA_EMBED_BASE_URL", url)
	ends(exitDone, "note: airqa.json of .* sets embedder openai:v(.|\n)*1. score", "search", "training")
	ends(exitDone, "text_openai_v: [0-9]+ records", "store", "vectors")
	ends(exitDone, `OK +search`, "doctor")

	// A contradiction is refused before any work.
	before := count.Load()
	ends(exitUsage, "not minilm", "store", "vectors", "--embedder", "minilm")
	ends(exitUsage, "are at files, not at milvus://db:19530; leave out --vectors, or switch with airqa store vectors --data", "search", "--vectors", "milvus://me:word@db", "training")
	ends(exitFailed, "made with embedder openai:v, not minilm", "doctor", "--embedder", "minilm")
	ends(exitFailed, "unreachable", "store", "vectors", "--to", "milvus://127.0.0.1:1?timeout=1s")
	records(datadir.Index{Embedder: "openai:v", Window: 512, Vectors: "files"})
	ends(exitDone, "0 added, 1 already present", "ingest", paper)
	if n := count.Load() - before; n != 0 {
		t.Errorf("%d texts were embedded again", n)
	}

	// An ingest may switch.
	ends(exitDone, "0 added, 1 already present", "ingest", "--embedder", "minilm", paper)
	records(datadir.Index{Embedder: "minilm", Vectors: "files"})
	ends(exitDone, "^1. score", "search", "training")
}
