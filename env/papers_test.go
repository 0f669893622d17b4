package env_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/env"
	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/internal/testkit"
	"airqa/tools"
)

func TestHoldings(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := filepath.Join(t.TempDir(), "data")
	odd := attention
	odd.File.Problems = []string{"page 2 has no text; is it a scan?"}
	fill(t, dir, odd, bert)
	got, err := holdings(t.Context(), dir)
	check(t, err)
	want := map[string]paperdb.Holding{}
	for _, p := range []paperdb.Paper{odd, bert} {
		m := p.Metadata
		h := paperdb.Holding{
			PaperID: m.PaperID, Title: m.Title, Conference: m.Conference, Year: m.Year, File: p.File,
			Counts: paperdb.Counts{Pages: len(p.Pages), Chunks: len(p.Chunks)},
		}
		h.PDFPath, err = datadir.PDFName(h.PaperID)
		check(t, err)
		want[h.PaperID] = h
	}
	byID := map[string]paperdb.Holding{}
	for _, h := range got {
		byID[h.PaperID] = h
	}
	if diff := cmp.Diff(want, byID, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var again []paperdb.Holding
	for h, err := range open(t, dir).Papers().List(t.Context(), "", 0) {
		check(t, err)
		again = append(again, h)
	}
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("of an open directory (-want +got):\n%s", diff)
	}
}

// Holdings shows the papers of the last ingest that finished, also after one that was interrupted.
func TestHoldingsAfterAnInterruption(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	put := func(p paperdb.Paper) {
		t.Helper()
		w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir})
		check(t, err)
		check(t, w.Put(t.Context(), p, []byte("%PDF")))
		check(t, w.Close())
	}
	put(bert)
	if _, err := holdings(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "has not finished") {
		t.Errorf("after the first ingest: %v", err)
	}
	fill(t, dir)
	put(attention)
	got, err := holdings(t.Context(), dir)
	check(t, err)
	if len(got) != 1 || got[0].Title != "Bert" {
		t.Errorf("got %+v", got)
	}
	if _, err := holdings(t.Context(), t.TempDir()); !errors.Is(err, datadir.ErrNotDataDir) {
		t.Errorf("got %v", err)
	}
}

// A paper may be stored without its PDF; an existing PDF is kept.
func TestPutWithoutPDF(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := filepath.Join(t.TempDir(), "data")
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: dir})
	check(t, err)
	check(t, w.Put(t.Context(), bert, nil))
	check(t, w.Put(t.Context(), resnet, []byte("%PDF of resnet")))
	check(t, w.Put(t.Context(), resnet, nil))
	check(t, w.Finish(t.Context()))
	e := open(t, dir)
	_, err = e.View(t.Context(), bert.Metadata.PaperID, 1, nil)
	if fault, ok := errors.AsType[*tools.Fault](err); !ok || !strings.Contains(fault.Text, "is not stored here") {
		t.Errorf("got %v", err)
	}
	for p, want := range map[*paperdb.Paper]bool{&bert: false, &resnet: true} {
		m, err := e.Paper(t.Context(), p.Metadata.PaperID)
		check(t, err)
		if got := m.PDFPath != ""; got != want {
			t.Errorf("%s: PDF path %q", p.Metadata.Title, m.PDFPath)
		}
		if m.PDFPath == "" {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, m.PDFPath)); err != nil {
			t.Error(err)
		}
	}
}

// holdings are the papers of a data directory, ordered by id.
func holdings(ctx context.Context, dir string) (list []paperdb.Holding, err error) {
	papers, err := env.OpenPapers(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, papers.Close()) }()
	for h, err := range papers.List(ctx, "", 0) {
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}
