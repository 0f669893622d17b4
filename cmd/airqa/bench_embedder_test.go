package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
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
	if out := run(exitDone, "bench baseline"+arg); !regexp.MustCompile(`(?m)^openai:e5 +[0-9.]+ +9 +- `).MatchString(out) {
		t.Errorf("the paper's S-BERT beside another model:\n%s", out)
	}
	if out := run(exitDone, "bench stats"+arg); !strings.Contains(out, "by openai:e5 (Table 7)") {
		t.Errorf("Table 7:\n%s", out)
	}
	if out, code := runProgram(t, "bench", "stats", "argscichat", "--dataset", fixtures+"/argscichat", "--embedder", "e5"); code != exitUsage || !strings.Contains(out, `unknown embedder "e5"`) {
		t.Errorf("%d, %s", code, out)
	}
}

// Pools are written, extended by another model, annotated, and compared with the dataset's.
func TestOtherPools(t *testing.T) {
	data, err := filepath.Abs("../../fixtures/doris-mae/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	var sent sentTexts
	t.Setenv("AIRQA_EMBED_BASE_URL", sent.start(t))
	t.Chdir(t.TempDir())
	run := func(code int, args string) string {
		t.Helper()
		out, got := runProgram(t, strings.Fields(args)...)
		if got != code {
			t.Fatalf("airqa %s ended with %d:\n%s", args, got, out)
		}
		return out
	}
	pools := func(name string) (f struct {
		By    []string
		Pools map[string][]int
	},
	) {
		t.Helper()
		raw, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(raw, &f)
		}
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	stats, of := "bench stats doris-mae --dataset "+data, " --embed-batch 5 --embedder openai:"
	run(exitDone, stats+" --pools --pools-out built.json")
	if f := pools("built.json"); len(f.Pools) != 3 || len(f.By) > 0 || len(f.Pools["0"]) == 0 {
		t.Errorf("built %+v", f)
	}
	run(exitDone, stats+" --pools-out near.json"+of+"e5")
	near := pools("near.json")
	// The corpus has 16 abstracts; all that are in no pool of the dataset are near enough.
	if len(near.Pools["0"]) != 4 || slices.Contains(near.Pools["0"], 0) || !slices.Equal(near.By, []string{"openai:e5"}) {
		t.Errorf("nearest %+v", near)
	}
	if err := os.WriteFile("some.json", []byte(`{"format":1,"by":["openai:e5"],"pools":{"0":[6],"1":[1]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(exitDone, stats+" --pools-from some.json --pools-out both.json"+of+"specter")
	if f := pools("both.json"); len(f.Pools["0"]) != 4 || f.Pools["0"][0] != 6 || f.Pools["1"][0] != 1 || !slices.Equal(f.By, []string{"openai:e5", "openai:specter"}) {
		t.Errorf("both %+v", f)
	}
	verdicts := filepath.Join(filepath.Dir(data), "verdicts.jsonl")
	out := run(exitDone, "bench annotate --dataset "+data+" --pools-from some.json --limit 2 --out anno -m scripted:"+verdicts)
	if !strings.Contains(out, "annotate: 2 of 2 pairs") {
		t.Errorf("annotating another pool:\n%s", out)
	}
	if err := os.WriteFile("ranked.jsonl", []byte(`{"query_id":"q0","index_rank":[6]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run(exitDone, "score --benchmark doris-mae --gold "+data+" --pools-from some.json --pred ranked.jsonl -o ranked")
	if out = run(exitDone, "bench baseline doris-mae --dataset "+data+" --pools-from some.json --run ranked"); strings.Contains(out, "not in the pool") {
		t.Errorf("scoring another pool:\n%s", out)
	}
	// Only query 0 is annotated: its abstract has the score 2 of 2 for each of four aspects.
	if err := os.WriteFile("new.json", []byte(`[{"aspect_id":"0","abstract_id":6,"score":2},{"aspect_id":"1","abstract_id":6,"score":2},
		{"aspect_id":"2","abstract_id":6,"score":2},{"aspect_id":"3","abstract_id":6,"score":1}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	out = run(exitDone, stats+" --pools-from some.json --annotations new.json")
	if !regexp.MustCompile(`best score in the other pool +1.750 +1`).MatchString(out) {
		t.Errorf("two pools:\n%s", out)
	}
	if out = run(exitDone, "bench baseline doris-mae --dataset "+data+" --pools-from some.json --annotations new.json --method tfidf"); !strings.Contains(out, "R@5") {
		t.Errorf("ranking another pool:\n%s", out)
	}
	for text, want := range map[string]string{`{"format":1,"pools":{"9":[1]}}`: "has 1 pools, 0 of them", `{"format":1,"pool":{}}`: `unknown field "pool"`, `{"format":1}`: "0 pools"} {
		if err := os.WriteFile("bad.json", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := run(exitFailed, stats+" --pools-from bad.json"); !strings.Contains(out, want) {
			t.Errorf("%s: %s", text, out)
		}
	}
}
