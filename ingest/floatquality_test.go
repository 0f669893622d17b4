package ingest_test

import (
	"context"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"airqa/env/paperdb"
	"airqa/env/pdf"
	"airqa/ingest"
	"airqa/ingest/layout"
)

// TestTablesAndCaptionsOfRealPapers compares the tables and captions of the papers of the folder in AIRQA_TEST_PDFS with
// the characters that PDFium extracts: run it with -v. It fails if too few are found in all papers together.
func TestTablesAndCaptionsOfRealPapers(t *testing.T) {
	if os.Getenv("AIRQA_TEST_PDFS") == "" {
		t.Skip("set AIRQA_TEST_PDFS to a folder of PDFs")
	}
	var total floatQuality
	for _, path := range benchPapers(t) {
		q, err := measureFloats(path)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(path), err)
			continue
		}
		total = total.plus(q)
		t.Logf("%s: %s%s", filepath.Base(path), q, q.remarks)
	}
	t.Logf("all: %s", total)
	for what, ok := range map[string]bool{
		"captions": total.captions*100 >= 98*total.labels,
		"digits":   total.held*100 >= 95*total.digits,
		"cells":    total.empty*100 <= 3*total.tables,
	} {
		if !ok {
			t.Errorf("too few %s", what)
		}
	}
}

// floatQuality counts the labels of captions at the start of lines, those found, the digits in the boxes of tables and
// those in their cells.
type floatQuality struct {
	labels, captions, digits, held, tables, empty, flat int
	remarks                                             string
}

func (q floatQuality) plus(o floatQuality) floatQuality {
	q.labels, q.captions, q.digits, q.held = q.labels+o.labels, q.captions+o.captions, q.digits+o.digits, q.held+o.held
	q.tables, q.empty, q.flat = q.tables+o.tables, q.empty+o.empty, q.flat+o.flat
	return q
}

func (q floatQuality) String() string {
	return fmt.Sprintf("captions %d/%d, digits in cells %d/%d, %d tables (%d empty, %d one line high)",
		q.captions, q.labels, q.held, q.digits, q.tables, q.empty, q.flat)
}

// captionLine matches a line that is certainly a caption, in the languages of most papers.
var captionLine = regexp.MustCompile(`^(Figure|Fig\.|Table|TABLE|Abbildung|Tabelle|Figura|` +
	`Tabla|Tableau|Tabela|Obrázek|Tabulka|Рис\.|Таблица|图|表)\s*` +
	`([A-Z]?\.?\d+(\.\d+)*|[IVX]+)\s*[:|：]`)

func measureFloats(path string) (q floatQuality, err error) {
	source, err := ingest.Open(path)
	if err != nil {
		return q, err
	}
	x, _, err := readWithOutline(path)
	if err != nil {
		return q, err
	}
	doc, err := pool.Open(context.Background(), source.PDF)
	if err != nil {
		return q, err
	}
	defer func() { _ = doc.Close() }()
	p := x.Paper
	found := captionsOf(p)
	for n := 1; n <= doc.Pages(); n++ {
		glyphs, text, err := doc.GlyphsAndText(context.Background(), n)
		if err != nil {
			continue
		}
		for line := range strings.Lines(text) {
			if m := captionLine.FindString(strings.TrimSpace(line)); m != "" && !strings.Contains(line, ". . .") {
				q.labels++
				number, table, _ := layout.CaptionLabel(m)
				if slices.Contains(found, fmt.Sprint(number, table)) {
					q.captions++
				} else {
					q.remarks += fmt.Sprintf("\n    no caption, page %d: %.60s", n, line)
				}
			}
		}
		q.compareTables(p, n, glyphs)
	}
	return q, nil
}

// captionsOf returns the numbers of figures and tables.
func captionsOf(p paperdb.Paper) (out []string) {
	add := func(caption string) {
		number, table, _ := layout.CaptionLabel(caption)
		out = append(out, fmt.Sprint(number, table))
	}
	for _, f := range p.Images {
		add(f.Caption)
	}
	for _, f := range p.Tables {
		add(f.Caption)
	}
	return out
}

var htmlTag = regexp.MustCompile(`<[^>]*>`)

func (q *floatQuality) compareTables(p paperdb.Paper, page int, glyphs []pdf.Glyph) {
	const oneLine = 16
	for _, table := range p.Tables {
		if pageNumber(p, table.PageID) != page {
			continue
		}
		q.tables++
		if table.Content == "" {
			q.empty++
			q.remarks += fmt.Sprintf("\n    empty table, page %d: %.60s", page, table.Caption)
		}
		if table.Box[3] <= oneLine {
			q.flat++
		}
		left := map[rune]int{}
		for _, r := range html.UnescapeString(htmlTag.ReplaceAllString(table.Content, " ")) {
			left[r]++
		}
		inside := digitsIn(glyphs, table.Box)
		held := 0
		for _, r := range inside {
			if left[r]--; left[r] >= 0 {
				held++
			}
		}
		q.digits, q.held = q.digits+len(inside), q.held+held
		if held*100 < 95*len(inside) {
			q.remarks += fmt.Sprintf("\n    %d of %d digits, page %d: %.60s", held, len(inside), page, table.Caption)
		}
	}
}

// digitsIn returns the digits in a box. Extractors split numbers at exponents in different ways, but agree on digits.
func digitsIn(glyphs []pdf.Glyph, box [4]int) (out []rune) {
	for _, g := range glyphs {
		x, y := g.Box.Center()
		in := x >= float64(box[0]) && x <= float64(box[0]+box[2]) && y >= float64(box[1]) && y <= float64(box[1]+box[3])
		if in && g.Rune >= '0' && g.Rune <= '9' {
			out = append(out, g.Rune)
		}
	}
	return out
}
