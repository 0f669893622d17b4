package env_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/env"
	"airqa/env/paperdb"
	"airqa/internal/testkit"
	"airqa/qa"
	"airqa/tools"
)

// paper makes a paper with one page and one chunk per text.
func paper(title string, pages ...string) paperdb.Paper {
	id := qa.PaperUUID(title, "")
	p := paperdb.Paper{
		Metadata: paperdb.Metadata{PaperID: id, Title: title, NumPages: len(pages)},
		File:     paperdb.File{SHA256: "sha of " + title, Parser: "1"},
	}
	for i, text := range pages {
		page := qa.PageUUID(id, i+1)
		p.Pages = append(p.Pages, paperdb.Page{ID: page, Number: i + 1, Width: 612, Height: 792, Content: text})
		p.Chunks = append(p.Chunks, paperdb.Chunk{ID: qa.PartUUID(id, i+1, "chunk", 1), Text: text, Ordinal: i + 1, PageID: page})
	}
	return p
}

var (
	attention = paper("Attention", "Attention layers relate positions of a sequence.", "We train on eight GPUs.", "the of and")
	bert      = paper("Bert", "Masked language models look both ways.", "Attention is used in each layer, attention in every head.")
	resnet    = paper("Resnet", "Residual layers are easier to train.")
)

func fill(t *testing.T, dir string, papers ...paperdb.Paper) {
	t.Helper()
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir})
	check(t, err)
	for _, p := range papers {
		check(t, w.Put(t.Context(), p, []byte("%PDF of "+p.Metadata.Title)))
	}
	check(t, w.Finish(t.Context()))
	check(t, w.Close())
}

func open(t *testing.T, dir string) *env.Env {
	t.Helper()
	e, err := env.Open(t.Context(), lexical(dir))
	check(t, err)
	t.Cleanup(func() { check(t, e.Close()) })
	return e
}

// lexical is a BM25 configuration, since these tests are about words.
func lexical(dir string) env.Config { return env.Config{Dir: dir, Mode: env.BM25} }

