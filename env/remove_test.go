package env_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env"
	"airqa/env/paperdb"
	"airqa/internal/testkit"
	"airqa/tools"
)

// read is a paper with the hash of the PDF that fill stores.
func read(p paperdb.Paper) paperdb.Paper {
	sum := sha256.Sum256([]byte("%PDF of " + p.Metadata.Title))
	p.File.SHA256 = hex.EncodeToString(sum[:])
	return p
}

// downloaded is a library whose papers were downloaded; Bert is the copy of another paper's PDF, too.
func downloaded(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	second := read(bert)
	second.Metadata = paper("Second").Metadata
	second.Pages, second.Chunks = nil, nil
	fill(t, dir, read(attention), read(bert), second)
	check(t, os.MkdirAll(filepath.Join(dir, "downloads"), 0o750))
	for name, text := range map[string]string{
		"attention.pdf": "%PDF of Attention", "attention.json": "{}", "bert.pdf": "%PDF of Bert", "same-size.pdf": "%PDF of attentioN",
	} {
		check(t, os.WriteFile(filepath.Join(dir, "downloads", name), []byte(text), 0o600))
	}
	return dir
}

// plan is the removal of papers by name.
func plan(t *testing.T, dir string, names ...string) []env.Removing {
	t.Helper()
	papers := openPapers(t, dir)
	ids, err := papers.FindRemoval(t.Context(), names)
	check(t, err)
	var picked []paperdb.Holding
	for h, err := range papers.Holdings(t.Context(), ids) {
		check(t, err)
		picked = append(picked, h)
	}
	removing, err := papers.PlanRemoval(t.Context(), picked)
	check(t, err)
	check(t, papers.Close())
	return removing
}

// write opens a directory for writing, and closes it with the search index up to date, or not.
func write(t *testing.T, dir string, finish bool, do func(*env.Writer) error) {
	t.Helper()
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir})
	check(t, err)
	err = do(w)
	if finish {
		err = errors.Join(err, w.Finish(t.Context()))
	}
	check(t, errors.Join(err, w.Close()))
}

// remove removes papers by name.
func remove(t *testing.T, dir string, names ...string) func(*env.Writer) error {
	t.Helper()
	papers := plan(t, dir, names...)
	return func(w *env.Writer) error { return w.Remove(t.Context(), papers) }
}

// contents are the titles and the files of a directory.
func contents(t *testing.T, dir string) (titles, files []string) {
	t.Helper()
	all, err := holdings(t.Context(), dir)
	check(t, err)
	for _, h := range all {
		titles = append(titles, h.Title)
	}
	for _, folder := range []string{"pdfs", "downloads"} {
		names, err := fs.Glob(os.DirFS(dir), folder+"/*")
		check(t, err)
		files = append(files, names...)
	}
	return titles, files
}

