package env_test

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"airqa/env"
	"airqa/env/embed"
	"airqa/env/paperdb"
	"airqa/internal/testkit"
	"airqa/internal/testkit/milvustest"
	"airqa/tools"
)

// letters embeds a text as its letter counts and counts the embedded texts.
type letters struct {
	model string
	words int // per window; 0 means no limit
	dim   int // 0 means 26
	asked int
	fail  error
	// failAfter is the number of calls that succeed; 0 means all.
	failAfter int
}

func (l *letters) Info() embed.Info {
	return embed.Info{Model: l.model, Dim: cmp.Or(l.dim, 26), Window: l.words}
}

func (l *letters) Windows(text string) []string {
	var windows []string
	for words := range slices.Chunk(strings.Fields(text), cmp.Or(l.words, 1<<20)) {
		windows = append(windows, strings.Join(words, " "))
	}
	return windows
}

func (l *letters) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if l.fail != nil {
		return nil, l.fail
	}
	if l.failAfter > 0 {
		if l.failAfter--; l.failAfter == 0 {
			l.fail = errors.New("endpoint is down")
		}
	}
	l.asked += len(texts)
	var out [][]float32
	for _, t := range texts {
		v := make([]float32, cmp.Or(l.dim, 26))
		sum := 0.0
		for _, r := range strings.ToLower(t) {
			if r >= 'a' && r <= 'z' {
				v[r-'a']++
			}
		}
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		for i := range v {
			v[i] /= float32(max(1e-9, math.Sqrt(sum)))
		}
		out = append(out, v)
	}
	return out, nil
}

func fillWith(t *testing.T, cfg env.WriterConfig, papers ...paperdb.Paper) error {
	t.Helper()
	w, err := env.OpenWriter(t.Context(), cfg)
	if err != nil {
		return err
	}
	for _, p := range papers {
		check(t, w.Put(t.Context(), p, []byte("%PDF")))
	}
	return w.Finish(t.Context())
}

func first(t *testing.T, e *env.Env, query string) string {
	t.Helper()
	hits, err := e.Retrieve(t.Context(), query, 1, tools.Scope{})
	check(t, err)
	if len(hits) == 0 {
		return ""
	}
	return hits[0].Text
}

// interrupted cancels an update of the index when it first splits a text, which is while it saves vectors.
type interrupted struct {
	*letters
	stop context.CancelFunc // nil before the update
}

func (m *interrupted) Windows(text string) []string {
	if m.stop != nil {
		m.stop()
	}
	return m.letters.Windows(text)
}

// An update that is interrupted while it saves the vectors of outdated papers does not delete them.
func TestInterruptedWhileVectorsAreSaved(t *testing.T) {
	model := &interrupted{letters: &letters{model: "letters"}}
	cfg := env.WriterConfig{Dir: t.TempDir(), Embedder: model}
	var changed []paperdb.Paper // more than are read at a time
	for i := range 70 {
		changed = append(changed, paper(strings.Repeat("a", i+1), strings.Repeat("b", i+1)))
	}
	stay := append(slices.Clone(changed), big()) // big has more records than are deleted, so that no merge checks the context
	check(t, fillWith(t, cfg, stay...))
	w, err := env.OpenWriter(t.Context(), cfg)
	check(t, err)
	for _, p := range changed {
		p.File.SHA256 = "another version"
		check(t, w.Put(t.Context(), p, []byte("%PDF")))
	}
	var ctx context.Context
	ctx, model.stop = context.WithCancel(t.Context())
	if err := w.Finish(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want one of the cancelled context", err)
	}
	model.stop, model.asked = nil, 0
	check(t, fillWith(t, cfg))
	if model.asked != 0 {
		t.Errorf("%d texts were embedded again", model.asked)
	}
}

