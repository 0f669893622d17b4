package paperdb_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
)

// Elements are what a question can be about: no short section, no references, no section that contains another one, no
// table without cells, no figure without a caption.
func TestElements(t *testing.T) {
	p := paper("Otter")
	id := p.Metadata.PaperID
	long := strings.Repeat("A sentence about otters. ", 20)
	p.Sections = []paperdb.Section{
		{ID: p.Sections[0].ID, Title: "1 Method", Content: "Intro.\n1.1 Part\n" + long},
		{ID: p.Sections[1].ID, Title: "1.1 Part", Content: long, Ordinal: 1},
		{ID: id, Title: "References", Content: long + "2031", Ordinal: 2},
		{ID: p.Pages[0].ID, Title: "2 Short", Content: "short", Ordinal: 3},
	}
	p.Tables = append(p.Tables, paperdb.Table{ID: p.Pages[1].ID, Content: "<table><tr><TD>1</TD></tr></table>", PageID: p.Pages[0].ID, Ordinal: 1})
	p.Images = append(p.Images, paperdb.Image{ID: p.Pages[1].ID, PageID: p.Pages[0].ID, Ordinal: 1})
	r := reader(t, library(t, p))
	got, err := r.Elements(t.Context())
	check(t, err)
	want := []paperdb.Element{
		{PaperID: id, Kind: "equation", ID: p.Equations[0].ID},
		{PaperID: id, Kind: "image", ID: p.Images[0].ID},
		{PaperID: id, Kind: "section", ID: p.Sections[1].ID},
		{PaperID: id, Kind: "table", ID: p.Tables[1].ID},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("elements (-want +got):\n%s", diff)
	}
	equations, err := r.Equations(t.Context(), id)
	check(t, err)
	if diff := cmp.Diff(p.Equations, equations); diff != "" {
		t.Errorf("equations (-want +got):\n%s", diff)
	}
}
