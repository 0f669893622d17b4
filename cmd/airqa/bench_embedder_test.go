package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// sentTexts is an embedding endpoint by words, whose vectors have any length. It collects texts, and fails while fails is true.
type sentTexts struct {
	mu    sync.Mutex
	texts []string
	fails bool
}

func (s *sentTexts) start(t *testing.T) (url string) {
	inner := embeddingServer(func(text string) []float64 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.texts = append(s.texts, text)
		return byWords(text)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		fails := s.fails && len(s.texts) >= 10
		s.mu.Unlock()
		if fails {
			http.Error(w, "no more", http.StatusForbidden)
			return
		}
		inner.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(inner.Close)
	return server.URL + "/v1"
}

// A named model takes the place of MiniLM, its rows are labelled, and what it returned is never paid twice: not after a failure,
// and not for another method.
func TestEmbedderOfBenchmarks(t *testing.T) {
	fixtures, err := filepath.Abs("../../fixtures")
	if err != nil {
		t.Fatal(err)
	}
	var sent sentTexts
	t.Setenv("AIRQA_EMBED_BASE_URL", sent.start(t))
	dir := t.TempDir()
	run := func(code int, args string) string {
		t.Helper()
		args += " --embedder openai:e5 --embed-query-prefix Q: --embed-text-prefix P: --embed-batch 5 --embed-connections 1 --dir " + dir
		out, got := runProgram(t, strings.Fields(args)...)
		if got != code {
			t.Fatalf("airqa %s ended with %d:\n%s", args, got, out)
		}
		return out
	}
	doris := "bench baseline doris-mae --dataset " + fixtures + "/doris-mae/dataset.json"
	sent.fails = true
	run(exitFailed, doris+" --method vectors")
	sent.fails = false
	before := len(sent.texts)
	if before < 10 {
		t.Fatalf("%d texts before the failure", before)
	}
	out := run(exitDone, doris+" --method vectors")
	if !strings.Contains(out, "vectors (openai:e5)") || !strings.Contains(out, `Vectors of openai:e5, query prefix "Q:", text prefix "P:"`) {
		t.Errorf("no label in\n%s", out)
	}
	paid := len(sent.texts)
	run(exitDone, doris+" --method vectors-l2 --setting query")
	if paid == before || len(sent.texts) != paid {
		t.Errorf("texts: %d, then %d, then %d", before, paid, len(sent.texts))
	}
	slices.Sort(sent.texts)
	if n := len(slices.Compact(slices.Clone(sent.texts))); n != len(sent.texts) {
		t.Errorf("%d of %d texts were sent again", len(sent.texts)-n, len(sent.texts))
	}
	queries := 0
	for _, text := range sent.texts {
		if strings.HasPrefix(text, "Q:") {
			queries++
		} else if !strings.HasPrefix(text, "P:") {
			t.Errorf("no prefix: %.40q", text)
		}
	}
	if queries != 3 {
		t.Errorf("%d queries", queries)
	}
	if out := run(exitDone, doris); !strings.Contains(out, "maxsim-aspects (openai:e5)") || !strings.Contains(out, "bm25-lower  ") {
		t.Errorf("methods:\n%s", out)
	}
	arg := " argscichat --dataset " + fixtures + "/argscichat"
	if out := run(exitDone, "bench baseline"+arg); !strings.Contains(out, "openai:e5  ") || strings.Contains(out, "13.65") {
		t.Errorf("the paper's S-BERT beside another model:\n%s", out)
	}
	if out := run(exitDone, "bench stats"+arg); !strings.Contains(out, "by openai:e5 (Table 7)") {
		t.Errorf("Table 7:\n%s", out)
	}
	if out, code := runProgram(t, "bench", "stats", "argscichat", "--dataset", fixtures+"/argscichat", "--embedder", "e5"); code != exitUsage || !strings.Contains(out, `unknown embedder "e5"`) {
		t.Errorf("%d, %s", code, out)
	}
}
