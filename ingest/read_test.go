package ingest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"airqa/env/datadir"
	"airqa/env/paperdb"
	"airqa/ingest"
	"airqa/internal/testkit"
	"airqa/internal/testkit/fixturetest"
	"airqa/internal/tokens"
	"airqa/qa"
)

func TestMetadataBesideThePDF(t *testing.T) {
	p := readFixture(t, "anchorweave", true)
	if p.Metadata.Conference == "" || p.Metadata.Year == 0 || len(p.Metadata.Authors) == 0 || p.File.MetadataSHA256 == "" {
		t.Errorf("got %+v, %+v", p.Metadata, p.File)
	}
	if want := qa.PaperUUID(p.Metadata.Title, qa.VenueYear(p.Metadata.Conference, p.Metadata.Year)); p.Metadata.PaperID != want {
		t.Errorf("paper id %s, want %s", p.Metadata.PaperID, want)
	}
}

func TestIDsAndOrdinalsFollowTheRules(t *testing.T) {
	p := readFixture(t, "lumenparse", false)
	paper := p.Metadata.PaperID
	if p.Pages[1].ID != qa.PageUUID(paper, 2) || p.Sections[0].ID != qa.SectionUUID(paper, 0) || p.References[0].ID != qa.ReferenceUUID(paper, 1) {
		t.Error("ids of pages, sections or references")
	}
	if p.Chunks[0].Ordinal != 1 || p.Sections[0].Ordinal != 0 || p.Images[0].Ordinal != 0 || p.References[0].Ordinal != 0 {
		t.Error("ordinals: chunks count from 1, the others from 0")
	}
	// Table III is the first of page 3, figure 2 the first of page 2.
	if p.Tables[2].ID != qa.PartUUID(paper, 3, "table", 1) || p.Tables[2].Ordinal != 2 {
		t.Errorf("third table %+v", p.Tables[2])
	}
	if p.Images[1].ID != qa.PartUUID(paper, 2, "image", 1) {
		t.Errorf("second figure %+v", p.Images[1])
	}
	ids := map[string]bool{}
	for _, id := range allIDs(p) {
		if ids[id] {
			t.Errorf("%s comes twice", id)
		}
		ids[id] = true
	}
}

func allIDs(p paperdb.Paper) (ids []string) {
	for _, r := range p.Pages {
		ids = append(ids, r.ID)
	}
	for _, r := range p.Chunks {
		ids = append(ids, r.ID)
	}
	for _, r := range p.Sections {
		ids = append(ids, r.ID)
	}
	for _, r := range p.Images {
		ids = append(ids, r.ID)
	}
	for _, r := range p.Tables {
		ids = append(ids, r.ID)
	}
	for _, r := range p.Equations {
		ids = append(ids, r.ID)
	}
	for _, r := range p.References {
		ids = append(ids, r.ID)
	}
	return ids
}

func TestNothingOfAPageIsMissingFromItsChunks(t *testing.T) {
	testkit.OneGoroutine(t)
	for _, slug := range fixturetest.Slugs() {
		p := readFixture(t, slug, false)
		chunks := map[string]string{}
		for _, c := range p.Chunks {
			chunks[c.PageID] += plain(c.Text)
			if n := tokens.Count(c.Text); n > datadir.DefaultChunking().Size {
				t.Errorf("%s: chunk %d has %d tokens", slug, c.Ordinal, n)
			}
		}
		for _, page := range p.Pages {
			if plain(page.Content) != chunks[page.ID] {
				t.Errorf("%s page %d: the chunks differ from the page", slug, page.Number)
			}
		}
	}
}

func TestRowsOfTablesAndEntriesOfTheBibliographyStandAlone(t *testing.T) {
	p := readFixture(t, "lumenparse", false)
	chunks, pages := "", ""
	for _, c := range p.Chunks {
		chunks += c.Text + "\n"
	}
	for _, page := range p.Pages {
		pages += page.Content + "\n"
	}
	rows := "\nOne round of message passing 96.6 93.1 92.8 86.1 92.9\nNo edges to the next column 91.4 92.7 90.5 83.7 90.6\n"
	for name, text := range map[string]string{"chunks": chunks, "pages": pages} {
		if !strings.Contains(text, rows) {
			t.Errorf("%s: the rows of Table III do not stand alone", name)
		}
		for _, r := range p.References {
			if !strings.Contains(text, "\n"+r.Content+"\n") {
				t.Errorf("%s: no row is %q", name, r.Content)
			}
		}
	}
	if !strings.Contains(pages, "\nTABLE III\nABLATION ON THE INKWELL TEST PAGES") {
		t.Error("the caption of Table III does not stand alone")
	}
}

