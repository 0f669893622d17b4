package ingest_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/paperdb"
	"airqa/fixtures"
	"airqa/ingest"
	"airqa/ingest/mineru"
	"airqa/ingest/sources"
	"airqa/internal/testkit"
	"airqa/internal/testkit/fixturetest"
	"airqa/qa"
)

// middle is an output for a paper whose first page is twice as large as MinerU's. Its last table is on a page that does
// not exist.
const middle = `{"pdf_info": [
  {"page_idx": 0, "page_size": [306, 396], "para_blocks": [
    {"type": "image", "blocks": [
      {"type": "image_body", "bbox": [50, 60, 150.2, 900]},
      {"type": "image_caption", "lines": [{"spans": [{"type": "text", "content": "Figure 1: As MinerU read it."}]}]}]},
    {"type": "table", "blocks": [
      {"type": "table_body", "bbox": [10, 20, 30, 40], "lines": [{"spans": [{"type": "table", "html": "<table>1</table>"}]}]},
      {"type": "table_caption", "lines": [{"spans": [{"type": "text", "content": "Table 1: Theirs."}]}]}]}]},
  {"page_idx": 98, "page_size": [612, 792], "para_blocks": [{"type": "table", "bbox": [1, 1, 2, 2]}]}
]}`

const content = `[{"type": "equation", "text": "$$ x $$", "page_idx": 1}]`

