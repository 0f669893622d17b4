package paperdb_test

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/env/paperdb"
	"airqa/qa"
)

// publish makes a database from statements, as a third party would.
func publish(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ai_research.duckdb")
	db, err := sql.Open("duckdb", path)
	check(t, err)
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	check(t, db.Close())
	return path
}

// published is the schema with text ids and without the columns filled by language models, plus an additional table.
func published() []string {
	const ids = "ordinal INTEGER, ref_paper_id VARCHAR, ref_page_id VARCHAR"
	return []string{
		`CREATE TABLE metadata (title VARCHAR, paper_id VARCHAR PRIMARY KEY, abstract VARCHAR, num_pages BIGINT, conference_full VARCHAR,
			conference_abbreviation VARCHAR, pub_year INTEGER, volume VARCHAR, download_url VARCHAR, bibtex VARCHAR, authors VARCHAR[], pdf_path VARCHAR)`,
		"CREATE TABLE pages (page_id VARCHAR, page_number INTEGER, page_width INTEGER, page_height INTEGER, page_content VARCHAR, ref_paper_id VARCHAR)",
		"CREATE TABLE images (image_id VARCHAR, image_caption VARCHAR, image_summary VARCHAR, bounding_box INTEGER[4], " + ids + ")",
		"CREATE TABLE chunks (chunk_id VARCHAR, text_content VARCHAR, " + ids + ")",
		"CREATE TABLE tables (table_id VARCHAR, table_caption VARCHAR, table_content VARCHAR, bounding_box INTEGER[4], " + ids + ")",
		"CREATE TABLE sections (section_id VARCHAR, section_title VARCHAR, section_content VARCHAR, ordinal INTEGER, page_numbers INTEGER[], ref_paper_id VARCHAR)",
		"CREATE TABLE equations (equation_id VARCHAR, equation_content VARCHAR, " + ids + ")",
		"CREATE TABLE reference (reference_id VARCHAR, reference_content VARCHAR, " + ids + ")",
		"CREATE TABLE notes (note VARCHAR)",
	}
}

// onePaper fills published tables with a paper, a page, and one table for each of boxes.
func onePaper(title string, boxes ...string) []string {
	id := qa.PaperUUID(title, "")
	page := qa.PageUUID(id, 1)
	out := []string{
		fmt.Sprintf("INSERT INTO metadata VALUES ('%s', '%s', NULL, 1, 'Meeting', 'ACL', 2023, 'None', NULL, '@misc{x}', ['Ada', 'Müller, K.'], 'papers/x.pdf')", title, strings.ToUpper(id)),
		fmt.Sprintf("INSERT INTO pages VALUES ('%s', 1, 612, 792, 'text', '%s')", page, strings.ToUpper(id)),
	}
	for i, box := range boxes {
		out = append(out, fmt.Sprintf("INSERT INTO tables VALUES ('%s', 'Table', '<table></table>', %s, %d, '%s', '%s')",
			qa.PartUUID(id, 1, "table", i+1), box, i, strings.ToUpper(id), strings.ToUpper(page)))
	}
	return out
}

func openReleased(t *testing.T, path string) *paperdb.Released {
	t.Helper()
	r, err := paperdb.OpenReleased(t.Context(), path)
	check(t, err)
	t.Cleanup(func() { check(t, r.Close()) })
	return r
}

func all(t *testing.T, r *paperdb.Released) (papers []paperdb.Paper) {
	t.Helper()
	ids, err := r.IDs(t.Context())
	check(t, err)
	for _, id := range ids {
		p, err := r.Paper(t.Context(), id)
		check(t, err)
		papers = append(papers, p)
	}
	return papers
}

