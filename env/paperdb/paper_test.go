package paperdb_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"airqa/env/paperdb"
	"airqa/qa"
)

// paper makes a paper with two pages, two chunks per page, and one row in each other table.
func paper(title string) paperdb.Paper {
	id := qa.PaperUUID(title, "acl2023")
	p := paperdb.Paper{
		Metadata: paperdb.Metadata{
			PaperID: id, Title: title, Abstract: "About " + title, NumPages: 2, ConferenceFull: "Association for Computational Linguistics",
			Conference: "ACL", Year: 2023, Volume: "Long Papers", DownloadURL: "https://example.org/" + title, BibTeX: "@misc{x}",
			Authors: []string{"Ada", "Müller, K."}, PDFPath: "pdfs/" + id + ".pdf", TLDR: "short", Tags: []string{"a", "b"},
		},
		File: paperdb.File{SHA256: "sha " + title, MetadataSHA256: "meta", Name: title + ".pdf", Parser: "1", Problems: []string{"odd"}},
	}
	for n := 1; n <= 2; n++ {
		page := qa.PageUUID(id, n)
		p.Pages = append(p.Pages, paperdb.Page{ID: page, Number: n, Width: 612, Height: 792, Content: fmt.Sprint("page ", n), Summary: "s"})
		for k := 1; k <= 2; k++ {
			p.Chunks = append(p.Chunks, paperdb.Chunk{ID: qa.PartUUID(id, n, "chunk", k), Text: fmt.Sprintf("%s chunk %d of page %d", title, k, n), Ordinal: len(p.Chunks) + 1, PageID: page})
		}
	}
	page := p.Pages[0].ID
	p.Images = []paperdb.Image{{ID: qa.PartUUID(id, 1, "image", 1), Caption: "Figure 1", Box: [4]int{1, 2, 3, 4}, PageID: page}}
	p.Tables = []paperdb.Table{{ID: qa.PartUUID(id, 1, "table", 1), Caption: "Table 1", Content: "<table></table>", Box: [4]int{5, 6, 7, 8}, PageID: page}}
	p.Sections = []paperdb.Section{
		{ID: qa.SectionUUID(id, 0), Title: "1 Introduction", Content: "We", PageNumbers: []int{1, 2}},
		{ID: qa.SectionUUID(id, 1), Title: "2 Method", Content: "It", Summary: "sum", Ordinal: 1, PageNumbers: []int{2}},
	}
	p.Equations = []paperdb.Equation{{ID: qa.PartUUID(id, 1, "equation", 1), Content: "$$x$$", PageID: page}}
	p.References = []paperdb.Reference{{ID: qa.ReferenceUUID(id, 1), Content: "[1] A.", PageID: page}, {ID: qa.ReferenceUUID(id, 2), Content: "[2] B.", Ordinal: 1}}
	return p
}

// library makes a database of papers and returns its path.
func library(t *testing.T, papers ...paperdb.Paper) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "papers.duckdb")
	put(t, path, papers...)
	return path
}

func put(t *testing.T, path string, papers ...paperdb.Paper) {
	t.Helper()
	w, err := paperdb.OpenWriter(t.Context(), path)
	check(t, err)
	for _, p := range papers {
		check(t, w.Put(t.Context(), p))
	}
	check(t, w.Close())
}

func reader(t *testing.T, path string) *paperdb.Reader {
	t.Helper()
	r, err := paperdb.OpenReader(t.Context(), paperdb.Config{Path: path})
	check(t, err)
	t.Cleanup(func() { check(t, r.Close()) })
	return r
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
