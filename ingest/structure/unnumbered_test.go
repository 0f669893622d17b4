package structure_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/pdf"
	"airqa/ingest/structure"
	"airqa/internal/testkit/layouttest"
)

func TestUnnumberedHeadingsWithTitlesOfTheirOwn(t *testing.T) {
	p1, p2 := layouttest.NewPage(), layouttest.NewPage()
	p1.Set(72, 60, 18, layouttest.Bold, "A Paper without Numbers")
	y := p1.Lines(72, 100, prose("summary", 5)...)
	y = head(p1, y+10, 12, layouttest.Bold, "Origins of Learning")
	y = head(p1, y, 10, layouttest.Bold, "Early machines")
	head(p1, y, 12, layouttest.Bold, "Lost in Space")
	y = head(p2, 80, 10, layouttest.Bold, "Later machines")
	head(p2, y, 12, layouttest.Bold, "Looking Ahead")
	got := headings(structure.Read(structure.Source{Doc: layouttest.Analyze(p1, p2)}))
	want := []found{
		{"Origins of Learning", 1, 1},
		{"Early machines", 2, 1},
		{"Lost in Space", 1, 1},
		{"Later machines", 2, 2},
		{"Looking Ahead", 1, 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

// A scan has one font: only the space around numbered headings tells them apart.
func TestNumberedHeadingsInTheFontOfTheText(t *testing.T) {
	for name, titles := range map[string][]string{
		"decimal":    {"1. Introduction", "2. Protocols", "3. Main Result", "4. Conclusion"},
		"recognised": {"I. Introduction", "2. Protocols", "3. Main Result", "4. Conclusion"},
		"sections":   {"§ 1. Definition der Gleichzeitigkeit", "§ 2. Über die Relativität", "§ 3. Theorie", "§ 4. Bedeutung"},
	} {
		p := layouttest.NewPage()
		y := p.Lines(72, 60, prose("summary", 4)...)
		for _, title := range titles {
			p.Set(72, y+14, 10, layouttest.Roman, title)
			y = p.Lines(72, y+30, prose("text", 8)...)
		}
		var got []string
		for _, s := range structure.Read(structure.Source{Doc: layouttest.Analyze(p)}).Sections {
			got = append(got, s.Heading)
		}
		if diff := cmp.Diff(titles, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// IEEE numbers subsections with letters; its outlines name the whole path.
func TestOutlinesWithThePathOfASection(t *testing.T) {
	p := layouttest.NewPage()
	y := head(p, 72, 12, layouttest.Bold, "II. Figures")
	y = head(p, y, 10, layouttest.Bold, "C. Notes")
	p.Set(72, y+6, 10, "Times-Italic", "1) Regular Notes:").Set(72+100, y+6, 10, layouttest.Roman, "they are at the bottom of the page and have")
	y = p.Lines(72, y+18, prose("text", 4)...)
	y = head(p, y+8, 12, layouttest.Bold, "III. Tables")
	head(p, y, 10, layouttest.Bold, "A. Ruled Tables")
	got := headings(structure.Read(structure.Source{Doc: layouttest.Analyze(p), Outline: []pdf.Heading{
		{Title: "II Figures", Level: 1, Page: 1},
		{Title: "II-C Notes", Level: 2, Page: 1},
		{Title: "II-C1 Regular Notes", Level: 3, Page: 1},
		{Title: "III Tables", Level: 1, Page: 1},
		{Title: "III-A Ruled Tables", Level: 2, Page: 1},
	}}))
	want := []found{
		{"II. Figures", 1, 1}, {"C. Notes", 2, 1}, {"1) Regular Notes", 3, 1}, {"III. Tables", 1, 1}, {"A. Ruled Tables", 2, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

// publications returns n entries of a bibliography in two lines each.
func publications(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%d. A. Author, A study of some matter that takes a line of print to name, in", i+1), fmt.Sprintf("the Journal of Matters, %d.", 1990+i))
	}
	return out
}

func TestABibliographyWithoutAHeading(t *testing.T) {
	first, p := layouttest.NewPage(), layouttest.NewPage()
	first.Lines(72, 60, prose("text", 40)...)
	y := head(p, 60, 12, layouttest.Bold, "Origins")
	y = head(p, y, 12, layouttest.Bold, "Results")
	y = head(p, y, 12, layouttest.Bold, "Outlook") + 20
	for _, line := range publications(10) {
		p.Set(72, y, 7, layouttest.Roman, line)
		y += 9
	}
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(first, p)})
	if len(got.References) != 10 || !strings.HasSuffix(got.References[9].Text, "1999.") {
		t.Errorf("%d references: %+v", len(got.References), got.References)
	}
	if last := got.Sections[len(got.Sections)-1]; strings.Contains(last.Text, "A. Author") {
		t.Errorf("the last section has the bibliography: %s", last.Text)
	}
}

func TestABibliographyUnderAPlainHeading(t *testing.T) {
	p := layouttest.NewPage()
	y := head(p, 60, 12, layouttest.Bold, "1 Introduction")
	y = head(p, y, 12, layouttest.Bold, "2 Method")
	y = head(p, y, 12, layouttest.Bold, "3 Results")
	p.Set(72, y+10, 10, layouttest.Roman, "References")
	p.Lines(72, y+30, publications(4)...)
	if got := structure.Read(structure.Source{Doc: layouttest.Analyze(p)}).References; len(got) != 4 {
		t.Errorf("%d references: %+v", len(got), got)
	}
}

func TestADividedBibliography(t *testing.T) {
	p := layouttest.NewPage()
	y := head(p, 60, 12, layouttest.Bold, "1 Introduction")
	p.Set(72, y, 12, layouttest.Bold, "References")
	y = p.Lines(72, y+18, publications(3)...)
	p.Set(72, y+12, 10, layouttest.Bold, "Primary studies")
	y = p.Lines(72, y+28, publications(4)...)
	head(p, y+8, 12, layouttest.Bold, "Appendix A")
	outline := []pdf.Heading{{Title: "1 Introduction", Level: 1, Page: 1}, {Title: "References", Level: 1, Page: 1}, {Title: "Primary studies", Level: 2, Page: 1}}
	if got := structure.Read(structure.Source{Doc: layouttest.Analyze(p), Outline: outline}).References; len(got) != 7 {
		t.Errorf("%d references: %+v", len(got), got)
	}
}

// A discussion after a paper, or a drawing among the entries, is no part of a reference.
func TestOtherTextIsNoReference(t *testing.T) {
	p1, p2 := layouttest.NewPage(), layouttest.NewPage()
	y := head(p1, 60, 12, layouttest.Bold, "1 Introduction")
	y = head(p1, y, 12, layouttest.Bold, "2 Method")
	p1.Set(72, y, 12, layouttest.Bold, "References")
	y += 18
	for _, line := range publications(8) {
		x := 72.0
		if strings.HasPrefix(line, "the") {
			x = 84
		}
		p1.Set(x, y, 8, layouttest.Roman, line[strings.Index(line, " ")+1:])
		y += 10
	}
	p2.Lines(72, 80, prose("discussion", 40)...)
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p1, p2)}).References
	if len(got) != 8 {
		t.Fatalf("%d references", len(got))
	}
	for _, r := range got {
		if len(r.Text) > 200 || strings.Contains(r.Text, "discussion") {
			t.Errorf("%s", r.Text)
		}
	}
}

func TestADrawingEndsAnEntry(t *testing.T) {
	p1, p2 := layouttest.NewPage(), layouttest.NewPage()
	y := head(p1, 60, 12, layouttest.Bold, "1 Introduction")
	y = head(p1, y, 12, layouttest.Bold, "2 Method")
	p1.Set(72, y, 12, layouttest.Bold, "References")
	p1.Lines(72, y+18, publications(5)...)
	for i := range 30 { // a board
		p2.Lines(72, 60+18*float64(i), "19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 a b c d e f g h")
	}
	p2.Lines(72, 620, strings.Split(strings.Replace(strings.Join(publications(6)[10:], "|"), "11.", "6.", 1), "|")...)
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p1, p2)}).References
	if len(got) != 6 || len(got[4].Text) > 200 {
		t.Errorf("%d references: %+v", len(got), got)
	}
}
