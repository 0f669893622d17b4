package pdf_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/pdf"
	"airqa/internal/testkit"
)

func text(glyphs []pdf.Glyph) string {
	var b strings.Builder
	for _, g := range glyphs {
		b.WriteRune(g.Rune)
	}
	return b.String()
}

func TestHyphensAtLineEndsAreMarked(t *testing.T) {
	testkit.OneGoroutine(t)
	doc := open(t, letter("BT /F1 12 Tf 100 700 Td (some representa-) Tj 0 -14 Td (tion of well-known text) Tj ET", ""))
	glyphs, err := doc.Glyphs(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var marked []string
	for i, g := range glyphs {
		if g.LineEnd {
			marked = append(marked, text(glyphs[max(0, i-3):i+1]))
		}
	}
	if diff := cmp.Diff([]string{"nta-"}, marked); diff != "" {
		t.Errorf("hyphens at line ends (-want +got):\n%s", diff)
	}
}

// mapped is a font that decodes A as a mathematical letter beyond 16 bits, B as a control character, and C as a piece
// of a big bracket.
func mapped() []byte {
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <00> <FF> endcodespacerange\n" +
		"4 beginbfchar <41> <D835DC34> <42> <0007> <43> <F8EB> <44> <0064> endbfchar endcmap end end"
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >> >>",
		stream("", "BT /F1 1 Tf 9 0 0 9 100 700 Tm (ABCD) Tj ET"),
		"<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+CMMI10 /ToUnicode 6 0 R >>",
		stream("", cmap),
	}
	return write(objects)
}

