package sources_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/ingest/sources"
	"airqa/qa"
)

// paper returns a paper with one page and one chunk.
func paper(title string) paperdb.Paper {
	id := qa.PaperUUID(title, "")
	page := qa.PageUUID(id, 1)
	return paperdb.Paper{
		Metadata: paperdb.Metadata{PaperID: id, Title: title, NumPages: 1, PDFPath: "acl2023/" + title + ".pdf"},
		Pages:    []paperdb.Page{{ID: page, Number: 1, Width: 612, Height: 792, Content: title}},
		Chunks:   []paperdb.Chunk{{ID: qa.PartUUID(id, 1, "chunk", 1), Text: title, Ordinal: 1, PageID: page}},
	}
}

// released makes a database of papers and opens it.
func released(t *testing.T, papers ...paperdb.Paper) *paperdb.Released {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ai_research.duckdb")
	w, err := paperdb.OpenWriter(t.Context(), path)
	check(t, err)
	for _, p := range papers {
		check(t, w.Put(t.Context(), p))
	}
	check(t, w.Close())
	r, err := paperdb.OpenReleased(t.Context(), path)
	check(t, err)
	t.Cleanup(func() { check(t, r.Close()) })
	return r
}

// store is a database that keeps the PDFs in memory.
type store struct {
	*paperdb.Writer
	pdfs map[string]string
	fail func(paperdb.Paper) error
}

func newStore(t *testing.T) *store {
	t.Helper()
	w, err := paperdb.OpenWriter(t.Context(), filepath.Join(t.TempDir(), "papers.duckdb"))
	check(t, err)
	t.Cleanup(func() { check(t, w.Close()) })
	return &store{Writer: w, pdfs: map[string]string{}, fail: func(paperdb.Paper) error { return nil }}
}

func (s *store) Put(ctx context.Context, p paperdb.Paper, pdf []byte) error {
	if err := s.fail(p); err != nil {
		return err
	}
	if pdf != nil {
		s.pdfs[p.Metadata.Title] = string(pdf)
	}
	return s.Writer.Put(ctx, p)
}

func importFrom(t *testing.T, cfg sources.ImportConfig) sources.ImportSummary {
	t.Helper()
	cfg.Name = "ai_research.duckdb"
	sum, err := sources.Import(t.Context(), cfg)
	check(t, err)
	return sum
}

func openPDFs(t *testing.T, dir string) *sources.PDFs {
	t.Helper()
	pdfs, err := sources.OpenPDFs(dir)
	check(t, err)
	t.Cleanup(func() { check(t, pdfs.Close()) })
	return pdfs
}

func TestImport(t *testing.T) {
	a, b, c := paper("a"), paper("b"), paper("c")
	to, dir := newStore(t), t.TempDir()
	write(t, filepath.Join(dir, "some", "where", strings.ToUpper(a.Metadata.PaperID)+".pdf"), "%PDF-1.5 a")
	write(t, filepath.Join(dir, "acl2023", "b.pdf"), "%PDF-1.5 b")
	write(t, filepath.Join(dir, "acl2023", "c.pdf"), "<html>")
	var told []int
	cfg := sources.ImportConfig{
		From: released(t, a, b, c), Store: to, PDFs: openPDFs(t, dir),
		Progress: func(done, total int, _ string) { told = append(told, done, total) },
	}
	want := sources.ImportSummary{
		All: 3, Total: 3, Added: 3, WithPDF: 2, Warned: map[string][]string{c.Metadata.PaperID: {"c.pdf is not a PDF: imported without PDF"}},
	}
	if diff := cmp.Diff(want, importFrom(t, cfg)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a": "%PDF-1.5 a", "b": "%PDF-1.5 b"}, to.pdfs); diff != "" {
		t.Errorf("PDFs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 3, 2, 3, 3, 3}, told); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if sum := importFrom(t, cfg); sum.Skipped != 3 || sum.Added != 0 {
		t.Errorf("again: %+v", sum)
	}
}

// A second import adds a PDF that was missing.
func TestImportTakesPDFsLater(t *testing.T) {
	from, to, dir := released(t, paper("a"), paper("b")), newStore(t), t.TempDir()
	if sum := importFrom(t, sources.ImportConfig{From: from, Store: to}); sum.Added != 2 || sum.WithPDF != 0 {
		t.Errorf("%+v", sum)
	}
	write(t, filepath.Join(dir, "acl2023", "a.pdf"), "%PDF-1.5 a")
	cfg := sources.ImportConfig{From: from, Store: to, PDFs: openPDFs(t, dir)}
	if sum := importFrom(t, cfg); sum.Added != 1 || sum.Skipped != 1 || sum.WithPDF != 1 {
		t.Errorf("%+v", sum)
	}
}

func TestImportStaysInItsFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "secret.pdf"), "%PDF-1.5 secret")
	check(t, os.Mkdir(filepath.Join(dir, "in"), 0o755))
	check(t, os.Symlink(filepath.Join(dir, "secret.pdf"), filepath.Join(dir, "in", "link.pdf")))
	pdfs := openPDFs(t, filepath.Join(dir, "in"))
	for _, path := range []string{"../secret.pdf", filepath.Join(dir, "secret.pdf"), "link.pdf", "in/../../secret.pdf"} {
		p := paper("a")
		p.Metadata.PDFPath = path
		if sum := importFrom(t, sources.ImportConfig{From: database{p}, Store: newStore(t), PDFs: pdfs}); sum.WithPDF != 0 || sum.Added != 1 {
			t.Errorf("%s: %+v", path, sum)
		}
	}
}

