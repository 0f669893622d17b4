package paperdb_test

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"airqa/env/paperdb"
	"airqa/qa"
)

// items reads a list.
func items[T any](t *testing.T, list iter.Seq2[T, error]) (read []T) {
	t.Helper()
	for item, err := range list {
		check(t, err)
		read = append(read, item)
	}
	return read
}

// listed is what lists show of a paper.
func listed(p paperdb.Paper) paperdb.Holding {
	m := p.Metadata
	return paperdb.Holding{
		PaperID: m.PaperID, Title: m.Title, Conference: m.Conference, Year: m.Year, PDFPath: m.PDFPath, File: p.File,
		Counts: paperdb.Counts{
			Pages: len(p.Pages), Images: len(p.Images), Chunks: len(p.Chunks), Tables: len(p.Tables), Sections: len(p.Sections),
			Equations: len(p.Equations), References: len(p.References),
		},
	}
}

// inventedPapers makes papers, every other one without rows besides its metadata, ordered by id.
func inventedPapers(n int) (papers []paperdb.Paper) {
	for i := range n {
		p := paper(fmt.Sprint("Paper ", i))
		if i%2 == 1 {
			p = paperdb.Paper{Metadata: p.Metadata, File: p.File}
		}
		papers = append(papers, p)
	}
	slices.SortFunc(papers, func(a, b paperdb.Paper) int { return strings.Compare(a.Metadata.PaperID, b.Metadata.PaperID) })
	return papers
}

// Pages of any size have all papers once, in the order of ids, with their own counts.
func TestList(t *testing.T) {
	papers := inventedPapers(11)
	r := reader(t, library(t, papers...))
	rapid.Check(t, func(rt *rapid.T) {
		limit, after := rapid.IntRange(0, 12).Draw(rt, "limit"), rapid.IntRange(-1, 10).Draw(rt, "after")
		id, want := "", []paperdb.Holding(nil)
		if after >= 0 {
			id = papers[after].Metadata.PaperID
		}
		for _, p := range papers[after+1:] {
			if limit == 0 || len(want) < limit {
				want = append(want, listed(p))
			}
		}
		if diff := cmp.Diff(want, items(t, r.List(t.Context(), id, limit)), cmpopts.EquateEmpty()); diff != "" {
			rt.Errorf("(-want +got):\n%s", diff)
		}
	})
	ids := []string{papers[7].Metadata.PaperID, qa.PaperUUID("unknown", ""), "x'", papers[2].Metadata.PaperID}
	want := []paperdb.Holding{listed(papers[7]), listed(papers[2])}
	if diff := cmp.Diff(want, items(t, r.Holdings(t.Context(), ids)), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("some, as named (-want +got):\n%s", diff)
	}
	n, err := r.Totals(t.Context())
	check(t, err)
	if diff := cmp.Diff(paperdb.Totals{Papers: 11, Pages: 12, Chunks: 24}, n); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
}

func TestLookup(t *testing.T) {
	papers := inventedPapers(5)
	r := reader(t, library(t, papers...))
	id := papers[3].Metadata.PaperID
	ids := []string{id, "no id", qa.PaperUUID("unknown", "")}
	known, err := r.Known(t.Context(), ids)
	check(t, err)
	titles, err := r.Titles(t.Context(), ids)
	check(t, err)
	if !cmp.Equal(known, map[string]bool{id: true}) || !cmp.Equal(titles, map[string]string{id: papers[3].Metadata.Title}) {
		t.Errorf("got %v, %v", known, titles)
	}
	if none, err := r.Known(t.Context(), nil); len(none) > 0 || err != nil {
		t.Errorf("of none: %v, %v", none, err)
	}
	venues, err := r.Venues(t.Context())
	check(t, err)
	if diff := cmp.Diff([]paperdb.Venue{{Conference: "ACL", Year: 2023}}, venues); diff != "" {
		t.Errorf("venues (-want +got):\n%s", diff)
	}
	of, err := r.IDsOf(t.Context(), venues[0])
	check(t, err)
	first, err := r.IDs(t.Context(), 2)
	check(t, err)
	if len(of) != 5 || !slices.IsSorted(of) || !cmp.Equal(first, of[:2]) {
		t.Errorf("of a venue %v, the first %v", of, first)
	}
}

func TestIDsWithPrefix(t *testing.T) {
	papers := inventedPapers(40)
	r := reader(t, library(t, papers...))
	rapid.Check(t, func(rt *rapid.T) {
		prefix := papers[rapid.IntRange(0, 39).Draw(rt, "paper")].Metadata.PaperID[:rapid.IntRange(0, 36).Draw(rt, "length")]
		var want []string
		for _, p := range papers {
			if id := p.Metadata.PaperID; id[:len(prefix)] == prefix {
				want = append(want, id)
			}
		}
		got, err := r.IDsWithPrefix(t.Context(), prefix)
		check(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Errorf("%q (-want +got):\n%s", prefix, diff)
		}
	})
	for _, odd := range []string{"g", "-", "123456789", "12345678-1234-", papers[0].Metadata.PaperID + "0", "1'"} {
		if got, err := r.IDsWithPrefix(t.Context(), odd); odd != "12345678-1234-" && len(got) > 0 || err != nil {
			t.Errorf("%q: %v, %v", odd, got, err)
		}
	}
}

// A file is shared if any other paper was read from it.
func TestSharedFiles(t *testing.T) {
	a, b, c := paper("a"), paper("b"), paper("c")
	b.File = a.File
	b.File.MetadataSHA256 = "its own record"
	r := reader(t, library(t, a, b, c))
	ids := func(papers ...paperdb.Paper) (list []string) {
		for _, p := range papers {
			list = append(list, p.Metadata.PaperID)
		}
		return list
	}
	for _, tt := range []struct {
		of   []paperdb.Paper
		want []string
	}{
		{nil, []string{a.File.SHA256, c.File.SHA256}},
		{[]paperdb.Paper{a, c}, []string{a.File.SHA256}},
		{[]paperdb.Paper{a, b}, []string{c.File.SHA256}},
		{[]paperdb.Paper{a, b, c}, nil},
	} {
		got, err := r.SharedFiles(t.Context(), []string{a.File.SHA256, c.File.SHA256, "'"}, ids(tt.of...))
		check(t, err)
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%d papers (-want +got):\n%s", len(tt.of), diff)
		}
	}
}

// Few names are returned, those that share most with the text.
func TestNamesLike(t *testing.T) {
	r := reader(t, library(t, inventedPapers(30)...))
	for text, want := range map[string]string{"papre 17": "Paper 17", "": ""} {
		got, err := r.NamesLike(t.Context(), text, 3)
		check(t, err)
		if len(got) != 9 || want != "" && !slices.ContainsFunc(got, func(n paperdb.Name) bool { return n.Title == want }) {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
