package paperdb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
)

// Marks and page labels are read as they were written, apart from the problems, and illegible papers have nothing to ask about.
func TestMarks(t *testing.T) {
	plain, poor, journal := paper("plain"), paper("poor"), paper("journal")
	poor.File.Problems, poor.File.Illegible = []string{"no title found"}, "no Unicode map"
	journal.File.Withdrawn, journal.File.Labels = "RETRACTED “ARTICLE”", []string{"", "iv"}
	r := reader(t, library(t, plain, poor, journal))
	for _, p := range []paperdb.Paper{plain, poor, journal} {
		f, err := r.File(t.Context(), p.Metadata.PaperID)
		check(t, err)
		if diff := cmp.Diff(p.File, f); diff != "" {
			t.Errorf("file (-want +got):\n%s", diff)
		}
		for h, err := range r.Holdings(t.Context(), []string{p.Metadata.PaperID}) {
			check(t, err)
			if diff := cmp.Diff(p.File, h.File); diff != "" {
				t.Errorf("file of the list (-want +got):\n%s", diff)
			}
		}
	}
	marked, err := r.Illegible(t.Context())
	check(t, err)
	if len(marked) != 1 || marked[0].Name != "poor.pdf" || marked[0].Illegible != "no Unicode map" {
		t.Errorf("illegible: %+v", marked)
	}
	outlines, err := r.Outlines(t.Context())
	check(t, err)
	for _, o := range outlines {
		if o.Title == "poor" || len(outlines) != 2 {
			t.Errorf("to ask about: %+v", outlines)
		}
	}
	for page, want := range map[int]string{-1: "", 0: "", 1: "", 2: "iv", 3: ""} {
		if got := journal.File.Label(page); got != want {
			t.Errorf("label of page %d: %q, want %q", page, got, want)
		}
	}
}
