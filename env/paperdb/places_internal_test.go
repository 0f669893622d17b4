package paperdb

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"airqa/internal/testkit"
	"airqa/qa"
)

// sized returns a paper with n rows in some tables and none in others.
func sized(title string, n int) Paper {
	id := qa.PaperUUID(title, "")
	p := Paper{Metadata: Metadata{PaperID: id, Title: title}, File: File{SHA256: "hash of " + title, Parser: fmt.Sprint(n)}}
	for i := range n {
		p.Pages = append(p.Pages, Page{ID: qa.PageUUID(id, i+1), Number: i + 1, Width: 600 + i, Content: "page"})
		p.Chunks = append(p.Chunks, Chunk{
			ID: qa.PartUUID(id, i+1, "chunk", 1), Text: fmt.Sprintf("%s %d", title, i), PageID: qa.PageUUID(id, i+1),
		})
		if i%2 == 1 {
			p.Tables = append(p.Tables, Table{ID: qa.PartUUID(id, i+1, "table", 1), Caption: "Table", Ordinal: i, PageID: qa.PageUUID(id, i+1)})
		}
	}
	return p
}

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// cellTexts returns the cells of papers, read in one group, by key and column.
func cellTexts(t *rapid.T, r *Reader, ids []string) map[string]string {
	cells := make(map[string]string)
	for c, err := range r.Cells(t.Context(), ids) {
		must(t, err)
		cells[c.Key+" "+c.Column] = c.Text
	}
	return cells
}

// Whatever was written, also by writers that were killed, each paper is read as it was stored.
func TestPlacesProperty(t *testing.T) {
	testkit.Checks(t, 3, 20)
	names := []string{"a", "b", "c", "d", "e"}
	folder := t.TempDir()
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		path := filepath.Join(folder, fmt.Sprint(run, ".duckdb"))
		stored := make(map[string]Paper)
		for range rapid.IntRange(1, 4).Draw(t, "writers") {
			w, err := OpenWriter(t.Context(), path)
			must(t, err)
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				change(t, w, names, stored)
			}
			w.changed = w.changed && !rapid.Bool().Draw(t, "killed") // before it filled the places
			must(t, w.Close())
		}
		compare(t, path, stored)
	})
}

// change puts, removes or enriches a paper.
func change(t *rapid.T, w *Writer, names []string, stored map[string]Paper) {
	p := sized(rapid.SampledFrom(names).Draw(t, "paper"), rapid.IntRange(0, 5).Draw(t, "rows"))
	id := p.Metadata.PaperID
	have, ok := stored[id]
	switch rapid.SampledFrom([]string{"put", "put", "remove", "enrich"}).Draw(t, "change") {
	case "put":
		must(t, w.Put(t.Context(), p))
		stored[id] = p
	case "remove":
		must(t, w.Remove(t.Context(), []string{id}))
		delete(stored, id)
	case "enrich":
		if !ok {
			return
		}
		fills := []Fill{{Column: "tags", Key: id, Tags: []string{"tag"}}, {Column: "tldr", Key: id, Text: "short"}}
		have.Metadata.TLDR = "short"
		have.Pages = slices.Clone(have.Pages)
		for i := range have.Pages {
			have.Pages[i].Summary = "summary"
			fills = append(fills, Fill{Column: "page_summary", Key: have.Pages[i].ID, Text: "summary"})
		}
		must(t, w.Enrich(t.Context(), id, fills))
		stored[id] = have
	}
}

