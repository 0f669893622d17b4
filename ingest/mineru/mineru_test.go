package mineru_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/ingest/mineru"
)

func samples(t *testing.T) *mineru.Folder {
	t.Helper()
	f, err := mineru.Open("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func parse(t *testing.T, id string) mineru.Paper {
	t.Helper()
	o, ok := samples(t).Find(id)
	if !ok {
		t.Fatalf("no output for %s", id)
	}
	return o.Parse()
}

func TestParse(t *testing.T) {
	want := mineru.Paper{
		Pages: map[int]mineru.Page{1: {Width: 612, Height: 792}, 2: {Width: 612, Height: 792}},
		Figures: []mineru.Float{
			{Page: 1, Caption: "Figure 1: Seeds carried $x > 0$ metres by wind.", Box: mineru.Box{72.4, 100, 300.2, 300}},
		},
		Tables: []mineru.Float{
			{
				Page: 2, Caption: "Table 1: Distance by height. Means of five plots.", Box: mineru.Box{101, 140, 499.5, 240},
				HTML: "<table><tr><td>1 m</td><td>4.2</td></tr></table>",
			},
			{Page: 2, Caption: "Table 2: Lost."},
		},
		Equations: []mineru.Equation{{Page: 1, LaTeX: "$$\nv = \\sqrt { 2 g h }\n$$"}, {Page: 2, LaTeX: "$$\na = b\n$$"}},
		Floats:    true, Formulas: true,
		Problems: []string{"MinerU: a table on page 2 has no box"},
	}
	if diff := cmp.Diff(want, parse(t, "whole")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The files conform to the schema of docvortex 0.6.4, which MinerU 4.0.12 uses.
func TestParseMinerU4(t *testing.T) {
	want := mineru.Paper{
		Pages: map[int]mineru.Page{1: {Width: 1000, Height: 1000}, 2: {Width: 1000, Height: 1000}},
		Figures: []mineru.Float{
			{Page: 1, Caption: "Figure 1: Seeds carried $x > 0$ metres by wind.", Box: mineru.Box{100, 125, 500, 375}},
			{Page: 2, Caption: "Figure 2: A chart.", Box: mineru.Box{100, 600, 900, 900}},
		},
		Tables: []mineru.Float{{
			Page: 2, Caption: "Table 1: Distance by height. Means of five plots.", Box: mineru.Box{200, 250, 800, 500},
			HTML: "<table><tr><td>1 m</td><td>4.2</td></tr></table>",
		}},
		Equations: []mineru.Equation{{Page: 1, LaTeX: "$$\nv = \\sqrt { 2 g h }\n$$"}},
		Floats:    true, Formulas: true,
	}
	for _, id := range []string{"four", "named"} { // the SDK's name in a folder, and that of mineru-kit
		if diff := cmp.Diff(want, parse(t, id)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
	}
}

func TestAFolderWithoutOutputIsAnError(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "paper.json"), `{"title": "metadata"}`)
	write(t, filepath.Join(dir, "paper.md"), "text")
	if _, err := mineru.Open(dir); err == nil || !strings.Contains(err.Error(), "no MinerU output in "+dir) {
		t.Errorf("got %v", err)
	}
}

func TestParseParts(t *testing.T) {
	tests := []struct {
		id   string
		want mineru.Paper
	}{
		{"flat", mineru.Paper{
			Pages: map[int]mineru.Page{3: {Width: 400, Height: 500}}, Floats: true, Formulas: true,
			Equations: []mineru.Equation{{Page: 3, LaTeX: "$$\ne = 1\n$$"}},
			Problems:  []string{"MinerU: content_list.json is missing: equations come from middle.json instead"},
		}},
		{"unmerged", mineru.Paper{
			Floats: true, Formulas: true, Figures: []mineru.Float{{Page: 1, Caption: "Figure 9.", Box: mineru.Box{1, 2, 3, 4}}},
		}},
		{"contentonly", mineru.Paper{
			Formulas: true, Equations: []mineru.Equation{{Page: 5, LaTeX: "$$\nx\n$$"}},
			Problems: []string{"MinerU: middle.json is missing: figures and tables come from the PDF instead"},
		}},
		{"boxes", mineru.Paper{
			Pages: map[int]mineru.Page{2: {Width: 1000, Height: 1000}, 3: {Width: 1000, Height: 1000}}, Floats: true, Formulas: true,
			Tables: []mineru.Float{{
				Page: 2, Caption: "Table 1: Heights. In metres.", Box: mineru.Box{100, 200, 500, 400}, HTML: "<table><tr><td>4.2</td></tr></table>",
			}},
			Figures: []mineru.Float{
				{Page: 2, Caption: "Figure 1: Seeds.", Box: mineru.Box{80, 500, 900, 700}}, {Page: 3, Caption: "Figure 2: A chart."},
			},
			Equations: []mineru.Equation{{Page: 3, LaTeX: "$$\nx = 1\n$$"}},
			Problems:  []string{"MinerU: a chart on page 3 has no box"},
		}},
		{"notlist", mineru.Paper{Problems: []string{
			"MinerU: middle.json has no pages",
			"MinerU: middle.json is missing: figures and tables come from the PDF instead",
		}}},
		{"twice", mineru.Paper{
			Floats: true, Formulas: true, Problems: []string{"MinerU: 2 outputs for twice; using the one in twice/auto"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parse(t, strings.ToUpper(tt.id)), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBrokenFilesAreProblems(t *testing.T) {
	p := parse(t, "broken")
	if p.Floats || p.Formulas || len(p.Problems) != 3 {
		t.Fatalf("got %+v", p)
	}
	for i, want := range []string{"middle.json is invalid: unexpected end", "content_list.json is invalid: ", "middle.json is missing"} {
		if !strings.Contains(p.Problems[i], want) {
			t.Errorf("problem %d is %q, want %q", i, p.Problems[i], want)
		}
	}
}

func TestFind(t *testing.T) {
	f := samples(t)
	if got := f.Papers(); got != 10 {
		t.Errorf("%d papers", got)
	}
	if _, ok := f.Find("", "nothing"); ok {
		t.Error("found what is not there")
	}
	if _, ok := f.Find("nothing", "whole"); !ok {
		t.Error("the second name does not count")
	}
	if _, err := mineru.Open(filepath.Join("testdata", "nowhere")); !os.IsNotExist(unwrap(err)) {
		t.Errorf("got %v", err)
	}
}

func unwrap(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return err
}

func TestHashFollowsContent(t *testing.T) {
	f := samples(t)
	seen := map[string]string{}
	for _, id := range []string{"whole", "flat", "broken", "unmerged", "contentonly"} {
		o, _ := f.Find(id)
		if other := seen[o.Hash()]; other != "" {
			t.Errorf("%s has the hash of %s", id, other)
		}
		seen[o.Hash()] = id
	}
}

// A file becomes unreadable or disappears after the folder was listed.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x_middle.json"), "{}")
	f, err := mineru.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	o, ok := f.Find("x")
	if p := o.Parse(); !ok || len(p.Problems) == 0 || strings.Contains(strings.Join(p.Problems, " "), dir) {
		t.Errorf("got %v, %q", ok, p.Problems)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func FuzzParse(f *testing.F) {
	for _, id := range []string{"whole", "broken", "flat", "four"} {
		names, _ := filepath.Glob(filepath.Join("testdata", id, "*", "*.json"))
		more, _ := filepath.Glob(filepath.Join("testdata", id, "*.json"))
		for _, name := range append(names, more...) {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, data)
		}
	}
	f.Fuzz(func(t *testing.T, middle, content []byte) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a_middle.json"), string(middle))
		write(t, filepath.Join(dir, "a_content_list.json"), string(content))
		folder, err := mineru.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		o, _ := folder.Find("a")
		for _, table := range o.Parse().Tables {
			if b := table.Box; b != (mineru.Box{}) && (b[2] <= b[0] || b[3] <= b[1]) {
				t.Errorf("box %v", b)
			}
		}
	})
}
