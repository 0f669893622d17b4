package layout_test

import (
	"slices"
	"testing"

	"airqa/ingest/layout"
	"airqa/internal/testkit/layouttest"
)

// pen sets glyphs one after the other, in pieces of any size and baseline.
type pen struct {
	page *layouttest.Page
	x    float64
}

// at sets a text of a size, raised by rise (lowered if negative).
func (p *pen) at(size, rise float64, text string) *pen {
	p.page.Set(p.x, 100-rise, size, layouttest.Roman, text)
	p.page.Glyphs = p.page.Glyphs[:len(p.page.Glyphs)-1] // without the line break
	p.x += float64(len([]rune(text))) * layouttest.Advance * size
	return p
}

func (p *pen) text(text string) *pen { return p.at(10, 0, text) }
func (p *pen) up(text string) *pen   { return p.at(7, 3.6, text) }
func (p *pen) down(text string) *pen { return p.at(7, -1.5, text) }

// cut sets a line break that is not on the page, as PDFium infers one between a number and its exponent.
func (p *pen) cut() *pen {
	p.page.Glyphs = append(p.page.Glyphs, layout.Glyph{Rune: '\n'})
	return p
}

func (p *pen) move(by float64) *pen {
	p.x += by
	return p
}

func write() *pen { return &pen{page: layouttest.NewPage(), x: 72} }