func TestGlyphsAreWholeCharacters(t *testing.T) {
	glyphs, err := open(t, mapped()).Glyphs(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := text(glyphs); got != "𝐴\uFFFDd" {
		t.Errorf("got %q, want the mathematical A as one character and a mark for the control character", got)
	}
	if g := glyphs[0]; g.Size < 8.9 || g.Size > 9.1 || g.Font != "CMMI10" {
		t.Errorf("got size %g and font %q, want the size as shown and the name without its prefix", g.Size, g.Font)
	}
}

func TestTextOutsideTheVisiblePageIsLeftOut(t *testing.T) {
	doc := open(t, letter("BT /F1 12 Tf 100 700 Td (in) Tj 0 -600 Td (out) Tj ET", "/CropBox [0 400 612 792]"))
	glyphs, err := doc.Glyphs(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimSpace(text(glyphs)); got != "in" {
		t.Errorf("got %q", got)
	}
}

func TestShapes(t *testing.T) {
	form := stream("/Type /XObject /Subtype /Form /BBox [0 0 100 100]", "0 0 1 rg 10 10 20 20 re f")
	huge := stream("/Type /XObject /Subtype /Form /BBox [0 0 90000 90000]", "10 10 20 20 re f 0 -40000 10 10 re f")
	clipped := stream("/Type /XObject /Subtype /Form /BBox [0 0 100 100]", "-50 0 500 30 re f")
	lines := strings.Repeat("BT /F1 10 Tf 100 300 Td (a line) Tj ET ", 20)
	words := stream("/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >>", lines+"72 100 20 20 re f")
	labels := stream("/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >>", lines[:len(lines)/4]+"72 100 20 20 re f")
	stamp := stream("/Type /XObject /Subtype /Form /BBox [0 0 612 792]", "0 0 600 40 re f 0 730 600 40 re f")
	tests := []struct {
		name, content, form string
		want                []pdf.Shape
	}{
		{"a rule", "1 w 72 300 m 540 300 l S", form, []pdf.Shape{{Kind: pdf.Path, Box: pdf.Box{X0: 71, Y0: 491, X1: 541, Y1: 493}}}},
		{"a clip is not seen", "0 0 100 100 re W n", form, nil},
		{"a figure is one form", "q 1 0 0 1 200 300 cm /X Do Q", form, []pdf.Shape{{Kind: pdf.Form, Box: pdf.Box{X0: 210, Y0: 462, X1: 230, Y1: 482}}}},
		{"a form that claims more than the page is what is seen of it", "q 2 0 0 2 200 300 cm /X Do Q", huge, []pdf.Shape{
			{Kind: pdf.Form, Box: pdf.Box{X0: 220, Y0: 432, X1: 260, Y1: 472}},
		}},
		{"a form ends where its own box does", "q 1 0 0 1 200 300 cm /X Do Q", clipped, []pdf.Shape{
			{Kind: pdf.Form, Box: pdf.Box{X0: 200, Y0: 462, X1: 300, Y1: 492}},
		}},
		{"a form that covers the page gives its parts", "/X Do", stamp, []pdf.Shape{
			{Kind: pdf.Path, Box: pdf.Box{X0: 0, Y0: 752, X1: 600, Y1: 792}}, {Kind: pdf.Path, Box: pdf.Box{X0: 0, Y0: 22, X1: 600, Y1: 62}},
		}},
		{"a form of many texts has its parts", "/X Do", words, []pdf.Shape{{
			Kind: pdf.Form, Box: pdf.Box{X0: 72, Y0: 484.82, X1: 123.5, Y1: 692},
			Parts: []pdf.Shape{{Kind: pdf.Path, Box: pdf.Box{X0: 72, Y0: 672, X1: 92, Y1: 692}}},
		}}},
		{"a form of few texts is a figure", "/X Do", labels, []pdf.Shape{{Kind: pdf.Form, Box: pdf.Box{X0: 72, Y0: 484.82, X1: 123.5, Y1: 692}}}},
		{"a clip cuts", "q 100 100 50 50 re W n 100 120 400 400 re f Q", form, []pdf.Shape{
			{Kind: pdf.Path, Box: pdf.Box{X0: 100, Y0: 642, X1: 150, Y1: 672}},
		}},
		{"off the page", "700 10 50 50 re f", form, nil},
		{"clamped", "-10 -10 30 30 re f", form, []pdf.Shape{{Kind: pdf.Path, Box: pdf.Box{X0: 0, Y0: 772, X1: 20, Y1: 792}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data := build(tt.content, "/MediaBox [0 0 612 792]", "null", "null", tt.form)
			got, err := open(t, data).Shapes(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, near); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAnchorsOutlineAndMetadata(t *testing.T) {
	data := build(hello, "/MediaBox [0 0 612 792]",
		"<< /Dests << /Names [(cite.A) [3 0 R /Fit] (lost) [99 0 R /XYZ 1 1 0] (section.1) [3 0 R /XYZ 72 720 0]] >> >>",
		"<< /First 8 0 R /Last 9 0 R /Count 2 >>",
		"<< /Title (1 Caf\\351) /Parent 7 0 R /Next 9 0 R /Dest [3 0 R /XYZ 72 720 0] >>",
		"<< /Title <FEFF00C9D835DC34> /Parent 7 0 R /Next 8 0 R /A << /S /GoTo /D [3 0 R /XYZ null 100 0] >> >>",
	)
	doc := open(t, data)
	anchors, err := doc.Anchors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []pdf.Anchor{{Name: "cite.A", Page: 1}, {Name: "section.1", Page: 1, X: 72, Y: 72}}
	if diff := cmp.Diff(want, anchors); diff != "" {
		t.Errorf("anchors (-want +got):\n%s", diff)
	}
	outline, err := doc.Outline(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	headings := []pdf.Heading{{Title: "1 Café", Level: 1, Page: 1, Y: 72}, {Title: "É𝐴", Level: 1, Page: 1, Y: 692}}
	if diff := cmp.Diff(headings, outline); diff != "" {
		t.Errorf("outline, which is circular (-want +got):\n%s", diff)
	}
	withTitle := build(hello, "/MediaBox [0 0 612 792]", "<< /Title (A Title) /Author (Someone) >>")
	withTitle = bytes.Replace(withTitle, []byte("/Root 1 0 R"), []byte("/Root 1 0 R /Info 6 0 R"), 1)
	meta, err := open(t, withTitle).Metadata(t.Context())
	if err != nil || meta.Title != "A Title" || meta.Author != "Someone" {
		t.Errorf("metadata: %+v, %v", meta, err)
	}
}

func TestTextOutsideTheVisiblePageIsNotMissed(t *testing.T) {
	doc := open(t, letter("BT /F1 12 Tf 100 700 Td (shown) Tj 900 0 Td (beyond the edge) Tj ET", ""))
	if _, got, err := doc.GlyphsAndText(t.Context(), 1); err != nil || strings.TrimSpace(got) != "shown" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestLinesOfRotatedPagesAreInOrder(t *testing.T) {
	content := "BT /F1 12 Tf 100 700 Td (The first line has some words) Tj 0 -14 Td (the second has repre-) Tj 0 -14 Td (sentation and the third) Tj ET"
	const want = "The first line has some words\nthe second has representation and the third"
	for _, turn := range []string{"", "/Rotate 90", "/Rotate 180", "/Rotate 270"} {
		glyphs, got, err := open(t, letter(content, turn)).GlyphsAndText(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if got = strings.ReplaceAll(strings.TrimSpace(got), "\r", ""); got != want {
			t.Errorf("%s: got %q", turn, got)
		}
		if got := text(glyphs); !strings.HasPrefix(got, "The first line") {
			t.Errorf("%s: glyphs %q", turn, got)
		}
	}
}

func TestTextAsPDFiumReadsIt(t *testing.T) {
	line := "(" + strings.Repeat("words that are many ", 4) + ") Tj 0 -14 Td "
	content := "BT /F1 10 Tf 90 760 Td (some representa-) Tj 0 -14 Td (tion of text) Tj 0 -14 Td " + strings.Repeat(line, 40) + "ET"
	glyphs, got, err := open(t, letter(content, "")).GlyphsAndText(t.Context(), 1) // 3,200 characters: more than one piece
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got, "some representation of text") || strings.Count(got, "words that are many") != 160 || len(glyphs) < 3200 {
		t.Errorf("got %d glyphs and %q", len(glyphs), got)
	}
}
