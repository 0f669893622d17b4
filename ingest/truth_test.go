package ingest_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/env/pdf"
	"airqa/fixtures"
	"airqa/ingest"
	"airqa/internal/testkit/fixturetest"
)

// pool is shared by the tests of this package: starting PDFium takes 0.1 seconds with a warm cache and many seconds
// without.
var pool *pdf.Pool

func TestMain(m *testing.M) {
	var err error
	if pool, err = pdf.NewPool(pdf.Config{}); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = pool.Close()
	os.Exit(code)
}

func reader(t *testing.T) *ingest.Reader {
	t.Helper()
	r, err := ingest.NewReader(pool)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readFixture ingests a sample paper, by default without its metadata.
func readFixture(t *testing.T, slug string, withMetadata bool) paperdb.Paper {
	t.Helper()
	dir := t.TempDir()
	for _, suffix := range []string{".pdf", ".json"} {
		if suffix == ".json" && !withMetadata {
			continue
		}
		data, err := fs.ReadFile(fixtures.Papers(), slug+suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, slug+suffix), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source, err := ingest.Open(filepath.Join(dir, slug+".pdf"))
	if err != nil {
		t.Fatal(err)
	}
	read, err := reader(t).Read(context.Background(), source)
	if err != nil {
		t.Fatal(err)
	}
	return read.Paper
}

// entry is a part of a paper with its page, reduced to properties that do not depend on the print.
type entry struct {
	Text string
	Page int
}

func TestSamplePapersAreReadAsLaTeXMadeThem(t *testing.T) {
	for _, slug := range fixturetest.Slugs() {
		t.Run(slug, func(t *testing.T) {
			t.Parallel()
			want, err := fixturetest.Truth(slug)
			if err != nil {
				t.Fatal(err)
			}
			got := readFixture(t, slug, false)
			checkFront(t, got, want)
			checkParts(t, got, want)
			checkBoxes(t, "figure", imageBoxes(got), want.Figures)
			checkBoxes(t, "table", tableBoxes(got), want.Tables)
			if len(got.File.Problems) > 0 {
				t.Errorf("problems: %q", got.File.Problems)
			}
		})
	}
}

func checkFront(t *testing.T, got paperdb.Paper, want fixturetest.Paper) {
	t.Helper()
	if diff := cmp.Diff(plain(want.Title), plain(got.Metadata.Title)); diff != "" {
		t.Errorf("title (-want +got):\n%s", diff)
	}
	if ratio := likeness(want.Abstract, got.Metadata.Abstract); ratio < 0.95 {
		t.Errorf("abstract is %.3f like the true one:\nwant %s\ngot  %s", ratio, want.Abstract, got.Metadata.Abstract)
	}
	if got.Metadata.NumPages != want.NumPages || len(got.Pages) != want.NumPages {
		t.Errorf("pages: got %d and %d, want %d", got.Metadata.NumPages, len(got.Pages), want.NumPages)
	}
}

func checkParts(t *testing.T, got paperdb.Paper, want fixturetest.Paper) {
	t.Helper()
	if diff := cmp.Diff(trueSections(want), readSections(got)); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(trueFloats(want.Figures), readImages(got)); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(trueFloats(want.Tables), readTables(got)); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(trueReferences(want), readReferences(got)); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	var wantPages, gotPages []string
	for _, e := range want.Equations {
		wantPages = append(wantPages, pageID(got, e.Page))
	}
	for _, e := range got.Equations {
		gotPages = append(gotPages, e.PageID)
	}
	if diff := cmp.Diff(wantPages, gotPages); diff != "" {
		t.Errorf("pages of equations (-want +got):\n%s", diff)
	}
}

// checkBoxes requires boxes to share two thirds of their area with the true ones.
func checkBoxes(t *testing.T, kind string, got [][4]int, want []fixturetest.Float) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if share := intersectionOverUnion(got[i], want[i].Box); share < 0.66 {
			t.Errorf("%s %s: box %v shares %.2f with the true one %v", kind, want[i].Number, got[i], share, want[i].Box)
		}
	}
}

func intersectionOverUnion(a [4]int, b [4]float64) float64 {
	x0, y0, w, h := float64(a[0]), float64(a[1]), float64(a[2]), float64(a[3])
	width := min(x0+w, b[0]+b[2]) - max(x0, b[0])
	height := min(y0+h, b[1]+b[3]) - max(y0, b[1])
	if width <= 0 || height <= 0 {
		return 0
	}
	both := width * height
	return both / (w*h + b[2]*b[3] - both)
}

func imageBoxes(p paperdb.Paper) (out [][4]int) {
	for _, f := range p.Images {
		out = append(out, f.Box)
	}
	return out
}

func tableBoxes(p paperdb.Paper) (out [][4]int) {
	for _, f := range p.Tables {
		out = append(out, f.Box)
	}
	return out
}

func trueSections(p fixturetest.Paper) (out []entry) {
	for _, s := range p.Sections {
		out = append(out, entry{plain(s.Number + s.Title), s.Page})
	}
	return out
}

func readSections(p paperdb.Paper) (out []entry) {
	for _, s := range p.Sections {
		out = append(out, entry{plain(s.Title), s.PageNumbers[0]})
	}
	return out
}

func trueFloats(floats []fixturetest.Float) (out []entry) {
	for _, f := range floats {
		out = append(out, entry{plain(f.Number + f.Caption), f.Page})
	}
	return out
}

func readImages(p paperdb.Paper) (out []entry) {
	for _, f := range p.Images {
		out = append(out, entry{unlabelled(f.Caption), pageNumber(p, f.PageID)})
	}
	return out
}

func readTables(p paperdb.Paper) (out []entry) {
	for _, f := range p.Tables {
		out = append(out, entry{unlabelled(f.Caption), pageNumber(p, f.PageID)})
	}
	return out
}

// unlabelled removes the word before a caption's number.
func unlabelled(caption string) string {
	_, rest, _ := strings.Cut(caption, " ")
	return plain(rest)
}

func trueReferences(p fixturetest.Paper) (out []entry) {
	for _, r := range p.References {
		text := plain(r.Text)
		if strings.HasPrefix(r.Label, "[") {
			text = plain(r.Label) + text
		}
		out = append(out, entry{text, r.Page})
	}
	return out
}

func readReferences(p paperdb.Paper) (out []entry) {
	for _, r := range p.References {
		out = append(out, entry{plain(r.Content), pageNumber(p, r.PageID)})
	}
	return out
}

func pageID(p paperdb.Paper, n int) string {
	if n < 1 || n > len(p.Pages) {
		return ""
	}
	return p.Pages[n-1].ID
}

func pageNumber(p paperdb.Paper, id string) int {
	for _, page := range p.Pages {
		if page.ID == id {
			return page.Number
		}
	}
	return 0
}

// plain keeps letters and digits in lower case, because styles change case and line ends remove hyphens.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// likeness is the fraction of words that two texts have in common, in order: twice the longest common subsequence over
// the sum of lengths.
func likeness(a, b string) float64 {
	x, y := strings.Fields(a), strings.Fields(b)
	best := make([]int, len(y)+1)
	for _, w := range x {
		diagonal := 0
		for j, v := range y {
			above := best[j+1]
			if w == v {
				best[j+1] = diagonal + 1
			} else {
				best[j+1] = max(best[j+1], best[j])
			}
			diagonal = above
		}
	}
	return 2 * float64(best[len(y)]) / float64(max(1, len(x)+len(y)))
}
