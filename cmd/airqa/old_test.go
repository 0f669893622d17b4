package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/embed"
	"airqa/env/embed/minilm"
	"airqa/env/paperdb"
	"airqa/internal/testkit/openaitest"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/runlog"
	"airqa/tools"
)

// unpackOld puts what an older program wrote into a folder; see testdata/old/README.md.
func unpackOld(version, dir string) error {
	file, err := os.Open(filepath.Join("testdata", "old", version+".tar.gz"))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return err
	}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		raw, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, raw, 0o600)); err != nil {
			return err
		}
	}
}

// unpack is the command of scripts for it: unpack VERSION.
func unpack(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unpack VERSION")
	}
	ts.Check(unpackOld(args[0], ts.MkAbs(".")))
}

// inOld works in a folder with what an older program wrote.
func inOld(t *testing.T, version string) {
	t.Helper()
	dir := t.TempDir()
	if err := unpackOld(version, dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
}

// An older run is resumed where it was interrupted: its finished episodes stay, and the steps of the other are not repeated.
// Its prompts are those of today here, as they are for a program that has not changed them.
func TestResumeOldRun(t *testing.T) {
	inOld(t, "0.1.0")
	server := openaitest.New(openaitest.Config{Reply: func([]openaitest.Message) string {
		return "[Thought]: One page.\n[Action]: Answer(answer=1)"
	}})
	defer server.Close()
	t.Setenv("OPENAI_API_KEY", "sk-test")
	args := []string{
		"run", "--data", "data", "--questions", "questions.jsonl", "--baseline", "agentic-hybrid", "--model", "openai:m",
		"--base-url", server.URL(), "--price", "1,2", "--out",
	}
	exitsWith(t, exitUsage, append(args, "run")...) // the prompts are not those of the run
	exitsWith(t, exitDone, append(args, "today", "--limit", "1")...)
	raw, err := os.ReadFile(filepath.Join("today", "run.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("run", "run.json"), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	before := server.Calls()
	exitsWith(t, exitDone, append(args, "run")...)
	if n := server.Calls() - before; n != 1 {
		t.Errorf("%d calls, want one: the last of the interrupted question", n)
	}
	want := map[string][]string{
		"11111111-1111-5111-8111-111111111111": {"42", "Query", "Answer"},
		"22222222-2222-5222-8222-222222222222": {"Low tide bares the flats where herons feed.", "Query", "Answer"},
		"33333333-3333-5333-8333-333333333333": {"1", "Query", "Answer"},
	}
	got := make(map[string][]string)
	for _, rec := range oldEpisodes(t) {
		got[rec.UUID] = []string{rec.Answer.Text}
		for _, s := range rec.Steps {
			got[rec.UUID] = append(got[rec.UUID], s.Action.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func oldEpisodes(t *testing.T) []runlog.Recorded {
	t.Helper()
	r, err := runlog.Open("run")
	if err != nil {
		t.Fatal(err)
	}
	var all []runlog.Recorded
	for rec, err := range r.Episodes() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
	}
	return all
}

// noModel is asked nothing.
type noModel struct{}

func (noModel) Complete(context.Context, qa.Request) (qa.Reply, error) {
	return qa.Reply{}, errors.New("the cache has no such reply")
}

// An older cache answers the requests that were made then, word by word.
func TestOldCacheAnswers(t *testing.T) {
	inOld(t, "0.1.0")
	config, err := runlog.ReadConfig("run")
	if err != nil {
		t.Fatal(err)
	}
	store, err := cache.Open("cache", cache.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	endpoint := config.Shape.Model
	endpoint["base_url"] = config.Note.BaseURL
	cached := &cache.Model{Store: store, Model: noModel{}, Name: "openai:m", Endpoint: endpoint, Protocol: "react"}
	hits := 0
	for _, rec := range oldEpisodes(t) {
		for _, s := range rec.Steps {
			r := qa.Request{UUID: rec.UUID, Repeat: rec.Repeat, Step: s.N}
			for _, span := range s.Shown {
				r.Messages = append(r.Messages, rec.Messages[span.First:span.End]...)
			}
			reply, err := cached.Complete(t.Context(), r)
			if err != nil || reply.Text != s.Reply.Text || !reply.Cached {
				t.Errorf("%s step %d: %q, %v", rec.Episode, s.N, reply.Text, err)
				continue
			}
			hits++
		}
	}
	if hits != 5 {
		t.Errorf("%d hits, want those of all five requests in the log", hits)
	}
}

// counting counts the texts that a model embeds.
type counting struct {
	embed.Embedder
	texts atomic.Int64
}

func (c *counting) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	c.texts.Add(int64(len(texts)))
	return c.Embedder.Embed(ctx, texts)
}

// A data directory of format 1 becomes one of format 2 without embedding anything again, and finds the same.
func TestMigrateOldData(t *testing.T) {
	inOld(t, "0.1.0")
	mini, err := minilm.Open(minilm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	find := func() []tools.Hit {
		world, err := env.Open(t.Context(), env.Config{Dir: "data", Mode: env.Hybrid})
		if err != nil {
			t.Fatal(err)
		}
		hits, err := world.Retrieve(t.Context(), "herons in April", 5, tools.Scope{})
		if err = errors.Join(err, world.Close()); err != nil || len(hits) == 0 {
			t.Fatal(hits, err)
		}
		return hits
	}
	before := find()
	model := &counting{Embedder: mini}
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: "data", Embedder: model})
	if err == nil {
		err = w.Finish(t.Context())
	}
	if err != nil || model.texts.Load() > 0 {
		t.Errorf("%d texts embedded, %v", model.texts.Load(), err)
	}
	dir, err := datadir.Open("data")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := dir.Info(); err != nil || info.Format != 2 || info.Generation == 0 {
		t.Errorf("%+v, %v", info, err)
	}
	if diff := cmp.Diff(before, find()); diff != "" {
		t.Errorf("hits (-before +after):\n%s", diff)
	}
}

// watched calls look before it embeds.
type watched struct {
	embed.Embedder
	look func()
}

func (w watched) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	w.look()
	return w.Embedder.Embed(ctx, texts)
}

// Until a directory of format 1 has become one of format 2, its files stay as they are: readers have their index, and the older
// program can read and write it, also after the migration was interrupted.
func TestMigrationKeepsFormer(t *testing.T) {
	inOld(t, "0.1.0")
	mini, err := minilm.Open(minilm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	former := []string{"airqa.json", "papers.duckdb"}
	for _, name := range []string{"text_bm25_en", "text_sentence_transformers_all_minilm_l6_v2"} {
		former = append(former, filepath.Join("vectors", name, "collection.vec"))
	}
	read := func(name string) string {
		raw, err := os.ReadFile(filepath.Join("data", name))
		if err != nil {
			t.Error(err)
		}
		return string(raw)
	}
	before := make(map[string]string)
	for _, name := range former {
		before[name] = read(name)
	}
	looks := 0
	look := func() {
		looks++
		for _, name := range former {
			if read(name) != before[name] {
				t.Errorf("%s has changed", name)
			}
		}
		world, err := env.Open(t.Context(), env.Config{Dir: "data", Mode: env.Hybrid, QueryInProcess: true})
		if err != nil {
			t.Fatal(err)
		}
		hits, err := world.Retrieve(t.Context(), "herons in April", 5, tools.Scope{})
		if err = errors.Join(err, world.Close()); err != nil || len(hits) == 0 {
			t.Error(hits, err)
		}
	}
	ended := errors.New("killed")
	fill := func(n int, failing error) error {
		w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: "data", Embedder: watched{mini, look}, Progress: func(int, int) { look() }})
		if err != nil {
			return err
		}
		_, err = w.ChunkAs(datadir.Chunking{})
		look()
		for i := range n {
			title := strings.Repeat("New paper ", i+1)
			id := qa.PaperUUID(title, "")
			p := paperdb.Paper{Metadata: paperdb.Metadata{PaperID: id, Title: title, NumPages: 1}, File: paperdb.File{SHA256: title, Parser: "1"}}
			err = errors.Join(err, w.Put(t.Context(), p, nil))
		}
		if failing != nil {
			look()
			return errors.Join(failing, err, w.Close())
		}
		return errors.Join(err, w.Finish(t.Context()))
	}
	if err := fill(1, ended); !errors.Is(err, ended) || strings.Contains(err.Error(), "\n") {
		t.Fatal(err)
	}
	look()
	if err := fill(2, nil); err != nil {
		t.Fatal(err)
	}
	if looks < 5 {
		t.Errorf("%d looks", looks)
	}
	for _, name := range former[1:] {
		if _, err := os.Stat(filepath.Join("data", name)); err == nil {
			t.Errorf("%s is left", name)
		}
	}
	dir, err := datadir.Open("data")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := dir.Info(); err != nil || info.Format != 2 || info.Papers != 3 || info.Chunks == nil {
		t.Errorf("%+v, %v", info, err)
	}
}

// What an older program writes after an interrupted migration is not lost.
func TestMigrationAfterOlderProgram(t *testing.T) {
	inOld(t, "0.1.0")
	mini, err := minilm.Open(minilm.Config{})
	if err != nil {
		t.Fatal(err)
	}
	put := func(w *paperdb.Writer, title string) {
		id := qa.PaperUUID(title, "")
		p := paperdb.Paper{Metadata: paperdb.Metadata{PaperID: id, Title: title, NumPages: 1}, File: paperdb.File{SHA256: title, Parser: "1"}}
		if err := w.Put(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: "data", Embedder: mini})
	if err != nil {
		t.Fatal(err)
	}
	listed, err := w.Files(t.Context())
	if err == nil {
		err = w.Remove(t.Context(), []env.Removing{{PaperID: listed[0].PaperID}})
	}
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	old, err := paperdb.OpenWriter(t.Context(), filepath.Join("data", "papers.duckdb"))
	if err != nil {
		t.Fatal(err)
	}
	put(old, "Of the older program")
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	if w, err = env.OpenWriter(t.Context(), env.WriterConfig{Dir: "data", Embedder: mini}); err == nil {
		err = w.Finish(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	have, err := holdings(t.Context(), "data")
	if err != nil || len(have) != len(listed)+1 {
		t.Errorf("%d papers, want %d and the one of the older program: %v", len(have), len(listed), err)
	}
}
