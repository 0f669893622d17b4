package paperdb_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/env/paperdb"
	"airqa/env/vectors"
	"airqa/internal/testkit"
	"airqa/qa"
)

func TestPutAndRead(t *testing.T) {
	a, b := paper("attention"), paper("bert")
	r := reader(t, library(t, a, b))
	for _, p := range []paperdb.Paper{a, b} {
		m, err := r.Paper(t.Context(), p.Metadata.PaperID)
		check(t, err)
		if diff := cmp.Diff(p.Metadata, m); diff != "" {
			t.Errorf("metadata (-want +got):\n%s", diff)
		}
	}
	sections, err := r.Sections(t.Context(), a.Metadata.PaperID)
	check(t, err)
	if diff := cmp.Diff(a.Sections, sections); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	pages, err := r.Pages(t.Context(), a.Metadata.PaperID)
	check(t, err)
	if diff := cmp.Diff(a.Pages, pages); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
	files, err := r.Files(t.Context())
	check(t, err)
	want := []paperdb.Owned{{PaperID: a.Metadata.PaperID, File: a.File}, {PaperID: b.Metadata.PaperID, File: b.File}}
	if diff := cmp.Diff(want, files, cmpopts.SortSlices(func(x, y paperdb.Owned) bool { return x.PaperID < y.PaperID })); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestChunks(t *testing.T) {
	a := paper("attention")
	a.Chunks[3].PageID = ""
	r := reader(t, library(t, a))
	var got []paperdb.Cell
	for c, err := range r.Cells(t.Context(), nil) {
		check(t, err)
		if c.Table == "chunks" {
			got = append(got, c)
		}
	}
	var want []paperdb.Cell
	for i, c := range a.Chunks {
		want = append(want, paperdb.Cell{
			Origin: vectors.Origin{PaperID: a.Metadata.PaperID, Page: []int{1, 1, 2, -1}[i], Table: "chunks", Column: "text_content", Key: c.ID},
			Text:   c.Text,
		})
	}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(func(x, y paperdb.Cell) bool { return x.Key < y.Key })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	groups, err := r.CellGroups(t.Context(), []string{a.Metadata.PaperID, qa.PageUUID("x", 1), "no id"})
	check(t, err)
	if diff := cmp.Diff([][]string{{a.Metadata.PaperID}}, groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	all := 0
	for _, err := range r.Cells(t.Context(), nil) {
		check(t, err)
		all++
	}
	if n, err := r.CountCells(t.Context(), groups[0]); n != all || err != nil {
		t.Errorf("%d cells counted, %v; want %d", n, err, all)
	}
	texts, err := r.ChunkText(t.Context(), []string{a.Metadata.PaperID}, []string{a.Chunks[2].ID, "no id", qa.PageUUID("x", 1)})
	check(t, err)
	if diff := cmp.Diff(map[string]string{a.Chunks[2].ID: a.Chunks[2].Text}, texts); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

func TestPaper(t *testing.T) {
	a := paper("attention")
	r := reader(t, library(t, a))
	got, err := r.Paper(t.Context(), strings.ToUpper(a.Metadata.PaperID))
	check(t, err)
	if diff := cmp.Diff(a.Metadata, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, id := range []string{"", "x'; DROP TABLE pages", qa.PaperUUID("no", "")} {
		if _, err := r.Paper(t.Context(), id); !errors.Is(err, paperdb.ErrNoPaper) {
			t.Errorf("%q: got %v", id, err)
		}
	}
}

func TestEmptyFieldsAreNull(t *testing.T) {
	id := qa.PaperUUID("bare", "")
	bare := paperdb.Paper{Metadata: paperdb.Metadata{PaperID: id, Title: "bare \xff"}}
	r := reader(t, library(t, bare))
	result := query(t, r, "SELECT title, abstract, pub_year, volume, conference_abbreviation, authors, tags FROM metadata")
	want := [][]any{{"bare \uFFFD", nil, nil, nil, nil, "[]", "[]"}}
	if diff := cmp.Diff(want, result.Values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The driver would truncate a text at a NUL.
func TestNoTextEndsAtANUL(t *testing.T) {
	const cut, whole = "before\x00after", "before\uFFFDafter"
	a := paper("attention")
	a.Metadata.Title, a.Metadata.Abstract, a.Metadata.Authors = cut, cut, []string{cut}
	a.Pages[0].Content, a.Chunks[0].Text = cut, cut
	a.Sections[0].Title, a.Sections[0].Content = cut, cut
	a.Tables[0].Caption, a.Tables[0].Content, a.Images[0].Caption = cut, cut, cut
	a.Equations[0].Content, a.References[0].Content = cut, cut
	a.File.Name, a.File.Problems = cut, []string{cut}
	path := library(t, a)
	w, err := paperdb.OpenWriter(t.Context(), path)
	check(t, err)
	fills := []paperdb.Fill{
		{Column: "tldr", Key: a.Metadata.PaperID, Text: cut},
		{Column: "tags", Key: a.Metadata.PaperID, Tags: []string{cut}},
	}
	check(t, errors.Join(w.Enrich(t.Context(), a.Metadata.PaperID, fills), w.Close()))
	r := reader(t, path)
	result := query(t, r, `SELECT title, abstract, authors[1], tldr, tags[1],
		(SELECT min(page_content) FROM pages WHERE page_content LIKE 'before%'), (SELECT min(text_content) FROM chunks WHERE text_content LIKE 'before%'),
		(SELECT min(section_title) FROM sections WHERE section_title LIKE 'before%'), (SELECT min(section_content) FROM sections WHERE section_content LIKE 'before%'),
		(SELECT min(table_caption) FROM tables WHERE table_caption LIKE 'before%'), (SELECT min(table_content) FROM tables WHERE table_content LIKE 'before%'),
		(SELECT min(image_caption) FROM images WHERE image_caption LIKE 'before%'), (SELECT min(equation_content) FROM equations WHERE equation_content LIKE 'before%'),
		(SELECT min(reference_content) FROM reference WHERE reference_content LIKE 'before%') FROM metadata`)
	for i, got := range result.Values[0] {
		if got != whole {
			t.Errorf("%s: got %q, want %q", result.Columns[i], got, whole)
		}
	}
	files, err := r.Files(t.Context())
	check(t, err)
	if f := files[0].File; f.Name != whole || f.Problems[0] != whole {
		t.Errorf("file %q, problems %q, want %q", f.Name, f.Problems, whole)
	}
}

func TestPutReplaces(t *testing.T) {
	testkit.OneGoroutine(t)
	a := paper("attention")
	path := library(t, a, paper("bert"))
	for range 3 {
		put(t, path, a)
	}
	a.Metadata.Title, a.Chunks, a.File.Parser = "Attention again", a.Chunks[:1], "2"
	put(t, path, a)
	r := reader(t, path)
	got, err := r.Paper(t.Context(), a.Metadata.PaperID)
	check(t, err)
	if got.Title != "Attention again" {
		t.Errorf("got title %q", got.Title)
	}
	result := query(t, r, "SELECT (SELECT count(*) FROM chunks), (SELECT count(*) FROM pages), (SELECT count(*) FROM metadata)")
	if diff := cmp.Diff([][]any{{int64(5), int64(4), int64(2)}}, result.Values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPutRefuses(t *testing.T) {
	a, b := paper("attention"), paper("bert")
	path := filepath.Join(t.TempDir(), "papers.duckdb")
	w, err := paperdb.OpenWriter(t.Context(), path)
	check(t, err)
	check(t, w.Put(t.Context(), a))
	tests := []struct {
		name   string
		change func(*paperdb.Paper)
		want   string
	}{
		{"paper id", func(p *paperdb.Paper) { p.Metadata.PaperID = "x" }, `"x" is not a uuid`},
		{"chunk id", func(p *paperdb.Paper) { p.Chunks[0].ID = "" }, `"" is not a uuid`},
		{"page of another paper", func(p *paperdb.Paper) { p.Chunks[0].PageID = a.Pages[0].ID }, "which the paper does not have"},
		{"id of another paper's row", func(p *paperdb.Paper) { p.Chunks[0].ID = a.Chunks[0].ID }, "table main.chunks"},
		{"an id twice", func(p *paperdb.Paper) { p.Chunks[0].ID = p.Chunks[1].ID }, "table main.chunks"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bad := b
			bad.Chunks = append([]paperdb.Chunk{}, b.Chunks...)
			tt.change(&bad)
			err := w.Put(t.Context(), bad)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, want %q in it", err, tt.want)
			}
			if _, ok, err := w.Owner(t.Context(), b.Metadata.PaperID); ok || err != nil {
				t.Errorf("the refused paper is there: %v, %v", ok, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Put(ctx, b); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
	check(t, w.Put(t.Context(), b))
	check(t, w.Close())
}

func TestHasAndOwner(t *testing.T) {
	a := paper("attention")
	w, err := paperdb.OpenWriter(t.Context(), library(t, a))
	check(t, err)
	id, ok, err := w.Has(t.Context(), paperdb.File{SHA256: a.File.SHA256, MetadataSHA256: "meta", Parser: "1", Name: "renamed.pdf"})
	if id != a.Metadata.PaperID || !ok || err != nil {
		t.Errorf("got %q, %v, %v", id, ok, err)
	}
	for _, change := range []func(*paperdb.File){
		func(f *paperdb.File) { f.SHA256 = "x" }, func(f *paperdb.File) { f.MetadataSHA256 = "" }, func(f *paperdb.File) { f.Parser = "2" },
	} {
		f := a.File
		change(&f)
		if id, ok, err := w.Has(t.Context(), f); ok || err != nil {
			t.Errorf("%+v: got %q, %v", f, id, err)
		}
	}
	f, ok, err := w.Owner(t.Context(), a.Metadata.PaperID)
	if diff := cmp.Diff(a.File, f); diff != "" || !ok || err != nil {
		t.Errorf("owner %v, %v (-want +got):\n%s", ok, err, diff)
	}
	if _, ok, err := w.Owner(t.Context(), "no id"); ok || err != nil {
		t.Errorf("owner of nothing: %v, %v", ok, err)
	}
	check(t, w.Close())
}

// A newer parser may read another title from the same file, and so assign another id: the paper moves there.
func TestPutMovesAPaperOfAnOlderParser(t *testing.T) {
	old, copied, moved := paper("Paper Search"), paper("kept"), paper("PaSa: An Agent for Paper Search")
	copied.File = old.File
	copied.File.MetadataSHA256 = "its own record"
	moved.File = old.File
	moved.File.Parser = "2"
	r := reader(t, library(t, old, copied, moved))
	var titles []string
	words, err := r.FirstWords(t.Context())
	check(t, err)
	for n, err := range r.TitlesFrom(t.Context(), words) {
		check(t, err)
		titles = append(titles, n.Title)
	}
	slices.Sort(titles)
	if diff := cmp.Diff([]string{moved.Metadata.Title, "kept"}, titles); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	result := query(t, r, "SELECT count(DISTINCT ref_paper_id) FROM chunks")
	if diff := cmp.Diff([][]any{{int64(2)}}, result.Values); diff != "" {
		t.Errorf("papers with chunks (-want +got):\n%s", diff)
	}
}

func TestConcurrentPuts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "papers.duckdb")
	w, err := paperdb.OpenWriter(t.Context(), path)
	check(t, err)
	var wg sync.WaitGroup
	for _, title := range []string{"a", "b", "c", "d", "e", "f"} {
		wg.Go(func() {
			p := paper(title)
			if err := w.Put(t.Context(), p); err != nil {
				t.Error(err)
			}
			if _, ok, err := w.Has(t.Context(), p.File); !ok || err != nil {
				t.Errorf("%s: %v, %v", title, ok, err)
			}
		})
	}
	wg.Wait()
	check(t, w.Close())
	n, err := reader(t, path).Totals(t.Context())
	if n.Papers != 6 || err != nil {
		t.Errorf("got %+v, %v", n, err)
	}
}

// cutOff returns the beginning of a file.
func cutOff(t *testing.T, path string, n int) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	check(t, err)
	return string(raw[:n])
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		check(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	have := library(t)
	read := func(path string) error {
		_, err := paperdb.OpenReader(t.Context(), paperdb.Config{Path: path})
		return err
	}
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"read missing", read(filepath.Join(dir, "no.duckdb")), "run: airqa ingest"},
		{"read text", read(file("text.duckdb", strings.Repeat("x", 5000))), "damaged or not a DuckDB database; restore it"},
		{"read JSON", read(file("q.jsonl", `{"a": 1}`+"\n")), "open q.jsonl: not a DuckDB database"},
		{"read cut off", read(file("cut.duckdb", cutOff(t, have, 4096))), "open cut.duckdb: damaged"},
		{"read odd path", read(file("a#b.duckdb", "x")), "with ?, # or %"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) || strings.Contains(tt.err.Error(), "\n") {
				t.Errorf("got %v, want %q in one line", tt.err, tt.want)
			}
		})
	}
}