func TestImportAmongOthers(t *testing.T) {
	mine, theirs, clash := paper("a"), paper("a"), paper("clash")
	mine.Metadata.Abstract, mine.File = "mine", paperdb.File{SHA256: "x", Name: "a.pdf", Parser: "airqa-1"}
	clash.Chunks[0].ID = mine.Chunks[0].ID
	to := newStore(t)
	check(t, to.Writer.Put(t.Context(), mine))
	cfg := sources.ImportConfig{From: database{theirs}, Store: to}
	sum := importFrom(t, cfg)
	if len(sum.Failed) != 1 || !strings.Contains(sum.Failed[0].Err.Error(), "--replace") {
		t.Errorf("got %+v", sum)
	}
	cfg.Replace = true
	if sum := importFrom(t, cfg); sum.Added != 1 {
		t.Errorf("with Replace: %+v", sum)
	}
	cfg.From = database{clash, paper("b")}
	if sum := importFrom(t, cfg); sum.Added != 1 || len(sum.Failed) != 1 || sum.Failed[0].Paper != clash.Metadata.PaperID {
		t.Errorf("a clash: %+v", sum)
	}
}

// database is a source in memory.
type database []paperdb.Paper

func (s database) IDs(context.Context) (ids []string, err error) {
	for _, p := range s {
		ids = append(ids, p.Metadata.PaperID)
	}
	return ids, nil
}

func (s database) PDFPaths(context.Context) (all []paperdb.Metadata, err error) {
	for _, p := range s {
		all = append(all, p.Metadata)
	}
	return all, nil
}

func (s database) Paper(_ context.Context, id string) (paperdb.Paper, error) {
	for _, p := range s {
		if p.Metadata.PaperID == id {
			return p, nil
		}
	}
	return paperdb.Paper{}, paperdb.ErrNoPaper
}

func TestImportReportsBadPapers(t *testing.T) {
	bad := paper("bad")
	bad.Metadata.PaperID = "paper-7"
	sum := importFrom(t, sources.ImportConfig{From: database{bad, paper("good")}, Store: newStore(t)})
	if sum.Added != 1 || len(sum.Failed) != 1 || sum.Failed[0].Paper != "paper-7" {
		t.Errorf("got %+v", sum)
	}
}

func TestImportStopsAndGoesOn(t *testing.T) {
	to, full := newStore(t), errors.New("disk full")
	to.fail = func(p paperdb.Paper) error {
		if p.Metadata.Title == "b" {
			return full
		}
		return nil
	}
	cfg := sources.ImportConfig{From: database{paper("a"), paper("b"), paper("c")}, Store: to}
	sum, err := sources.Import(t.Context(), cfg)
	if !errors.Is(err, full) || sum.Added != 1 {
		t.Errorf("got %v, %+v", err, sum)
	}
	to.fail = func(paperdb.Paper) error { return nil }
	ctx, cancel := context.WithCancel(t.Context())
	cfg.Progress = func(done, _ int, _ string) {
		if done == 2 {
			cancel()
		}
	}
	sum, err = sources.Import(ctx, cfg)
	if !errors.Is(err, context.Canceled) || sum.Skipped != 1 || sum.Added != 1 {
		t.Errorf("got %v, %+v", err, sum)
	}
	sum, err = sources.Import(t.Context(), cfg)
	if err != nil || sum.Skipped != 2 || sum.Added != 1 {
		t.Errorf("got %v, %+v", err, sum)
	}
}

func TestPDFsErrors(t *testing.T) {
	if _, err := sources.OpenPDFs(filepath.Join(t.TempDir(), "no")); err == nil {
		t.Error("no folder: no error")
	}
}