// library is a directory with three papers.
func library(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	fill(t, dir, attention, bert, resnet)
	return dir
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRetrieve(t *testing.T) {
	testkit.OneGoroutine(t)
	e := open(t, library(t))
	id := func(p paperdb.Paper) string { return p.Metadata.PaperID }
	hit := func(p paperdb.Paper, page int) tools.Hit {
		return tools.Hit{PDFID: id(p), PageNumber: page, TableName: "chunks", ColumnName: "text_content", Text: p.Chunks[page-1].Text}
	}
	tests := []struct {
		name, query string
		limit       int
		papers      []string
		want        []tools.Hit
	}{
		{"best first", "attention", 5, nil, []tools.Hit{hit(bert, 2), hit(attention, 1)}},
		{"stems", "How do they TRAINED?", 5, []string{id(attention)}, []tools.Hit{hit(attention, 2)}},
		{"limit", "attention", 1, nil, []tools.Hit{hit(bert, 2)}},
		{"one paper", "attention layer", 5, []string{id(resnet)}, []tools.Hit{hit(resnet, 1)}},
		{"upper case id", "layer", 5, []string{strings.ToUpper(id(resnet))}, []tools.Hit{hit(resnet, 1)}},
		{"two papers", "masked residual", 5, []string{id(resnet), id(bert)}, []tools.Hit{hit(resnet, 1), hit(bert, 1)}},
		{"unknown paper", "attention", 5, []string{qa.PaperUUID("no", "")}, nil},
		{"no uuid", "attention", 5, []string{"attention' or '1"}, nil},
		{"unknown word", "zebra", 5, nil, nil},
		{"stop words", "the of and", 5, nil, nil},
		{"nothing", "", 5, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := e.Retrieve(t.Context(), tt.query, tt.limit, tools.Scope{Papers: tt.papers})
			check(t, err)
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(tools.Hit{}, "Score", "ID"), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	var fault *tools.Fault
	if _, err := e.Retrieve(t.Context(), "attention", 0, tools.Scope{}); !errors.As(err, &fault) {
		t.Errorf("limit 0: got %v", err)
	}
}

// Hits beyond the limit follow the others, which stay as they are; only they have no text.
func TestRetrieveBeyond(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := library(t)
	for _, mode := range []env.Mode{env.BM25, env.Dense, env.Hybrid} {
		e, err := env.Open(t.Context(), env.Config{Dir: dir, Mode: mode})
		check(t, err)
		defer func() { _ = e.Close() }()
		for limit := range 4 {
			want, err := e.Retrieve(t.Context(), "attention layer", limit+1, tools.Scope{})
			check(t, err)
			all, err := e.Retrieve(t.Context(), "attention layer", limit+1, tools.Scope{Beyond: 2})
			check(t, err)
			n := min(limit+1, len(all))
			if diff := cmp.Diff(want, all[:n]); diff != "" {
				t.Errorf("%s, limit %d: the hits changed (-alone +with more):\n%s", mode, limit+1, diff)
			}
			deeper, err := e.Retrieve(t.Context(), "attention layer", limit+3, tools.Scope{})
			check(t, err)
			for i, h := range all {
				if (h.Text == "") != (i > limit) || h.ID != deeper[i].ID || h.PageNumber != deeper[i].PageNumber {
					t.Errorf("%s, limit %d, hit %d: %+v, want id and page of %+v", mode, limit+1, i+1, h, deeper[i])
				}
			}
			if len(all) != len(deeper) {
				t.Errorf("%s, limit %d: %d hits, want %d", mode, limit+1, len(all), len(deeper))
			}
		}
	}
}

func TestQuery(t *testing.T) {
	testkit.OneGoroutine(t)
	e := open(t, library(t))
	got, err := e.Query(t.Context(), "SELECT title, pdf_path FROM metadata WHERE title = 'Bert'")
	check(t, err)
	want := qa.Rows{
		Columns: []string{"title", "pdf_path"}, Values: [][]any{{"Bert", "pdfs/" + bert.Metadata.PaperID + ".pdf"}}, Tables: []string{"metadata"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got, err = e.Query(t.Context(), "SELECT * FROM range(2000)")
	if len(got.Values) != env.DefaultQueryRows || !got.More || err != nil {
		t.Errorf("got %d rows, %v, %v", len(got.Values), got.More, err)
	}
	var fault *tools.Fault
	if _, err := e.Query(t.Context(), "DROP TABLE metadata"); !errors.As(err, &fault) || fault.Kind != "refused" {
		t.Errorf("got %v", err)
	}
}

func TestPapers(t *testing.T) {
	testkit.OneGoroutine(t)
	e := open(t, library(t))
	n, err := e.Papers().Totals(t.Context())
	if n.Papers != 3 || err != nil {
		t.Errorf("got %+v, %v", n, err)
	}
	texts, err := e.PageTexts(t.Context(), bert.Metadata.PaperID)
	check(t, err)
	if diff := cmp.Diff([]string{bert.Pages[0].Content, bert.Pages[1].Content}, texts); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	schema, err := e.Schema(t.Context())
	if !strings.Contains(schema, "CREATE TABLE reference") || strings.Contains(schema, "airqa") || err != nil {
		t.Errorf("schema: %v\n%s", err, schema)
	}
}

func TestIngestAgain(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := library(t)
	before := openClose(t, dir)
	fill(t, dir)
	if got := openClose(t, dir); got != before {
		t.Error("the fingerprint changed although nothing was added")
	}
	changed := bert
	changed.File.SHA256, changed.Chunks = "another", bert.Chunks[:1]
	fill(t, dir, changed)
	e := open(t, dir)
	if e.Fingerprint() == before {
		t.Error("the fingerprint did not change with a PDF")
	}
	hits, err := e.Retrieve(t.Context(), "attention", 5, tools.Scope{})
	if len(hits) != 1 || hits[0].PDFID != attention.Metadata.PaperID || err != nil {
		t.Errorf("got %v, %v", hits, err)
	}
	var info struct{ Fingerprint string }
	text, err := os.ReadFile(filepath.Join(dir, "airqa.json"))
	check(t, err)
	check(t, json.Unmarshal(text, &info))
	if info.Fingerprint != e.Fingerprint() {
		t.Errorf("airqa.json has fingerprint %s, want %s", info.Fingerprint, e.Fingerprint())
	}
}

func openClose(t *testing.T, dir string) string {
	t.Helper()
	e, err := env.Open(t.Context(), lexical(dir))
	check(t, err)
	fingerprint := e.Fingerprint()
	check(t, e.Close())
	return fingerprint
}

func TestCopyHasTheSameFingerprint(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := library(t)
	other := filepath.Join(t.TempDir(), "copy")
	check(t, os.CopyFS(other, os.DirFS(dir)))
	if openClose(t, dir) != openClose(t, other) {
		t.Error("the copy has another fingerprint")
	}
}

// Readers see the papers of the last finished ingest until the next one finishes.
func TestInterruptedIngest(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := library(t)
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir})
	check(t, err)
	check(t, w.Put(t.Context(), paper("Late", "A late paper."), []byte("%PDF")))
	check(t, w.Close()) // without Finish
	late := func(want int) {
		t.Helper()
		hits, err := open(t, dir).Retrieve(t.Context(), "late", 5, tools.Scope{})
		if len(hits) != want || err != nil {
			t.Errorf("got %v, %v", hits, err)
		}
	}
	late(0)
	fill(t, dir)
	late(1)
}

// A generation stays while it is read or while a run needs it, and can be found by its fingerprint.
func TestGenerations(t *testing.T) {
	dir := library(t)
	reader := open(t, dir)
	old := reader.Fingerprint()
	run := t.TempDir()
	check(t, reader.Pin(run))
	next := paper("Late", "A late paper.")
	fill(t, dir, next)
	count := func(e *env.Env, want int) {
		t.Helper()
		hits, err := e.Retrieve(t.Context(), "late", 5, tools.Scope{})
		check(t, err)
		rows, err := e.Query(t.Context(), "SELECT title FROM metadata WHERE title = 'Late'")
		check(t, err)
		if len(hits) != want || len(rows.Values) != want {
			t.Errorf("%d passages and %d rows, want %d", len(hits), len(rows.Values), want)
		}
	}
	reopen := func(fingerprint string, want int) {
		t.Helper()
		cfg := lexical(dir)
		cfg.Fingerprint = fingerprint
		e, err := env.Open(t.Context(), cfg)
		check(t, err)
		count(e, want)
		check(t, e.Close())
	}
	count(reader, 0)
	reopen("", 1)
	reopen(old, 0)
	fill(t, dir, paper("Later", "Another."))
	reopen(old, 0)
	check(t, reader.Unpin(run))
	fill(t, dir, paper("Last", "Nothing."))
	count(reader, 0) // still read
	reopen("unknown", 1)
}

func TestDamagedIndexIsRebuilt(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := library(t)
	check(t, os.WriteFile(filepath.Join(dir, "vectors", "text_bm25_en", "000001.vec"), []byte("x"), 0o644))
	if _, err := env.Open(t.Context(), lexical(dir)); err == nil || !strings.Contains(err.Error(), "airqa store vectors --rebuild makes it again") {
		t.Errorf("got %v", err)
	}
	check(t, fillWith(t, env.WriterConfig{Dir: dir, Rebuild: true}))
	openClose(t, dir)
}

func TestOpenErrors(t *testing.T) {
	testkit.OneGoroutine(t)
	if _, err := env.Open(t.Context(), env.Config{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "run: airqa ingest --data") {
		t.Errorf("no data directory: got %v", err)
	}
	dir := library(t)
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir})
	check(t, err)
	if _, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir}); err == nil || !strings.Contains(err.Error(), "another ingest") {
		t.Errorf("second writer: got %v", err)
	}
	openClose(t, dir) // beside a writer
	if err := w.Put(t.Context(), paperdb.Paper{Metadata: paperdb.Metadata{PaperID: "../x"}}, nil); err == nil {
		t.Error("an id that is not a uuid was accepted")
	}
	check(t, w.Close())
	check(t, w.Close())
	if err := w.Finish(t.Context()); err == nil {
		t.Error("finish after close")
	}
}

func TestEmptyDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	fill(t, dir)
	hits, err := open(t, dir).Retrieve(t.Context(), "anything", 5, tools.Scope{})
	if len(hits) != 0 || err != nil {
		t.Errorf("got %v, %v", hits, err)
	}
}

func TestConcurrentEpisodes(t *testing.T) {
	e := open(t, library(t))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 3 {
				check1(t, func(ctx context.Context) error {
					_, err := e.Retrieve(ctx, "attention layer", 3, tools.Scope{})
					return err
				})
				check1(t, func(ctx context.Context) error {
					rows, err := e.Query(ctx, fmt.Sprintf("WITH mine AS (SELECT %d AS n) FROM mine", i))
					if err == nil && rows.Values[0][0] != int64(i) {
						err = fmt.Errorf("got %v of another episode", rows.Values)
					}
					return err
				})
				check1(t, func(ctx context.Context) error {
					_, err := e.PageTexts(ctx, bert.Metadata.PaperID)
					return err
				})
			}
		})
	}
	wg.Wait()
}

func check1(t *testing.T, do func(context.Context) error) {
	t.Helper()
	if err := do(t.Context()); err != nil {
		t.Error(err)
	}
}