func TestRemove(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := downloaded(t)
	_, before := contents(t, dir)
	write(t, dir, true, remove(t, dir, "attention"))
	titles, files := contents(t, dir)
	if len(titles) != 2 || strings.Contains(strings.Join(titles, " "), "Attention") {
		t.Errorf("papers %v", titles)
	}
	gone := []string{"pdfs/" + attention.Metadata.PaperID + ".pdf", "downloads/attention.json", "downloads/attention.pdf"}
	if len(files) != len(before)-3 {
		t.Errorf("files %v of %v", files, before)
	}
	for _, name := range gone {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	if env.RemovalPending(dir) {
		t.Error("the removal is not recorded as complete")
	}
	hits, err := open(t, dir).Retrieve(t.Context(), "attention", 9, tools.Scope{})
	check(t, err)
	for _, h := range hits {
		if h.PDFID == attention.Metadata.PaperID {
			t.Errorf("search still finds %v", h)
		}
	}
}

// A download stays while another paper was read from the same PDF, and no other file of the same size goes.
func TestPlanRemoval(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := downloaded(t)
	pdf := func(p paperdb.Paper) string { return "pdfs/" + p.Metadata.PaperID + ".pdf" }
	if diff := cmp.Diff([]string{pdf(bert)}, plan(t, dir, "bert")[0].Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	both := plan(t, dir, "bert", "second", bert.Metadata.PaperID)
	if len(both) != 2 || !cmp.Equal(both[0].Files, []string{pdf(bert), "downloads/bert.pdf"}) {
		t.Errorf("both: %v", both)
	}
	papers := openPapers(t, dir)
	defer func() { check(t, papers.Close()) }()
	for name, want := range map[string]string{"t": "matches 2 papers", "zebra": "no paper"} {
		if _, err := papers.FindRemoval(t.Context(), []string{"bert", name}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A process that dies after any step leaves the old state, or one that the next writer completes.
func TestInterruptedRemoval(t *testing.T) {
	testkit.OneGoroutine(t)
	nothing := func(*env.Writer) error { return nil }
	for name, test := range map[string]struct {
		stop   func(dir string) // leaves the directory as it is after the step
		papers int
	}{
		"listed": {func(dir string) {
			raw := `{"format":1,"papers":[{"paper_id":"` + attention.Metadata.PaperID + `","files":["downloads/attention.pdf"]}]}`
			check(t, os.WriteFile(filepath.Join(dir, "removing.json"), []byte(raw), 0o600))
		}, 3},
		"rows removed": {func(dir string) {
			write(t, dir, false, remove(t, dir, "attention"))
			if titles, _ := contents(t, dir); len(titles) != 3 {
				t.Errorf("readers see %v", titles)
			}
		}, 2},
		"index written": {func(dir string) {
			papers := plan(t, dir, "attention")
			write(t, dir, true, func(w *env.Writer) error { return w.Remove(t.Context(), papers) })
			raw := `{"format":1,"papers":[{"paper_id":"` + attention.Metadata.PaperID + `","files":["downloads/attention.pdf"]}]}`
			check(t, os.WriteFile(filepath.Join(dir, "downloads/attention.pdf"), nil, 0o600))
			check(t, os.WriteFile(filepath.Join(dir, "removing.json"), []byte(raw), 0o600))
		}, 2},
		"added again": {func(dir string) {
			write(t, dir, false, remove(t, dir, "attention"))
			write(t, dir, false, func(w *env.Writer) error { return w.Put(t.Context(), read(attention), []byte("%PDF of Attention")) })
		}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := downloaded(t)
			test.stop(dir)
			if !env.RemovalPending(dir) {
				t.Fatal("the interruption is not recorded")
			}
			write(t, dir, true, nothing)
			titles, files := contents(t, dir)
			_, err := os.Stat(filepath.Join(dir, "downloads/attention.pdf"))
			if len(titles) != test.papers || (err == nil) != (test.papers == 3) || env.RemovalPending(dir) {
				t.Errorf("papers %v, files %v", titles, files)
			}
			if _, err := os.Stat(filepath.Join(dir, "pdfs", attention.Metadata.PaperID+".pdf")); (err == nil) != (test.papers == 3) {
				t.Errorf("PDF: %v", err)
			}
			open(t, dir)
		})
	}
}

// The files of a removed paper stay while an earlier generation is read.
func TestRemovalBesideReader(t *testing.T) {
	dir := downloaded(t)
	e, err := env.Open(t.Context(), lexical(dir))
	check(t, err)
	write(t, dir, true, remove(t, dir, "attention"))
	pdf := filepath.Join(dir, "pdfs", attention.Metadata.PaperID+".pdf")
	if _, err := os.Stat(pdf); err != nil || !env.RemovalPending(dir) {
		t.Errorf("the PDF is gone: %v", err)
	}
	check(t, e.Close())
	write(t, dir, true, func(*env.Writer) error { return nil })
	if _, err := os.Stat(pdf); err == nil || env.RemovalPending(dir) {
		t.Errorf("the PDF is still there: %v", err)
	}
}

// The list of files cannot lead out of the directory, and a damaged list is an error.
func TestRemovalStaysInside(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := library(t)
	outside := filepath.Join(filepath.Dir(dir), "thesis.pdf")
	check(t, os.WriteFile(outside, nil, 0o600))
	for raw, want := range map[string]string{
		`{"format":1,"papers":[{"paper_id":"` + paper("x").Metadata.PaperID + `","files":["../thesis.pdf"]}]}`: "remove papers",
		`{"format":2}`: "format 2; this program reads format 1", `{`: "removing.json",
	} {
		check(t, os.WriteFile(filepath.Join(dir, "removing.json"), []byte(raw), 0o600))
		w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir})
		check(t, err)
		if err := w.Finish(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", raw, err)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
	check(t, os.Remove(filepath.Join(dir, "removing.json")))
	write(t, dir, true, remove(t, dir, "attention", "bert", "resnet"))
	if titles, _ := contents(t, dir); len(titles) != 0 {
		t.Errorf("papers %v", titles)
	}
	open(t, dir)
}
