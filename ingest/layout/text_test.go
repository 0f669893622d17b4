package layout_test

import (
	"slices"
	"testing"

	"airqa/ingest/layout"
	"airqa/internal/testkit/layouttest"
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
		"dle of a word, and it runs on to its end, which is here.")
	p.Lines(87, 124, "The second paragraph is indented and its lines go on to")
	p.Lines(72, 136, "the left edge of the column, as is usual in print, until", "it ends.")
	doc := layouttest.Analyze(p)
	lines := doc.Pages[0].Lines
	wantLines := "The first paragraph has a line that is broken in the middle\nof a word, and it runs on to its end, which is here.\n" +
		"The second paragraph is indented and its lines go on to\nthe left edge of the column, as is usual in print, until\nit ends."
	if got := doc.Lines(lines); got != wantLines {
		t.Errorf("lines:\n%s\nwant:\n%s", got, wantLines)
	}
	wantFlow := "The first paragraph has a line that is broken in the middle of a word, and it runs on to its end, which is here.\n" +
		"The second paragraph is indented and its lines go on to the left edge of the column, as is usual in print, until it ends."
	if got := doc.Flow(lines); got != wantFlow {
		t.Errorf("paragraphs:\n%s\nwant:\n%s", got, wantFlow)
	}
}

func TestAccentsAreComposed(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(72, 100, 10, layouttest.Roman, "Lo\u00a8\u0131c na\u00efve `quoted' \u00b4")
	glyphs := p.Glyphs
	for i := 3; i < len(glyphs); i++ { // the dotless i is under the dieresis, and the following glyphs move up
		glyphs[i].X -= 5
		glyphs[i].Box.X0 -= 5
		glyphs[i].Box.X1 -= 5
	}
	doc := layouttest.Analyze(p)
	if got, want := doc.Pages[0].Lines[0].Text(), "Loïc naïve `quoted' \u00b4"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every accent, printed before and after its letter: their ink overlaps, and the text continues after both.
func TestEveryAccentComposesInBothOrders(t *testing.T) {
	tests := []struct {
		accent, letter rune
		want           string
	}{
		{'\u00b4', 'e', "é"},
		{'`', 'a', "à"},
		{'\u00a8', 'u', "ü"},
		{'\u02c6', 'y', "ŷ"},
		{'\u02c6', 'f', "f\u0302"},
		{'\u02dc', 'n', "ñ"},
		{'\u02c7', 'a', "ǎ"},
		{'\u02c7', 's', "š"},
		{'\u02c7', 'c', "č"},
		{'\u00b8', 'c', "ç"},
		{'\u02da', 'a', "å"},
		{'\u02d8', 'g', "ğ"},
		{'\u02d9', 'z', "ż"},
		{'\u02dd', 'o', "ő"},
		{'\u00af', 'x', "x\u0304"},
		{'\u02db', 'e', "ę"},
		{'^', 'x', "x\u0302"},
		{'~', 'o', "õ"},
		{'\u02c9', 'a', "ā"},
		{'\u02ca', 'a', "á"},
		{'\u02cb', 'e', "è"},
		{'\u0302', 'y', "ŷ"},
		{'\u02c6', 'ı', "î"},
		{'\u02c7', 'ȷ', "ǰ"},
		{'\u0335', 'L', "Ł"},
		{'\u0335', 'l', "ł"},
		{'\u0338', '=', "≠"},
		{'\u0338', '∈', "∉"},
		{'\u0338', '⊆', "⊈"},
		{'\u0338', '≈', "≉"},
		{'/', '∈', "∉"},
		{'∼', '=', "≅"},
		{'˙', '=', "≐"},
		{'↦', '→', "↦"},
	}
	for _, tt := range tests {
		for _, pair := range [][2]rune{{tt.accent, tt.letter}, {tt.letter, tt.accent}} {
			p := layouttest.NewPage()
			p.Set(72, 100, 10, layouttest.Roman, "ab"+string(pair[:])+"il and more")
			for i := 3; i < len(p.Glyphs); i++ { // the second of the pair moves over the first
				p.Glyphs[i].X -= layouttest.Advance * 10
				p.Glyphs[i].Box.X0 -= layouttest.Advance * 10
				p.Glyphs[i].Box.X1 -= layouttest.Advance * 10
			}
			doc := layouttest.Analyze(p)
			if got, want := doc.Flow(doc.Pages[0].Lines), "ab"+tt.want+"il and more"; got != want {
				t.Errorf("%q: got %q, want %q", string(pair[:]), got, want)
			}
		}
	}
}

func TestMarksUnderLetters(t *testing.T) {
	for _, tt := range []struct {
		text string
		low  int // the index of a mark that is under the character before it; 0 for none
		want string
	}{
		{"bat,a and more", 3, "bața and more"},
		{"Thu.y and more", 3, "Thụy and more"},
		{"bat,a and more", 0, "bat,a and more"},
		{"end. Another", 0, "end. Another"},
		{"x=/y and more", 0, "x=/y and more"},
		{"a/b=c and more", 0, "a/b=c and more"},
	} {
		p := layouttest.NewPage()
		p.Set(72, 100, 10, layouttest.Roman, tt.text)
		for i := tt.low; i < len(p.Glyphs) && tt.low > 0; i++ {
			g := &p.Glyphs[i]
			g.X -= layouttest.Advance * 10
			g.Box.X0, g.Box.X1 = g.Box.X0-layouttest.Advance*10, g.Box.X1-layouttest.Advance*10
			if i == tt.low {
				g.Baseline, g.Box.Y0, g.Box.Y1 = 102, 100+p.Glyphs[i-1].Box.Y1-100+0.8, 103.5
			}
		}
		doc := layouttest.Analyze(p)
		if got := doc.Flow(doc.Pages[0].Lines); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

// If the file prints an accent after the rest of its line, PDFium places it between two words of that line.
func TestAnAccentFarFromItsLetterInTheFile(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(72, 100, 10, layouttest.Roman, "by Cerk and others")
	accent := layout.Glyph{Rune: '\u02c7', X: 87, Baseline: 100, Size: 10, Box: layout.Box{X0: 87.5, Y0: 92, X1: 91, Y1: 94}}
	space := layout.Glyph{Rune: ' '}
	for _, at := range []int{len("by Ce"), len("by Cerk"), len("by Cerk "), len("by Cerk and others")} {
		q := *p
		q.Glyphs = slices.Concat(p.Glyphs[:at], []layout.Glyph{space, accent, space}, p.Glyphs[at:])
		doc := layouttest.Analyze(&q)
		if got, want := doc.Flow(doc.Pages[0].Lines), "by Čerk and others"; got != want {
			t.Errorf("accent at %d: got %q, want %q", at, got, want)
		}
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