// The built-in model matches the meaning of a question, not only its words.
func TestDenseByDefault(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := library(t)
	e, err := env.Open(t.Context(), env.Config{Dir: dir})
	check(t, err)
	defer func() { check(t, e.Close()) }()
	if got, want := first(t, e, "What hardware was used to fit the model?"), "We train on eight GPUs."; got != want {
		t.Errorf("first hit %q, want %q", got, want)
	}
	if r := e.Retrieval(); !strings.HasPrefix(r["embedder"].(string), "all-MiniLM-L6-v2") {
		t.Errorf("retrieval = %v", r)
	}
}

func TestHybrid(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := library(t)
	e, err := env.Open(t.Context(), env.Config{Dir: dir, Mode: env.Hybrid})
	check(t, err)
	defer func() { check(t, e.Close()) }()
	hits, err := e.Retrieve(t.Context(), "eight GPUs", 3, tools.Scope{})
	check(t, err)
	// First in both lists: 1/61 + 1/61.
	if len(hits) != 3 || hits[0].Text != "We train on eight GPUs." || math.Abs(hits[0].Score-2.0/61) > 1e-9 {
		t.Errorf("hits = %+v", hits)
	}
}

// No text is embedded twice, neither after an interruption nor when a paper is added.
func TestTextsAreEmbeddedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	model := &letters{model: "letters", fail: errors.New("endpoint is down")}
	cfg := env.WriterConfig{Dir: dir, Embedder: model}
	if err := fillWith(t, cfg, attention); err == nil || !strings.Contains(err.Error(), "endpoint is down") {
		t.Fatalf("got %v", err)
	}
	model.fail = nil
	check(t, fillWith(t, cfg))
	once := model.asked
	var last [2]int
	cfg.Progress = func(done, total int) { last = [2]int{done, total} }
	check(t, fillWith(t, cfg, bert))
	if model.asked <= once || model.asked >= 3*once {
		t.Errorf("%d texts asked for one paper, %d after the second", once, model.asked)
	}
	if last[0] == 0 || last[0] != last[1] {
		t.Errorf("progress ended at %v", last)
	}
	before := model.asked
	check(t, fillWith(t, cfg))
	if model.asked != before {
		t.Errorf("%d texts asked when nothing changed", model.asked-before)
	}
	e, err := env.Open(t.Context(), env.Config{Dir: dir, Embedder: model})
	check(t, err)
	defer func() { check(t, e.Close()) }()
	if got, want := first(t, e, bert.Chunks[0].Text), bert.Chunks[0].Text; got != want {
		t.Errorf("first hit %q, want %q", got, want)
	}
}

// long is a paper with passages of many windows. Only one of the windows has a word with the letter z.
var long = paper("Long",
	"alpha beta gamma delta epsilon omega alpha beta gamma delta epsilon omega alpha beta gamma delta zzz zzz",
	"alpha beta gamma delta epsilon omega", "rho sigma rho sigma rho sigma rho sigma rho sigma rho sigma")

// A query matches the end of a long passage as well as its beginning, no passage is returned twice, and both stores
// agree.
func TestWindows(t *testing.T) {
	server := milvustest.Start(t)
	url := "milvus://" + server.Address + "?prefix=windows_&timeout=5s"
	dir := filepath.Join(t.TempDir(), "data")
	model := &letters{model: "letters", words: 3}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}, long, attention))
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model, Vectors: url}))
	for _, store := range []string{"", url} {
		e, err := env.Open(t.Context(), env.Config{Dir: dir, Embedder: model, Vectors: store})
		check(t, err)
		hits, err := e.Retrieve(t.Context(), "zzz zzz", 6, tools.Scope{})
		check(t, err)
		texts := make(map[string]int)
		for _, h := range hits {
			texts[h.Text]++
		}
		if len(hits) != 6 || len(texts) != 6 || hits[0].Text != long.Chunks[0].Text || hits[0].Score < 0.9 || hits[1].Score > 0.1 {
			t.Errorf("store %q: %+v", store, hits)
		}
		if got := e.Retrieval()["embed_window"]; got != 3 {
			t.Errorf("window in the record of a run: %v", got)
		}
		check(t, e.Close())
	}
}

