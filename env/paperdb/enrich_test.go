package paperdb_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/internal/testkit"
	"airqa/qa"
)

// fills has one text for each kind of fillable cell.
func fills(p paperdb.Paper) []paperdb.Fill {
	return []paperdb.Fill{
		{Column: "tldr", Key: p.Metadata.PaperID, Text: "in short"},
		{Column: "tags", Key: p.Metadata.PaperID, Tags: []string{"x", "it's"}},
		{Column: "page_summary", Key: p.Pages[1].ID, Text: "the page"},
		{Column: "image_summary", Key: p.Images[0].ID, Text: "the figure"},
		{Column: "table_summary", Key: p.Tables[0].ID, Text: "the \xff table"},
		{Column: "section_summary", Key: p.Sections[0].ID, Text: "the section"},
	}
}

func TestEnrich(t *testing.T) {
	first, second := paper("First"), paper("Second")
	path := library(t, first, second)
	w, err := paperdb.OpenWriter(t.Context(), path)
	check(t, err)
	check(t, w.Enrich(t.Context(), first.Metadata.PaperID, fills(first)))
	got, err := w.Enrichable(t.Context(), first.Metadata.PaperID)
	check(t, err)
	check(t, w.Close())

	want := first
	want.Chunks, want.Equations, want.References, want.File = nil, nil, nil, paperdb.File{}
	want.Metadata.TLDR, want.Metadata.Tags = "in short", []string{"x", "it's"}
	want.Pages[1].Summary, want.Images[0].Summary = "the page", "the figure"
	want.Tables[0].Summary, want.Sections[0].Summary = "the \uFFFD table", "the section"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paper (-want +got):\n%s", diff)
	}
	r := reader(t, path)
	if again, err := r.Enrichable(t.Context(), first.Metadata.PaperID); err != nil || !cmp.Equal(again, got) {
		t.Errorf("read again: %v", err)
	}
	if _, err := r.Enrichable(t.Context(), qa.PaperUUID("none", "")); !errors.Is(err, paperdb.ErrNoPaper) {
		t.Errorf("error %v", err)
	}
	if n := count(t, r, "tldr", "in short"); n != 1 {
		t.Errorf("%d cells with the tldr", n)
	}
}

// count counts the cells of the search index with a text in a column.
func count(t *testing.T, r *paperdb.Reader, column, text string) (n int) {
	t.Helper()
	for c, err := range r.Cells(t.Context(), nil) {
		check(t, err)
		if c.Column == column && c.Text == text {
			n++
		}
	}
	return n
}

// The record of the file depends on the content of the cells, however they were filled; reading the paper again clears
// it.
func TestEnrichShowsInTheParser(t *testing.T) {
	testkit.OneGoroutine(t)
	p := paper("First")
	parsers := func(t *testing.T, steps ...[]paperdb.Fill) []string {
		w, err := paperdb.OpenWriter(t.Context(), library(t, p))
		check(t, err)
		defer func() { check(t, w.Close()) }()
		var list []string
		note := func() {
			owned, err := w.Files(t.Context())
			check(t, err)
			if id, ok, err := w.Has(t.Context(), p.File); err != nil || !ok || id != p.Metadata.PaperID {
				t.Errorf("the file is not known any more: %q, %v, %v", id, ok, err)
			}
			if f, ok, err := w.Owner(t.Context(), p.Metadata.PaperID); err != nil || !ok || f.Parser != p.File.Parser {
				t.Errorf("owner %+v, %v, %v", f, ok, err)
			}
			list = append(list, owned[0].Parser)
		}
		for _, step := range steps {
			check(t, w.Enrich(t.Context(), p.Metadata.PaperID, step))
			note()
		}
		check(t, w.Put(t.Context(), p))
		note()
		return list
	}
	all := fills(p)
	once := parsers(t, all)
	twice := parsers(t, all[:2], all[2:], all)
	if once[0] != twice[1] || once[0] != twice[2] || twice[0] == twice[1] {
		t.Errorf("parsers %q and %q", once, twice)
	}
	if !strings.HasPrefix(once[0], "1+enriched-") || once[1] != "1" {
		t.Errorf("parsers %q", once)
	}
}

func TestEnrichIsWhole(t *testing.T) {
	first, second := paper("First"), paper("Second")
	w, err := paperdb.OpenWriter(t.Context(), library(t, first, second))
	check(t, err)
	defer func() { check(t, w.Close()) }()
	before, err := w.Enrichable(t.Context(), first.Metadata.PaperID)
	check(t, err)
	tests := []struct {
		name string
		fill paperdb.Fill
		want string
	}{
		{"row of another paper", paperdb.Fill{Column: "page_summary", Key: second.Pages[0].ID, Text: "x"}, "no row"},
		{"unknown column", paperdb.Fill{Column: "title", Key: first.Metadata.PaperID, Text: "x"}, `column "title"`},
		{"no uuid", paperdb.Fill{Column: "tldr", Key: "x'", Text: "x"}, "column tldr"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := w.Enrich(t.Context(), first.Metadata.PaperID, append(fills(first), tt.fill))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
			after, err := w.Enrichable(t.Context(), first.Metadata.PaperID)
			check(t, err)
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("paper (-before +after):\n%s", diff)
			}
		})
	}
}