func TestRaisedAndLoweredDigitsDoNotJoinNumbers(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		got        *pen
	}{
		{"an exponent", "about 10^15 stars", write().text("about 10").up("15").text(" stars")},
		{"a negative one", "10^−9.", write().text("10").up("−9").text(".")},
		{"with an ASCII minus", "7.5×10^-4", write().text("7.5×10").up("-4")},
		{"with a point", "10^0.5", write().text("10").up("0.5")},
		{"that begins with a point", "10^.5", write().text("10").up(".5")},
		{"after a break", "2^16 bits", write().text("2").cut().up("16").cut().text(" bits")},
		{"of an exponent", "2^2^5", write().text("2").up("2").at(5, 6.5, "5")},
		{"an expression", "2^(n−1) of", write().text("2").up("n−1").text(" of")},
		{"a fraction as an exponent", "8^(1/3),", write().text("8").up("1/3").text(",")},
		{"an expression with spaces", "3^(n+2) is", write().text("3").up("n + 2").text(" is")},
		{"after a bracket", "(4+5)^2", write().text("(4+5)").up("2")},
		{"CSS's sup", "10^12", write().text("10").at(8.3, 3.3, "12")},
		{"hardly smaller", "10^12", write().text("10").at(9, 4.5, "12")},
		{"note marks", "in 1987^4,5 and 12^a more", write().text("in 1987").up("4,5").text(" and 12").up("a").text(" more")},
		{"a note mark after a full stop", "of 1987.^4 It", write().text("of 1987.").up("4").text(" It")},
		{"a note mark after a share", "41%^2", write().text("41%").up("2")},
		{"a note mark after a word", "the end.3 It", write().text("the end.").up("3").text(" It")},
		{"a note mark before a number", "1 1987 was", write().up("1").text("1987 was")},
		{"a note mark before a word", "1The", write().up("1").text("The")},
		{"an index", "0.77_0.04 and", write().text("0.77").down("0.04").text(" and")},
		{"a base", "777_8", write().text("777").down("8")},
		{"an exponent and an index, one above the other", "5^3_2", write().text("5").up("3").cut().move(-3.5).down("2")},
		{"bounds, one above the other", "3.10^+0.02_−0.04 m", write().text("3.10").up("+0.02").cut().move(-17.5).down("−0.04").text(" m")},
		{"bounds, one after the other", "3.10^+0.02_−0.04", write().text("3.10").up("+0.02").cut().down("−0.04")},
		{"an index before a number", "x2 7", write().text("x").down("2").text("7")},
		{"letters and digits", "H2O, m2, 14C and R2", write().text("H").down("2").text("O, m").up("2").text(", ").up("14").text("C and R").up("2")},
		{"an index and an exponent of a letter", "x1^2", write().text("x").down("1").up("2")},
		{"a charge", "SO4^2−", write().text("SO").down("4").up("2−")},
		{"ordinal numbers", "the 1st and 22nd", write().text("the 1").up("st").text(" and 22").up("nd")},
		{"degrees and feet", "40∘ 6′", write().text("40").up("∘").text(" 6").up("′")},
		{"a mixed number", "3 1/2 cups", write().text("3").up("1").text("/").at(7, 0, "2").text(" cups")},
		{"a mixed number with a lowered denominator", "3 1 / 2 cups", write().text("3").up("1").cut().text("/").cut().down("2").text(" cups")},
		{"a power of a letter", "4e^−2 m s^−1 or s2", write().text("4e").up("−2").text(" m s").up("−1").text(" or s").up("2")},
		{"a unit per time", "10^6/s", write().text("10").up("6").text("/s")},
		{"small digits on the line", "1930", write().text("19").at(7, 0, "30")},
		{"a raised point", "0·31", write().text("0").at(10, 2, "·").text("31")},
		{"an exponent a space away", "10 6", write().text("10 ").up("6")},
		{"one above the other in a table", "10 6", write().text("10").at(10, 4, "6")},
		{"Unicode's raised digits", "10^−23 and 5 m² or 2^8", write().text("10⁻²³ and 5 m² or 2⁸")},
		{"Unicode's lowered digits", "101_2 and H₂O", write().text("101₂ and H₂O")},
		{"Unicode's fractions", "3 ½ or ¼", write().text("3½ or ¼")},
		{"a hyphen that R writes as a minus", "B-cells −3, x−1", write().text("B−cells −3, x−1")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := layouttest.Analyze(tt.got.page)
			if got := texts(doc.Pages[0].Lines); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Other programs paint all exponents of a page at its end.
func TestAnExponentThatIsElsewhereInTheFile(t *testing.T) {
	p := write().text("a 10").move(9).text("stars").move(40).text("25").text(" b")
	p.page.Glyphs = append(p.page.Glyphs, layout.Glyph{Rune: '\n'})
	p.x = 72 + 20
	p.up("19")
	p.page.Glyphs = append(p.page.Glyphs, layout.Glyph{Rune: '\n'})
	if got := texts(layouttest.Analyze(p.page).Pages[0].Lines); !slices.Equal(got, []string{"a 10^19 stars 25 b"}) {
		t.Errorf("got %q", got)
	}
}

func TestAnExponentInTheLabelOfAnAxis(t *testing.T) {
	p := write().text("×10").up("6").text(" J")
	for i, g := range p.page.Glyphs { // turned by 90 degrees, to run up the page
		b := g.Box
		p.page.Glyphs[i].X, p.page.Glyphs[i].Baseline, p.page.Glyphs[i].Angle = g.Baseline, 700-g.X, 90
		p.page.Glyphs[i].Box = layout.Box{X0: b.Y0, Y0: 700 - b.X1, X1: b.Y1, Y1: 700 - b.X0}
	}
	p.page.Lines(72, 100, column("body", 10)...)
	lines := layouttest.Analyze(p.page).Pages[0].Lines
	if got := lines[len(lines)-1].Text(); got != "×10^6 J" {
		t.Errorf("got %q", got)
	}
}

// Fonts have raised and lowered digits of their own, which are on the baseline and as large as the others by their origin.
func TestRaisedDigitsOfAFont(t *testing.T) {
	ink := func(bottom, top float64) func(g *layout.Glyph) {
		return func(g *layout.Glyph) { g.Box.Y0, g.Box.Y1 = g.Baseline-top, g.Baseline-bottom }
	}
	raised, lowered, oldStyle, small := ink(3.6, 7), ink(-1.2, 2.3), ink(-1.9, 4.2), ink(0, 4.2)
	for _, tt := range []struct {
		name, text, want string
		change           func(g *layout.Glyph)
		from, to         int
	}{
		{"a note mark", "1987 x", "198^7 x", raised, 3, 4},
		{"an exponent", "1012", "10^12", raised, 2, 4},
		{"an index", "0.512", "0.5_12", lowered, 3, 5},
		{"a note mark after a full stop", "3.7", "3.^7", raised, 2, 3},
		{"a letter", "12a", "12^a", raised, 2, 3},
		{"old-style digits", "1997", "1997", oldStyle, 1, 4},
		{"small old-style digits", "2102", "2102", small, 0, 4},
		{"a font whose ink is given too high", "2019", "2019", raised, 0, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := write().text(tt.text)
			for i := tt.from; i < tt.to; i++ {
				tt.change(&p.page.Glyphs[i])
			}
			if got := texts(layouttest.Analyze(p.page).Pages[0].Lines); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
