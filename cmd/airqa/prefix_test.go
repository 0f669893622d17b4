package main

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/datadir"
)

// The prefixes of an embedding model are named once: later commands take them from the data directory. Another prefix of
// queries embeds nothing again, another one of passages everything.
func TestPrefixesAreRecorded(t *testing.T) {
	dir := t.TempDir()
	if err := unpackPapers(filepath.Join(dir, "papers")); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var sent []string
	server := embeddingServer(func(text string) []float64 {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, text)
		return byWords(text)
	})
	defer server.Close()
	t.Setenv("AIRQA_EMBED_BASE_URL", server.URL+"/v1")
	data := filepath.Join(dir, "data")
	// run returns the texts with a prefix, and the others.
	run := func(prefix string, args ...string) (with, without []string) {
		t.Helper()
		sent = nil
		if out, code := runProgram(t, append(args, "--data", data)...); code != exitDone {
			t.Fatalf("airqa %s ended with %d:\n%s", strings.Join(args, " "), code, out)
		}
		for _, text := range sent {
			if strings.HasPrefix(text, prefix) {
				with = append(with, text)
			} else {
				without = append(without, text)
			}
		}
		return with, without
	}
	records := func(query, text string) {
		t.Helper()
		want := &datadir.Index{Embedder: "openai:e5", Window: 8191, Vectors: "files", QueryPrefix: query, TextPrefix: text}
		if diff := cmp.Diff(want, indexOf(t, data)); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
	}
	paper, second := filepath.Join(dir, "papers", "prunella.pdf"), filepath.Join(dir, "papers", "anchorweave.pdf")
	ingest := []string{"ingest", "--embedder", "openai:e5", "--embed-query-prefix", "query: ", "--embed-text-prefix", "passage: ", paper}
	passages, others := run("passage: ", ingest...)
	if len(passages) == 0 || len(others) > 0 {
		t.Fatalf("%d passages, %q", len(passages), others)
	}
	records("query: ", "passage: ")

	queries, others := run("query: ", "search", "training")
	if !slices.Equal(queries, []string{"query: training"}) || len(others) > 0 {
		t.Errorf("a search sent %q and %q", queries, others)
	}
	if added, others := run("passage: ", "ingest", second); len(added) == 0 || len(others) > 0 {
		t.Errorf("a second ingest sent %d passages, %q", len(added), others)
	}
	records("query: ", "passage: ")

	if again, others := run("", "ingest", "--embed-query-prefix", "q: ", paper); len(again)+len(others) > 0 {
		t.Errorf("another prefix of queries: sent %q %q", again, others)
	}
	records("q: ", "passage: ")
	if again, others := run("p: ", "ingest", "--embed-text-prefix", "p: ", paper); len(again) <= len(passages) || len(others) > 0 {
		t.Errorf("another prefix of passages: sent %d texts, before %d; %q", len(again), len(passages), others)
	}
	records("q: ", "p: ")
	run("", "ingest", "--embed-text-prefix", " ", "--embed-query-prefix", " ", paper)
	records("", "")
	if queries, _ := run("training", "search", "training"); len(queries) != 1 {
		t.Errorf("a search without a prefix sent %q", queries)
	}
}