func compare(t *rapid.T, path string, stored map[string]Paper) {
	r, err := OpenReader(t.Context(), Config{Path: path})
	must(t, err)
	defer func() { must(t, r.Close()) }()
	want, all := make(map[string]string), []string{}
	for h, err := range r.List(t.Context(), "", 0) {
		must(t, err)
		p := stored[h.PaperID]
		if want := (Counts{Pages: len(p.Pages), Chunks: len(p.Chunks), Tables: len(p.Tables)}); h.Counts != want {
			t.Fatalf("paper %s has %+v, want %+v", p.Metadata.Title, h.Counts, want)
		}
	}
	for id, p := range stored {
		all = append(all, id)
		cells := make(map[string]string)
		for _, c := range p.Cells() {
			cells[c.Key+" "+c.Column], want[c.Key+" "+c.Column] = c.Text, c.Text
		}
		if diff := cmp.Diff(cells, cellTexts(t, r, []string{id})); diff != "" {
			t.Fatalf("paper %s (-want +got):\n%s", p.Metadata.Title, diff)
		}
		pages, err := r.Pages(t.Context(), id)
		must(t, err)
		if diff := cmp.Diff(p.Pages, pages); diff != "" {
			t.Fatalf("pages (-want +got):\n%s", diff)
		}
		var ids []string
		for _, c := range p.Chunks {
			ids = append(ids, c.ID)
		}
		found, err := r.ChunkText(t.Context(), []string{id}, ids)
		if must(t, err); len(found) != len(ids) {
			t.Fatalf("%d chunks found, want %d", len(found), len(ids))
		}
	}
	if diff := cmp.Diff(want, cellTexts(t, r, nil)); diff != "" {
		t.Fatalf("all papers (-want +got):\n%s", diff)
	}
	if n, err := r.CountCells(t.Context(), all); n != len(want) || err != nil {
		t.Fatalf("%d cells counted, %v; want %d", n, err, len(want))
	}
}

// The places are complete after a writer that closed, and after the one that follows a killed writer.
func TestPlacesAreFilled(t *testing.T) {
	testkit.OneGoroutine(t)
	path := filepath.Join(t.TempDir(), "papers.duckdb")
	open := func() *Writer {
		w, err := OpenWriter(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	expect := func(w *Writer, when string, want int) {
		spans, err := spansOf(t.Context(), w.db, []string{sized("a", 0).Metadata.PaperID, sized("b", 0).Metadata.PaperID})
		if len(spans) != want || err != nil {
			t.Errorf("%s: %d papers have a place, %v; want %d", when, len(spans), err, want)
		}
	}
	put := func(w *Writer, p Paper) {
		if err := w.Put(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	closed := func(w *Writer) {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	w := open()
	put(w, sized("a", 3))
	w.changed = false // as if the process was killed
	closed(w)
	w = open()
	expect(w, "after a killed writer", 1)
	put(w, sized("b", 3))
	closed(w)
	w = open()
	expect(w, "after a writer", 2)
	put(w, sized("a", 5))
	expect(w, "with a paper that was stored again", 1)
	w.changed = false
	closed(w)
	closed(open())
	w = open()
	expect(w, "in the end", 2)
	closed(w)
}

// Row ids are what the places rely on: neither a deletion nor a checkpoint may change them.
func TestRowIDsAreStable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "papers.duckdb")
	var ids []string
	for _, step := range []func(w *Writer) error{
		func(w *Writer) error {
			for _, name := range []string{"a", "b", "c"} {
				ids = append(ids, sized(name, 0).Metadata.PaperID)
				if err := w.Put(t.Context(), sized(name, 4000)); err != nil {
					return err
				}
			}
			return nil
		},
		func(w *Writer) error { return w.Remove(t.Context(), ids[:2]) },
		func(*Writer) error { return nil },
	} {
		w, err := OpenWriter(t.Context(), path)
		if err == nil {
			err = errors.Join(step(w), w.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := OpenReader(t.Context(), Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	where, err := spanOf(t.Context(), r.db, ids[2])
	if want := (rowRange{8000, 11999}); where.in("chunks") != want || err != nil {
		t.Errorf("place of the last paper %v, %v; want %v", where.in("chunks"), err, want)
	}
	if n, err := r.CountCells(t.Context(), ids[2:]); n != len(sized("c", 4000).Cells()) || err != nil {
		t.Errorf("%d cells, %v", n, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// A statement of the program that exceeds its memory is one line, which names what was read.
func TestOwnMemory(t *testing.T) {
	db, err := connect("", "")
	if err == nil {
		err = lockDown(t.Context(), db, 16)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = list(t.Context(), db, "numbers", only[string], "SELECT md5(range::VARCHAR) AS x FROM range(1000000) ORDER BY x")
	if err == nil || !strings.HasPrefix(err.Error(), "read numbers: ") || strings.Contains(err.Error(), "\n") || !errors.Is(err, errMemory) {
		t.Errorf("got %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
