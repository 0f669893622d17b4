package paperdb_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
)

// A paper has the same texts before and after it is stored.
func TestCellsOfPaper(t *testing.T) {
	p := paper("Cells")
	p.Metadata.BibTeX = " \t " // a tab is a text for the database
	p.Chunks[0].Text, p.Chunks[1].Text, p.Chunks[2].Text = "  ", "a\x00b\xff", ""
	p.Images[0].Summary, p.Tables[0].Summary, p.Sections[0].Summary = "i", "t", "s"
	var stored []paperdb.Cell
	for c, err := range reader(t, library(t, p)).Cells(t.Context(), nil) {
		check(t, err)
		stored = append(stored, c)
	}
	made := p.Cells()
	for _, list := range [][]paperdb.Cell{stored, made} {
		slices.SortFunc(list, func(a, b paperdb.Cell) int {
			return strings.Compare(a.Table+a.Key+a.Column, b.Table+b.Key+b.Column)
		})
	}
	if diff := cmp.Diff(stored, made); diff != "" {
		t.Errorf("(-stored +made):\n%s", diff)
	}
	for _, place := range paperdb.Indexed() {
		if !slices.ContainsFunc(made, func(c paperdb.Cell) bool { return c.Table == place.Table && c.Column == place.Column }) {
			t.Errorf("no text of %s.%s is compared", place.Table, place.Column)
		}
	}
}
