package layout_test

import (
	"testing"

	"airqa/env/ingest/layout"
	"airqa/env/ingest/layout/layouttest"
)

func TestHyphensAtLineEnds(t *testing.T) {
	tests := []struct {
		name, elsewhere string
		head, tail      string
		want            string
	}{
		{"joined when the whole word occurs", "a representation is", "representa-", "tion of it", "representation of it"},
		{"kept when the hyphened word occurs", "a pre-trained one", "pre-", "trained models", "pre-trained models"},
		{"joined when nothing is known", "nothing", "hyphen-", "ation of it", "hyphenation of it"},
		{"kept before a capital", "nothing", "English-", "French pairs", "English-French pairs"},
		{"kept after a prefix that keeps it", "nothing", "self-", "attention is", "self-attention is"},
		{"kept between words that stand alone", "first question and second answering, question, answering", "question-", "answering works", "question-answering works"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := layouttest.NewPage()
			p.Lines(72, 100, tt.elsewhere, "and then "+tt.head, tt.tail)
			doc := layouttest.Analyze(p)
			if got, want := doc.Joined(doc.Pages[0].Lines[1:]), "and then "+tt.want; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestTextByLinesAndByParagraphs(t *testing.T) {
	p := layouttest.NewPage()
	p.Lines(72, 100,
		"The first paragraph has a line that is broken in the mid-",
		"dle of a word, and it goes on to its end, which is here.")
	p.Lines(87, 124, "The second paragraph is indented and its lines go on to")
	p.Lines(72, 136, "the left edge of the column, as is usual in print, until", "it ends.")
	doc := layouttest.Analyze(p)
	lines := doc.Pages[0].Lines
	wantLines := "The first paragraph has a line that is broken in the middle\nof a word, and it goes on to its end, which is here.\n" +
		"The second paragraph is indented and its lines go on to\nthe left edge of the column, as is usual in print, until\nit ends."
	if got := doc.Lines(lines); got != wantLines {
		t.Errorf("lines:\n%s\nwant:\n%s", got, wantLines)
	}
	wantFlow := "The first paragraph has a line that is broken in the middle of a word, and it goes on to its end, which is here.\n" +
		"The second paragraph is indented and its lines go on to the left edge of the column, as is usual in print, until it ends."
	if got := doc.Flow(lines); got != wantFlow {
		t.Errorf("paragraphs:\n%s\nwant:\n%s", got, wantFlow)
	}
}

func TestAccentsAreComposed(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(72, 100, 10, layouttest.Roman, "Lo\u00a8\u0131c na\u00efve `quoted' \u00b4")
	glyphs := p.Glyphs
	for i := 3; i < len(glyphs); i++ { // the dotless i stands under the dieresis, and what follows moves up
		glyphs[i].X -= 5
		glyphs[i].Box.X0 -= 5
		glyphs[i].Box.X1 -= 5
	}
	doc := layouttest.Analyze(p)
	if got, want := doc.Pages[0].Lines[0].Text(), "Loïc naïve `quoted' \u00b4"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCellsAreSplitAtGaps(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(72, 100, 10, layouttest.Roman, "ours (small)").Set(200, 100, 10, layouttest.Roman, "91.2").Set(240, 100, 10, layouttest.Roman, "3.5")
	cells := layouttest.Analyze(p).Pages[0].Lines[0].Cells()
	if len(cells) != 3 || len(cells[0]) != 2 {
		t.Errorf("got %+v", cells)
	}
}

func TestFonts(t *testing.T) {
	tests := []struct {
		font       string
		bold, math bool
	}{
		{"NimbusRomNo9L-Regu", false, false},
		{"NimbusRomNo9L-Medi", true, false},
		{"CMBX12", true, false},
		{"CMR10", false, false},
		{"CMMI10", false, true},
		{"CMSY7", false, true},
		{"Arial-BoldMT", true, false},
		{"TimesNewRomanPS-BoldItalicMT", true, false},
		{"", false, false},
	}
	for _, tt := range tests {
		if bold, math := layout.IsBold(tt.font), layout.IsMath(tt.font); bold != tt.bold || math != tt.math {
			t.Errorf("%q: bold %t, math %t", tt.font, bold, math)
		}
	}
}
