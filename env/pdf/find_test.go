package pdf_test

import (
	"strings"
	"testing"

	"airqa/env/pdf"
)

// glyphsOf returns glyphs of 10 points, 5 points wide, in lines from a point on.
func glyphsOf(x, y float64, lines ...string) []pdf.Glyph {
	var glyphs []pdf.Glyph
	for i, line := range lines {
		for k, r := range []rune(line) {
			left, top := x+5*float64(k), y+12*float64(i)
			g := pdf.Glyph{Rune: r, Size: 10}
			if r != ' ' {
				g.Box = pdf.Box{X0: left, Y0: top, X1: left + 5, Y1: top + 10}
			}
			glyphs = append(glyphs, g)
		}
		glyphs = append(glyphs, pdf.Glyph{Rune: '\n'})
	}
	return glyphs
}

func TestFind(t *testing.T) {
	left := glyphsOf(100, 100, "We use eight heads and a re-", "trieval of e\ufb03cient herons.")
	both := append(glyphsOf(100, 600, "The passage begins at the foot of", "the left column and"), glyphsOf(400, 100, "ends in the other one, of which", "it has many more words to read.")...)
	broken := glyphsOf(100, 100, "The rate of the model is written here", "12", "and it is followed by a longer line.")
	power := glyphsOf(100, 100, "energy of 1020 joules")
	tests := []struct {
		name   string
		glyphs []pdf.Glyph
		text   string
		want   pdf.Box
		found  bool
	}{
		{"a line", left, "eight heads", pdf.Box{X0: 135, Y0: 100, X1: 190, Y1: 110}, true},
		{"case, punctuation", left, "EIGHT, heads!", pdf.Box{X0: 135, Y0: 100, X1: 190, Y1: 110}, true},
		{"two lines, a hyphen and a ligature", left, "a retrieval of efficient herons", pdf.Box{X0: 100, Y0: 100, X1: 235, Y1: 122}, true},
		{"the larger part of two columns", both, "the left column and ends in the other one, of which it has many more words", pdf.Box{X0: 400, Y0: 100, X1: 555, Y1: 122}, true},
		{"other characters in between", broken, "The rate of the model is written here and it is followed by a longer line.", pdf.Box{X0: 100, Y0: 100, X1: 285, Y1: 134}, true},
		{"an exponent", power, "10^20 joules", pdf.Box{X0: 150, Y0: 100, X1: 205, Y1: 110}, true},
		{"a raised character", power, "10²⁰ joules", pdf.Box{X0: 150, Y0: 100, X1: 205, Y1: 110}, true},
		{"an exponent without its mark", power, "1020 joules", pdf.Box{X0: 150, Y0: 100, X1: 205, Y1: 110}, true},
		{"another text", left, "nine heads", pdf.Box{}, false},
		{"less than half of a text", left, "We use eight heads and a " + strings.Repeat("completely different thing ", 4), pdf.Box{}, false},
		{"no letters", left, " . ", pdf.Box{}, false},
		{"an empty page", nil, "heads", pdf.Box{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, found := pdf.Find(tt.glyphs, tt.text)
			if got != tt.want || found != tt.found {
				t.Errorf("got %v, %t; want %v, %t", got, found, tt.want, tt.found)
			}
		})
	}
}

func FuzzFind(f *testing.F) {
	f.Add("We use eight heads", "eight")
	f.Add("a\xff\u0301\ufb03", "\ufb03")
	f.Fuzz(func(t *testing.T, page, text string) {
		if box, found := pdf.Find(glyphsOf(0, 0, page), text); found && box.X1 < box.X0 {
			t.Errorf("box %v", box)
		}
	})
}
