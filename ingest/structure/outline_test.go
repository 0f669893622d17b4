package structure_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/pdf"
	"airqa/ingest/structure"
	"airqa/internal/testkit/layouttest"
)

func TestOutlineNamesTheSections(t *testing.T) {
	p1, p2 := layouttest.NewPage(), layouttest.NewPage()
	y := head(p1, 72, 12, layouttest.Bold, "Introduction")
	y = head(p1, y, 10, layouttest.Bold, "Data of two kinds")
	p1.Set(72, y+6, 10, layouttest.Bold, "Sources.")
	p1.Set(72+9*5, y+6, 10, layouttest.Roman, "text follows on the line of the title")
	y = p1.Lines(72, y+18, prose("text", 4)...)
	head(p1, y+8, 10, layouttest.Bold, "Not a section")
	p2.Set(72, 72, 14, layouttest.Bold, "Chapter 2")
	p2.Set(72, 100, 18, layouttest.Bold, "A title that the page prints on")
	y = head(p2, 116, 18, layouttest.Bold, "two lines")
	head(p2, y+20, 12, layouttest.Bold, "Appendix A Proofs")
	entries := []pdf.Heading{
		{Title: "Introduction", Level: 1, Page: 1},
		{Title: "Data of two kinds", Level: 2, Page: 1},
		{Title: "Sources", Level: 3, Page: 1},
		{Title: "2 A title that the page prints on two lines", Level: 1, Page: 2},
		{Title: "A Proofs", Level: 1, Page: 2},
		{Title: "Not printed anywhere", Level: 1, Page: 2},
	}
	p := structure.Read(structure.Source{Doc: layouttest.Analyze(p1, p2), Outline: entries})
	want := []found{
		{"Introduction", 1, 1},
		{"Data of two kinds", 2, 1},
		{"Sources", 3, 1},
		{"Chapter 2 A title that the page prints on two lines", 1, 2},
		{"Appendix A Proofs", 1, 2},
	}
	if diff := cmp.Diff(want, headings(p)); diff != "" {
		t.Fatalf("sections (-want +got):\n%s", diff)
	}
	if text := p.Sections[2].Text; !strings.HasPrefix(text, "text follows on the line of the title") {
		t.Errorf("a section that begins on the line of its title reads %q", text)
	}
}

func TestOutlineOfAnotherDocumentIsNotBelieved(t *testing.T) {
	p := layouttest.NewPage()
	y := head(p, 72, 12, layouttest.Bold, "1 Introduction")
	y = head(p, y, 12, layouttest.Bold, "2 Method")
	head(p, y, 12, layouttest.Bold, "3 Results")
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p), Outline: []pdf.Heading{
		{Title: "Cover", Level: 1, Page: 1}, {Title: "Foreword", Level: 1, Page: 1}, {Title: "Introduction", Level: 1, Page: 1},
	}})
	want := []found{{"1 Introduction", 1, 1}, {"2 Method", 1, 1}, {"3 Results", 1, 1}}
	if diff := cmp.Diff(want, headings(got)); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

func TestHeadingMissingFromTheOutline(t *testing.T) {
	p := layouttest.NewPage()
	y := 72.0
	for _, title := range []string{"1 Introduction", "2 Method", "3 Results", "A Proofs"} {
		y = head(p, y, 12, layouttest.Bold, title)
	}
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p), Outline: []pdf.Heading{
		{Title: "Introduction", Level: 1, Page: 1}, {Title: "Method", Level: 1, Page: 1}, {Title: "Proofs", Level: 1, Page: 1},
	}})
	want := []found{{"1 Introduction", 1, 1}, {"2 Method", 1, 1}, {"3 Results", 1, 1}, {"A Proofs", 1, 1}}
	if diff := cmp.Diff(want, headings(got)); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

func TestItemsOfAListAreNoHeadings(t *testing.T) {
	p1, p2 := layouttest.NewPage(), layouttest.NewPage()
	y := head(p1, 72, 12, layouttest.Bold, "1 Introduction")
	y = head(p1, y, 12, layouttest.Bold, "2 Weaknesses")
	p1.Set(72, y+4, 10, layouttest.Bold, "3 Numerical Reasoning in bold")
	p1.Set(72, y+28, 10, layouttest.Roman, "4.")
	p1.Set(84, y+28, 10, layouttest.Bold, "Negation (4%):")
	p1.Set(84+15*5, y+28, 10, layouttest.Roman, "strong")
	y = head(p2, 72, 12, layouttest.Bold, "3 Construction")
	y = head(p2, y, 10, layouttest.Bold, "3.1 Noise")
	head(p2, y, 12, layouttest.Bold, "4 Experiments")
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p1, p2)})
	want := []found{{"1 Introduction", 1, 1}, {"2 Weaknesses", 1, 1}, {"3 Construction", 1, 2}, {"3.1 Noise", 2, 2}, {"4 Experiments", 1, 2}}
	if diff := cmp.Diff(want, headings(got)); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

func TestAffiliationsAreNoSections(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(72, 40, 18, layouttest.Bold, "A paper")
	p.Set(72, 60, 12, layouttest.Bold, "1 Department of Tides")
	y := head(p, 90, 12, layouttest.Bold, "Abstract")
	y = head(p, y, 12, layouttest.Bold, "1 Introduction")
	y = head(p, y, 12, layouttest.Bold, "2 Method")
	head(p, y, 12, layouttest.Bold, "3 Results")
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p)})
	want := []found{{"1 Introduction", 1, 1}, {"2 Method", 1, 1}, {"3 Results", 1, 1}}
	if diff := cmp.Diff(want, headings(got)); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

func TestBibliographyEndsBeforeWhatFollowsIt(t *testing.T) {
	p := layouttest.NewPage()
	y := head(p, 72, 12, layouttest.Bold, "1 Introduction")
	y = head(p, y, 12, layouttest.Bold, "2 Method")
	p.Set(72, y+6, 12, layouttest.Bold, "References")
	y = p.Lines(72, y+24, "[1] A. Author. One work, which is long enough to be read. 2001.", "[2] B. Author. Another work. 2002.", "[3] C. Author. The last one. 2003.")
	p.Lines(72, y+40, prose("listing", 8)...)
	got := structure.Read(structure.Source{Doc: layouttest.Analyze(p)})
	if n := len(got.References); n != 3 || got.References[2].Text != "[3] C. Author. The last one. 2003." {
		t.Errorf("got %d references: %+v", n, got.References)
	}
}