// Our own databases have the eight tables, too, and can be imported unchanged.
func TestReleasedReadsWhatWasPut(t *testing.T) {
	a := paper("attention")
	got := all(t, openReleased(t, library(t, a)))
	a.File = paperdb.File{}
	if diff := cmp.Diff([]paperdb.Paper{a}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReleasedWithTextIDs(t *testing.T) {
	id := qa.PaperUUID("old", "")
	page := qa.PageUUID(id, 1)
	statements := append(published(), onePaper("old")...)
	statements = append(statements,
		fmt.Sprintf("INSERT INTO sections VALUES ('%s', '1 One', 'text', 0, [1, 2], '%s')", qa.SectionUUID(id, 0), strings.ToUpper(id)),
		fmt.Sprintf("INSERT INTO chunks VALUES ('%s', 'text', 1, '%s', '%s')", qa.PartUUID(id, 1, "chunk", 1), strings.ToUpper(id), qa.PageUUID(id, 7)),
		fmt.Sprintf("INSERT INTO images VALUES ('%s', '', 'sum', [1, 2, 3, 4], 0, '%s', '%s')", qa.PartUUID(id, 1, "image", 1), strings.ToUpper(id), page),
	)
	want := paperdb.Paper{
		Metadata: paperdb.Metadata{
			PaperID: id, Title: "old", NumPages: 1, ConferenceFull: "Meeting", Conference: "ACL", Year: 2023, BibTeX: "@misc{x}",
			Authors: []string{"Ada", "Müller, K."}, PDFPath: "papers/x.pdf",
		},
		Pages:    []paperdb.Page{{ID: page, Number: 1, Width: 612, Height: 792, Content: "text"}},
		Sections: []paperdb.Section{{ID: qa.SectionUUID(id, 0), Title: "1 One", Content: "text", PageNumbers: []int{1, 2}}},
		Chunks:   []paperdb.Chunk{{ID: qa.PartUUID(id, 1, "chunk", 1), Text: "text", Ordinal: 1}},
		Images:   []paperdb.Image{{ID: qa.PartUUID(id, 1, "image", 1), Summary: "sum", Box: [4]int{1, 2, 3, 4}, PageID: page}},
		File:     paperdb.File{Problems: []string{"1 rows referred to a page that the paper does not have"}},
	}
	got := all(t, openReleased(t, publish(t, statements...)))
	if diff := cmp.Diff([]paperdb.Paper{want}, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	check(t, paperdb.Check(got[0]))
	put(t, filepath.Join(t.TempDir(), "papers.duckdb"), got[0])
}

func TestTableBoxesThatAreCorners(t *testing.T) {
	const small, large, size, broken = "[100, 100, 300, 200]", "[100, 500, 500, 700]", "[300, 500, 200, 100]", "NULL"
	corner, sized := [4]int{100, 100, 200, 100}, [4]int{100, 100, 300, 200}
	tests := []struct {
		name     string
		boxes    []string
		want     [][4]int
		problems int
	}{
		{"certain, so all are", []string{small, large, broken}, [][4]int{corner, {100, 500, 400, 200}, {}}, 1},
		{"no sign of corners", []string{small, broken}, [][4]int{sized, {}}, 0},
		{"sizes", []string{small, size}, [][4]int{sized, {300, 500, 200, 100}}, 0},
		{"both kinds", []string{small, large, size}, [][4]int{sized, {100, 500, 400, 200}, {300, 500, 200, 100}}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := all(t, openReleased(t, publish(t, append(published(), onePaper("x", tt.boxes...)...)...)))[0]
			var got [][4]int
			for _, table := range p.Tables {
				got = append(got, table.Box)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(p.File.Problems) != tt.problems {
				t.Errorf("problems %q", p.File.Problems)
			}
		})
	}
}

func TestReleasedErrors(t *testing.T) {
	file := func(data []byte) string {
		path := filepath.Join(t.TempDir(), "x.duckdb")
		check(t, os.WriteFile(path, data, 0o600))
		return path
	}
	view := append(published(), "DROP TABLE equations", "CREATE VIEW equations AS SELECT 1")
	lacking := append(published(), "DROP TABLE reference", "ALTER TABLE pages DROP page_width", "ALTER TABLE metadata DROP pub_year")
	whole, err := os.ReadFile(publish(t, published()...))
	check(t, err)
	tests := []struct{ name, path, want string }{
		{"missing", filepath.Join(t.TempDir(), "x.duckdb"), "file does not exist"},
		{"a PDF", file([]byte("%PDF-1.5 " + strings.Repeat("x", 9000))), "damaged or not a DuckDB database"},
		{"empty", file(nil), "x.duckdb"},
		{"cut", file(whole[:5000]), "x.duckdb"},
		{"newer", file(newer(whole)), "written by a newer DuckDB"},
		{"nothing in it", publish(t), "missing table metadata, table pages"},
		{"parts", publish(t, lacking...), "missing column metadata.pub_year, column pages.page_width, table reference"},
		{"a view", publish(t, view...), "missing table equations"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := paperdb.OpenReleased(t.Context(), tt.path)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// newer changes the header of a database file to a version that no engine writes yet.
func newer(file []byte) []byte {
	const header, version = 4096, 12
	file = append([]byte(nil), file...)
	binary.LittleEndian.PutUint64(file[version:], 9999)
	sum := uint64(5381)
	for i := 8; i < header; i += 8 {
		sum ^= binary.LittleEndian.Uint64(file[i:]) * 0xbf58476d1ce4e5b9
	}
	binary.LittleEndian.PutUint64(file, sum)
	return file
}

func TestReleasedUnknownPaper(t *testing.T) {
	r := openReleased(t, publish(t, published()...))
	if _, err := r.Paper(t.Context(), "no"); !errors.Is(err, paperdb.ErrNoPaper) {
		t.Errorf("got %v", err)
	}
}

func TestCheckAndRefused(t *testing.T) {
	bad, twice := paper("bad"), paper("twice")
	bad.Chunks[0].ID = "chunk-1"
	twice.Chunks[1].ID = twice.Chunks[0].ID
	for p, want := range map[*paperdb.Paper]string{&bad: "not a uuid", &twice: "table chunks: two rows with the id"} {
		if err := paperdb.Check(*p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	a, b := paper("a"), paper("b")
	b.Chunks[0].ID = a.Chunks[0].ID
	check(t, paperdb.Check(b))
	w, err := paperdb.OpenWriter(t.Context(), filepath.Join(t.TempDir(), "papers.duckdb"))
	check(t, err)
	check(t, w.Put(t.Context(), a))
	if err := w.Put(t.Context(), b); !paperdb.Refused(err) {
		t.Errorf("got %v", err)
	}
	check(t, w.Close())
	if err := w.Put(t.Context(), b); err == nil || paperdb.Refused(err) {
		t.Errorf("a closed database: %v", err)
	}
}