// outputs makes a MinerU folder with one output.
func outputs(t *testing.T, name, middle, content string) *mineru.Folder {
	t.Helper()
	dir := t.TempDir()
	auto := filepath.Join(dir, name, "auto")
	must(t, os.MkdirAll(auto, 0o755))
	put(t, auto, name+"_middle.json", []byte(middle))
	put(t, auto, name+"_content_list.json", []byte(content))
	f, err := mineru.Open(dir)
	must(t, err)
	return f
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bare copies the PDF of a sample paper, without its metadata, into a folder.
func bare(t *testing.T, slug, name string) string {
	t.Helper()
	data, err := fs.ReadFile(fixtures.Papers(), slug+".pdf")
	must(t, err)
	return put(t, t.TempDir(), name+".pdf", data)
}

func readWith(t *testing.T, extras ingest.Extras, path string) paperdb.Paper {
	t.Helper()
	source, err := extras.Open(path)
	must(t, err)
	read, err := reader(t).Read(t.Context(), source)
	must(t, err)
	return read.Paper
}

func TestMinerUTakesThePlaceOfFiguresTablesAndEquations(t *testing.T) {
	testkit.OneGoroutine(t)
	path := bare(t, "lumenparse", "lumen")
	own := readWith(t, ingest.Extras{}, path)
	p := readWith(t, ingest.Extras{MinerU: outputs(t, "lumen", middle, content)}, path)
	paper := p.Metadata.PaperID
	page := qa.PageUUID(paper, 1)
	want := own
	// The box of 306 x 396 is scaled to 612 x 792 and clipped to the page.
	want.Images = []paperdb.Image{{ID: qa.PartUUID(paper, 1, "image", 1), Caption: "Figure 1: As MinerU read it.", Box: [4]int{100, 120, 201, 672}, PageID: page}}
	want.Tables = []paperdb.Table{{ID: qa.PartUUID(paper, 1, "table", 1), Caption: "Table 1: Theirs.", Content: "<table>1</table>", Box: [4]int{20, 40, 40, 40}, PageID: page}}
	want.Equations = []paperdb.Equation{{ID: qa.PartUUID(paper, 2, "equation", 1), Content: "$$ x $$", PageID: qa.PageUUID(paper, 2)}}
	want.File.Problems = slices.Insert(slices.Clone(own.File.Problems), 0, fmt.Sprintf("MinerU: a table on page 99, but the PDF has %d pages", len(own.Pages)))
	if !strings.HasPrefix(p.File.Parser, ingest.Parser+"+mineru-") {
		t.Errorf("parser %q", p.File.Parser)
	}
	want.File.Parser = p.File.Parser
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMinerUWithoutCellsKeepsOurs(t *testing.T) {
	path := bare(t, "lumenparse", "lumen")
	own := readWith(t, ingest.Extras{}, path)
	i := slices.IndexFunc(own.Tables, func(x paperdb.Table) bool { return x.Content != "" })
	if i < 0 {
		t.Fatal("the sample has no table with cells")
	}
	number := slices.IndexFunc(own.Pages, func(x paperdb.Page) bool { return x.ID == own.Tables[i].PageID })
	b := own.Tables[i].Box
	text := fmt.Sprintf(`{"pdf_info": [{"page_idx": %d, "para_blocks": [{"type": "table", "bbox": [%d, %d, %d, %d]}]}]}`,
		number, b[0]+2, b[1], b[0]+b[2], b[1]+b[3]+4)
	p := readWith(t, ingest.Extras{MinerU: outputs(t, "LUMEN", text, "[]")}, path)
	if len(p.Tables) != 1 || p.Tables[0].Content != own.Tables[i].Content || len(p.Images) != 0 || len(p.Equations) != 0 {
		t.Errorf("got %+v", p.Tables)
	}
}

func TestBrokenMinerUFilesKeepWhatWasFound(t *testing.T) {
	testkit.OneGoroutine(t)
	path := bare(t, "lumenparse", "lumen")
	own := readWith(t, ingest.Extras{}, path)
	p := readWith(t, ingest.Extras{MinerU: outputs(t, "lumen", "{", "[")}, path)
	if len(p.File.Problems) != len(own.File.Problems)+3 {
		t.Errorf("problems %q", p.File.Problems)
	}
	p.File = own.File
	if diff := cmp.Diff(own, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	none := readWith(t, ingest.Extras{MinerU: outputs(t, "other", middle, content)}, path)
	if !slices.Contains(none.File.Problems, "MinerU: no output for this paper") {
		t.Errorf("problems %q", none.File.Problems)
	}
}

func TestMinerUByTheUUIDOfThePaper(t *testing.T) {
	testkit.OneGoroutine(t)
	path := bare(t, "lumenparse", "lumen")
	id := readWith(t, ingest.Extras{}, path).Metadata.PaperID
	p := readWith(t, ingest.Extras{MinerU: outputs(t, id, middle, content)}, path)
	if len(p.Tables) != 1 || p.File.Parser != ingest.Parser+"+mineru" {
		t.Errorf("%d tables by %s", len(p.Tables), p.File.Parser)
	}
}

// collection makes a folder with the records of all sample papers, named by their UUIDs.
func collection(t *testing.T) (dir string, bySlug map[string]sources.Metadata) {
	t.Helper()
	dir, bySlug = t.TempDir(), map[string]sources.Metadata{}
	for _, slug := range fixturetest.Slugs() {
		data, err := fs.ReadFile(fixtures.Papers(), slug+".json")
		must(t, err)
		var m sources.Metadata
		must(t, json.Unmarshal(data, &m))
		put(t, dir, m.UUID+".json", data)
		bySlug[slug] = m
	}
	return dir, bySlug
}

func openRecords(t *testing.T, dir string) *sources.Records {
	t.Helper()
	f, err := sources.OpenRecords(dir)
	must(t, err)
	return f
}

func TestMetadataOfAFolder(t *testing.T) {
	testkit.OneGoroutine(t)
	dir, bySlug := collection(t)
	want := bySlug["tallow"]
	put(t, dir, qa.PaperUUID("broken", "")+".json", []byte(`{"title"`))
	extras := ingest.Extras{Records: openRecords(t, dir)}
	for _, name := range []string{want.UUID, "some-download"} {
		p := readWith(t, extras, bare(t, "tallow", name))
		got := []any{p.Metadata.PaperID, p.Metadata.Conference, p.Metadata.Year, p.Metadata.Authors}
		if diff := cmp.Diff([]any{want.UUID, want.Conference, want.Year, want.Authors}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	// A file named after a broken record fails; the metadata next to the PDF takes precedence.
	broken := bare(t, "tallow", qa.PaperUUID("broken", ""))
	if _, err := extras.Open(broken); err == nil || !strings.Contains(err.Error(), "byte 8") {
		t.Errorf("got %v", err)
	}
	put(t, filepath.Dir(broken), strings.TrimSuffix(filepath.Base(broken), ".pdf")+".json", []byte(`{"title": "Mine"}`))
	if p := readWith(t, extras, broken); p.Metadata.Title != "Mine" {
		t.Errorf("title %q", p.Metadata.Title)
	}
}

func TestNoRecordHasTheTitle(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.json", []byte(`{"title": "On Bridges"}`))
	p := readWith(t, ingest.Extras{Records: openRecords(t, dir)}, bare(t, "tallow", "x"))
	if !slices.Contains(p.File.Problems, "metadata: no record with this title") {
		t.Errorf("problems %q", p.File.Problems)
	}
}

func TestRunSkipsWhatIsInWithTheSameExtras(t *testing.T) {
	testkit.OneGoroutine(t)
	dir, _ := collection(t)
	path := bare(t, "tallow", "x")
	store := newMemory()
	run := func(extras ingest.Extras) ingest.Summary {
		sum, err := ingest.Run(t.Context(), ingest.Config{Reader: reader(t), Store: store, Extras: extras}, []string{path})
		must(t, err)
		return sum
	}
	extras := ingest.Extras{Records: openRecords(t, dir), MinerU: outputs(t, "x", middle, content)}
	if sum := run(extras); sum.Added != 1 {
		t.Errorf("first: %+v", sum)
	}
	if sum := run(extras); sum.Skipped != 1 {
		t.Errorf("the same again: %+v", sum)
	}
	put(t, dir, "new.json", []byte("{}"))
	extras.Records = openRecords(t, dir)
	if sum := run(extras); sum.Added != 1 {
		t.Errorf("another record: %+v", sum)
	}
	extras.MinerU = outputs(t, "x", middle, "[]")
	if sum := run(extras); sum.Added != 1 {
		t.Errorf("another output: %+v", sum)
	}
}