// A writer with other windows embeds again only the texts that do not fit in one.
func TestOtherWindows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	model := &letters{model: "letters"}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}, long))
	model.words = 12
	asked := model.asked
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model}))
	if model.asked != asked+2 {
		t.Errorf("%d texts embedded, want the two windows of the one long passage", model.asked-asked)
	}
}

// A damaged record in the cache of an interrupted ingest affects one text and is reported once. The cache is empty when the
// index has the vectors.
func TestDamagedCacheRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	model := &letters{model: "letters", failAfter: 1}
	var notices []string
	cfg := env.WriterConfig{Dir: dir, Embedder: model, Notice: func(line string) { notices = append(notices, line) }}
	if err := fillWith(t, cfg, big()); err == nil {
		t.Fatal("the endpoint did not fail")
	}
	files, err := filepath.Glob(filepath.Join(dir, "embeddings", "*.cache"))
	check(t, err)
	if len(files) != 1 {
		t.Fatalf("caches: %v", files)
	}
	content, err := os.ReadFile(files[0])
	check(t, err)
	content[len(content)/2] ^= 1
	check(t, os.WriteFile(files[0], content, 0o600))
	kept := model.asked
	model.fail = nil
	check(t, fillWith(t, cfg))
	total := model.asked
	whole := &letters{model: "letters"}
	check(t, fillWith(t, env.WriterConfig{Dir: filepath.Join(t.TempDir(), "data"), Embedder: whole}, big()))
	if kept == 0 || total != whole.asked+1 {
		t.Errorf("%d texts were embedded, %d of them before the interruption; want %d and the damaged one", total, kept, whole.asked)
	}
	want := []string{"1 damaged record in embeddings/" + filepath.Base(files[0]) + "; its text is embedded again"}
	if diff := gocmp.Diff(want, notices); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Size() != 0 {
		t.Errorf("the cache after an ingest: %v, %v", info, err)
	}
}

// big is a paper of several batches of different texts.
func big() paperdb.Paper {
	var texts []string
	for i := range 300 {
		texts = append(texts, strings.Repeat("a", i+1))
	}
	return paper("Big", texts...)
}

func TestAnotherModelIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: &letters{model: "letters"}}, attention))
	_, err := env.Open(t.Context(), env.Config{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "it was built with letters") || !strings.Contains(err.Error(), "--embedder") {
		t.Errorf("got %v", err)
	}
	// BM25 needs no model.
	e, err := env.Open(t.Context(), lexical(dir))
	check(t, err)
	check(t, e.Close())
}

// The collections of a data directory can be on a Milvus server. If the server is down, the error names it.
func TestMilvus(t *testing.T) {
	server := milvustest.Start(t)
	url := "milvus://" + server.Address + "?prefix=env_&timeout=5s"
	dir := filepath.Join(t.TempDir(), "data")
	model := &letters{model: "letters"}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Embedder: model, Vectors: url}, attention, bert, resnet))
	e, err := env.Open(t.Context(), env.Config{Dir: dir, Embedder: model, Vectors: url, Mode: env.Hybrid})
	check(t, err)
	if got, want := first(t, e, bert.Chunks[1].Text), bert.Chunks[1].Text; got != want {
		t.Errorf("first hit %q, want %q", got, want)
	}
	server.Kill()
	if _, err := e.Retrieve(t.Context(), "attention", 1, tools.Scope{}); err == nil || !strings.Contains(err.Error(), server.Address) {
		t.Errorf("without the server: %v", err)
	}
	server.Restart(t)
	if got, want := first(t, e, bert.Chunks[1].Text), bert.Chunks[1].Text; got != want {
		t.Errorf("after the server is back: %q, want %q", got, want)
	}
	check(t, e.Close())
}