// scan is a paper with a page of text and a page with only a grey box. It has no cross-reference table, which readers
// reconstruct.
const scan = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R 6 0 R] /Count 2 /MediaBox [0 0 612 792] >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >> endobj
4 0 obj << /Length 58 >> stream
BT /F1 12 Tf 72 700 Td (A paper that has some text) Tj ET
endstream endobj
5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> endobj
6 0 obj << /Type /Page /Parent 2 0 R /Contents 7 0 R >> endobj
7 0 obj << /Length 29 >> stream
0.5 g 100 100 200 300 re f  
endstream endobj
trailer << /Root 1 0 R /Size 8 >>
%%EOF
`

func TestWhatIsMissingIsAProblemNotAnError(t *testing.T) {
	path := put(t, t.TempDir(), "scan.pdf", []byte(scan))
	put(t, filepath.Dir(path), "scan.json", []byte(`{"num_pages": 9}`))
	source, err := ingest.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	read, err := reader(t).Read(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	p := read.Paper
	for _, want := range []string{"page 2 has no text; is it a scan?", "no abstract found", "no references found", "metadata has 9 pages, the PDF has 2"} {
		if !slices.Contains(p.File.Problems, want) {
			t.Errorf("problems %q lack %q", p.File.Problems, want)
		}
	}
	if len(p.Pages) != 2 || !strings.Contains(p.Pages[0].Content, "A paper that has some text") || p.Pages[1].Content != "" {
		t.Errorf("pages %+v", p.Pages)
	}
}

// TestPapersOfAFolder reads all papers of the folder in AIRQA_TEST_PDFS, if it is set. Third-party papers cannot be
// part of the repository.
func TestPapersOfAFolder(t *testing.T) {
	dir := os.Getenv("AIRQA_TEST_PDFS")
	if dir == "" {
		t.Skip("AIRQA_TEST_PDFS names no folder of papers")
	}
	references := map[string]int{"attention.pdf": 40, "resnet.pdf": 50}
	figures := map[string]int{"attention.pdf": 5, "resnet.pdf": 7, "bert.pdf": 5, "1910.02054.pdf": 8, "cleangraph.pdf": 6, "ieee_main.pdf": 13}
	tables := map[string]int{"attention.pdf": 4, "resnet.pdf": 14, "bert.pdf": 8, "1910.02054.pdf": 10, "cleangraph.pdf": 1, "mineru_demo1.pdf": 5}
	paths, err := ingest.Find([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	store := newMemory()
	summary, err := ingest.Run(t.Context(), ingest.Config{Reader: reader(t), Store: store}, paths)
	if err != nil || len(summary.Failed) > 0 {
		t.Errorf("%+v, %v", summary, err)
	}
	for _, p := range store.papers {
		if want := references[p.File.Name]; want > 0 && len(p.References) != want {
			t.Errorf("%s: %d references, want %d", p.File.Name, len(p.References), want)
		}
		for _, c := range p.Chunks {
			if n := tokens.Count(c.Text); n > datadir.DefaultChunking().Size {
				t.Errorf("%s: chunk %d has %d tokens", p.File.Name, c.Ordinal, n)
			}
		}
		if want := figures[p.File.Name]; want > 0 && len(p.Images) != want {
			t.Errorf("%s: %d figures, want %d", p.File.Name, len(p.Images), want)
		}
		if want := tables[p.File.Name]; want > 0 && len(p.Tables) != want {
			t.Errorf("%s: %d tables, want %d", p.File.Name, len(p.Tables), want)
		}
		for _, table := range p.Tables {
			if table.Content == "" {
				t.Errorf("%s: no rows in %s", p.File.Name, table.Caption)
			}
		}
		if len(p.Sections) < 5 || p.Metadata.Abstract == "" {
			t.Errorf("%s: %d sections, abstract %q", p.File.Name, len(p.Sections), p.Metadata.Abstract)
		}
	}
}
