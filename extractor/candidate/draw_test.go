package candidate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/extractor/candidate"
)

// library has papers 0 to n-1; paper i has i+1 tables and i+1 sections.
type library int

func name(kind string, i, k int) string { return fmt.Sprintf("%s-%d-%d", kind, i, k) }

func (n library) Outlines(ctx context.Context) (list []paperdb.Outline, _ error) {
	for i := range int(n) {
		m, _ := n.Paper(ctx, name("paper", i, 0))
		list = append(list, paperdb.Outline{PaperID: m.PaperID, Title: m.Title, Abstract: len(strings.TrimSpace(m.Abstract)), Metadata: true})
	}
	return list, nil
}

func (n library) Paper(_ context.Context, id string) (paperdb.Metadata, error) {
	var i int
	_, err := fmt.Sscanf(id, "paper-%d-0", &i)
	return paperdb.Metadata{PaperID: id, Title: fmt.Sprint("Paper ", i), Abstract: strings.Repeat("About it. ", 10*i), NumPages: 3, Conference: "ACL", Year: 2023}, err
}

func (n library) Elements(context.Context) (list []paperdb.Element, _ error) {
	for i := range int(n) {
		for k := range i + 1 {
			list = append(list, paperdb.Element{PaperID: name("paper", i, 0), Kind: "section", ID: name("section", i, k)},
				paperdb.Element{PaperID: name("paper", i, 0), Kind: "table", ID: name("table", i, k)})
		}
	}
	return list, nil
}

func (n library) Parts(_ context.Context, id string) (p paperdb.Paper, _ error) {
	var i int
	_, _ = fmt.Sscanf(id, "paper-%d-0", &i)
	p.Pages = []paperdb.Page{{ID: "page", Number: 7, Content: "page text"}}
	for k := range i + 1 {
		p.Sections = append(p.Sections, paperdb.Section{ID: name("section", i, k), Title: "Title", Content: "content", PageNumbers: []int{k + 1}})
		p.Tables = append(p.Tables, paperdb.Table{ID: name("table", i, k), Caption: "caption", Content: "<td>", PageID: "page", Box: [4]int{1, 2, 3, 4}})
	}
	return p, nil
}

func open(t *testing.T, seed uint64) *candidate.Draw {
	t.Helper()
	d, err := candidate.OpenDraw(t.Context(), library(5), seed)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func load(t *testing.T, d *candidate.Draw, c candidate.Category, index int) candidate.Material {
	t.Helper()
	m, ok, err := d.Load(t.Context(), candidate.ID{Category: c, Index: index})
	if !ok || err != nil {
		t.Fatalf("%s-%d: %v, %v", c, index, ok, err)
	}
	return m
}

// Candidates follow from seed and name alone, in any order of asking; another seed draws others.
func TestSameSeedSameMaterial(t *testing.T) {
	for _, c := range []candidate.Category{"single-table", "single-sections", "retrieval", "comprehensive-text"} {
		first, second, other := open(t, 1), open(t, 1), open(t, 2)
		differ := false
		for i := range 30 {
			m := load(t, first, c, 29-i)
			if diff := cmp.Diff(m, load(t, second, c, 29-i)); diff != "" {
				t.Errorf("%s-%d (-first +second):\n%s", c, 29-i, diff)
			}
			differ = differ || !cmp.Equal(m, load(t, other, c, 29-i))
		}
		if !differ {
			t.Errorf("%s: two seeds draw the same", c)
		}
	}
}

// All papers take turns, every element comes before one comes again, and the round counts.
func TestTurns(t *testing.T) {
	d := open(t, 3)
	papers, elements := make(map[string]int), make(map[string][]int)
	for i := range 25 {
		m := load(t, d, "single-table", i)
		papers[m.Paper.ID]++
		elements[m.Parts[0].ID] = append(elements[m.Parts[0].ID], m.Round)
	}
	for id, n := range papers {
		if n != 5 {
			t.Errorf("paper %s has %d of 25 candidates", id, n)
		}
	}
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4}, elements["table-0-0"]); diff != "" {
		t.Errorf("rounds of the only table of a paper (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0}, elements["table-4-3"]); diff != "" {
		t.Errorf("rounds of one of five tables (-want +got):\n%s", diff)
	}
}

// A pair has two different sections of one paper; each pair comes once before any comes again.
func TestPairs(t *testing.T) {
	d := open(t, 4)
	seen := make(map[string]int)
	for i := range 4 * 10 {
		m := load(t, d, "single-sections", i)
		if len(m.Parts) != 2 || m.Parts[0].Page >= m.Parts[1].Page {
			t.Fatalf("parts %+v", m.Parts)
		}
		seen[m.Paper.ID+m.Parts[0].ID+m.Parts[1].ID]++
	}
	// Papers 1 to 4 have 1, 3, 6 and 10 pairs, and each paper comes ten times.
	if len(seen) != 1+3+6+10 {
		t.Errorf("%d pairs", len(seen))
	}
}

func TestMaterial(t *testing.T) {
	d := open(t, 5)
	m := load(t, d, "single-table", 0)
	want := candidate.Part{ID: m.Parts[0].ID, Kind: "table", Title: "caption", Text: "<td>", Page: 7, Box: []int{1, 2, 3, 4}}
	if diff := cmp.Diff(want, m.Parts[0]); diff != "" || m.Paper.VenueYear != "acl2023" {
		t.Errorf("venue %q; part (-want +got):\n%s", m.Paper.VenueYear, diff)
	}
	if text := load(t, d, "single-metadata", 0).Parts[0].Text; !strings.Contains(text, "Number of pages: 3\n") || strings.Contains(text, "Volume") {
		t.Errorf("metadata:\n%s", text)
	}
	if d.Has("single-formula") || !d.Has("comprehensive-metadata") {
		t.Error("elements that are not there, or not those that are")
	}
	if _, ok, err := d.Load(t.Context(), candidate.ID{Category: "single-image"}); ok || err != nil {
		t.Errorf("a figure without figures: %v, %v", ok, err)
	}
	// Paper 0 has no abstract, so it cannot be described.
	for i := range 8 {
		if id := load(t, d, "retrieval", i).Paper.ID; id == name("paper", 0, 0) {
			t.Error("a question for a paper without an abstract")
		}
	}
}
