package layout_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/pdf"
	"airqa/ingest/layout"
	"airqa/internal/testkit/layouttest"
)

// column makes lines of about 44 characters, for a column of 220 points.
func column(name string, n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("%s line %02d of running text runs on and on,", name, i)
	}
	return lines
}

func texts(lines []layout.Line) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.Text()
	}
	return out
}

// at returns the index of the first line that begins with a text.
func at(t *testing.T, lines []layout.Line, start string) int {
	t.Helper()
	i := slices.IndexFunc(lines, func(l layout.Line) bool { return strings.HasPrefix(l.Text(), start) })
	if i < 0 {
		t.Fatalf("no line begins with %q in %q", start, texts(lines))
	}
	return i
}

func TestColumnsAreReadOneAfterTheOther(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(100, 80, 16, layouttest.Bold, "A Title That Spans Both Columns of It")
	// Painted row by row, as some programs do.
	for i := range 40 {
		y := 120 + 12*float64(i)
		p.Set(60, y, 10, layouttest.Roman, column("left", 40)[i])
		p.Set(320, y, 10, layouttest.Roman, column("right", 40)[i])
	}
	lines := layouttest.Analyze(p).Pages[0].Lines
	want := slices.Concat([]string{"A Title That Spans Both Columns of It"}, column("left", 40), column("right", 40))
	if diff := cmp.Diff(want, texts(lines)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if lines[0].Column != layout.Span || lines[1].Column != 0 || lines[41].Column != 1 {
		t.Errorf("columns %d, %d, %d", lines[0].Column, lines[1].Column, lines[41].Column)
	}
}

func TestASpanningTableCutsTheColumns(t *testing.T) {
	p := layouttest.NewPage()
	p.Lines(60, 100, column("upper left", 15)...)
	p.Lines(320, 100, column("upper right", 15)...)
	p.Rule(60, 540, 300).Rule(60, 540, 340)
	p.Set(70, 320, 10, layouttest.Roman, "model").Set(400, 320, 10, layouttest.Roman, "accuracy")
	p.Lines(60, 380, column("lower left", 15)...)
	p.Lines(320, 380, column("lower right", 15)...)
	lines := layouttest.Analyze(p).Pages[0].Lines
	order := []int{at(t, lines, "upper left"), at(t, lines, "upper right"), at(t, lines, "model accuracy"), at(t, lines, "lower left"), at(t, lines, "lower right")}
	if !slices.IsSorted(order) {
		t.Errorf("order %v of %q", order, texts(lines))
	}
}

func TestRunningHeadsAndPageNumbersAreDropped(t *testing.T) {
	var pages []*layouttest.Page
	for n := range 4 {
		p := layouttest.NewPage()
		p.Set(72, 40, 9, layouttest.Roman, fmt.Sprintf("Everyone et al., page %d", n+7))
		p.Lines(72, 80, column(fmt.Sprintf("page %d", n), 30)...)
		p.Set(300, 715, 10, layouttest.Roman, fmt.Sprint(n+7)) // closer to the text than a foot margin
		pages = append(pages, p)
	}
	for _, page := range layouttest.Analyze(pages...).Pages {
		if len(page.Lines) != 30 {
			t.Errorf("page %d: %q", page.Number, texts(page.Lines))
		}
	}
}

func TestTheSameWordInThreeTablesIsNoRunningHead(t *testing.T) {
	var pages []*layouttest.Page
	for n := range 5 {
		p := layouttest.NewPage()
		p.Set(80+50*float64(n), 70, 9, layouttest.Roman, "System")
		p.Lines(72, 120, column(fmt.Sprintf("page %d", n), 30)...)
		pages = append(pages, p)
	}
	for _, page := range layouttest.Analyze(pages...).Pages {
		if len(page.Lines) != 31 {
			t.Errorf("page %d: %q", page.Number, texts(page.Lines))
		}
	}
}

func TestFootnotesStandBehindTheColumns(t *testing.T) {
	p := layouttest.NewPage()
	p.Lines(60, 100, column("left", 40)...)
	p.Rule(60, 140, 590)
	p.Set(64, 602, 8, layouttest.Roman, "1 A note under the left column.")
	p.Lines(320, 100, column("right", 40)...)
	lines := layouttest.Analyze(p).Pages[0].Lines
	last := lines[len(lines)-1]
	if last.Role != layout.Footnote || last.Text() != "1 A note under the left column." {
		t.Errorf("last line %q has role %d", last.Text(), last.Role)
	}
}

func TestSuperscriptsJoinTheirLine(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(72, 100, 10, layouttest.Roman, "as shown before")
	p.Set(72+15*5, 96, 7, layouttest.Roman, "3")
	p.Set(72+15*5+9, 100, 10, layouttest.Roman, "and again")
	lines := layouttest.Analyze(p).Pages[0].Lines
	if len(lines) != 1 || strings.ReplaceAll(lines[0].Text(), " ", "") != "asshownbefore3andagain" {
		t.Errorf("got %q", texts(lines))
	}
}

func TestTurnedTextStandsAtTheEnd(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(20, 400, 20, layouttest.Roman, "arXiv:2601.00001")
	for i := range p.Glyphs {
		p.Glyphs[i].Angle = 90
	}
	p.Lines(72, 100, column("body", 10)...)
	lines := layouttest.Analyze(p).Pages[0].Lines
	if last := lines[len(lines)-1]; last.Role != layout.Sideways || last.Text() != "arXiv:2601.00001" {
		t.Errorf("last line %q has role %d", last.Text(), last.Role)
	}
}

// Review copies have line numbers in both margins, which separate the halves of hyphenated words.
func TestLineNumbersAreDropped(t *testing.T) {
	p, last := layouttest.NewPage(), layouttest.NewPage()
	for i := range 20 {
		y := 120 + 12*float64(i)
		p.Set(20, y, 8, layouttest.Bold, fmt.Sprintf("%03d", i))
		p.Set(60, y, 10, layouttest.Roman, []string{"left text of a line with a repre-", "sentation of it in 2020 and later,"}[i%2])
		p.Set(320, y, 10, layouttest.Roman, "right text of a line that runs on,").Set(580, y, 8, layouttest.Bold, fmt.Sprintf("%03d", 20+i))
	}
	last.Set(60, 120, 10, layouttest.Roman, "the last page").Set(30, 120, 8, layouttest.Bold, "040")
	last.Set(60, 132, 10, layouttest.Roman, "has three lines").Set(30, 132, 8, layouttest.Bold, "041")
	last.Set(60, 144, 10, layouttest.Roman, "in 1 place").Set(30, 144, 8, layouttest.Bold, "042")
	doc := layouttest.Analyze(p, last)
	want := strings.TrimSuffix(strings.Repeat("left text of a line with a representation of it in 2020 and later, ", 10), " ")
	if got := doc.Joined(doc.Pages[0].Lines[:20]); got != want {
		t.Errorf("got %q", got)
	}
	if got, want := doc.Pages[1].Dropped, "040\n041\n042\n"; got != want {
		t.Errorf("dropped %q, want %q", got, want)
	}
	if got, want := doc.Lines(doc.Pages[1].Lines), "the last page\nhas three lines\nin 1 place"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A column of numbers in a table also counts up, but has text above it.
func TestNumbersOfRowsStay(t *testing.T) {
	p := layouttest.NewPage()
	p.Lines(60, 80, column("text", 4)...)
	for i := range 12 {
		y := 160 + 12*float64(i)
		p.Set(60, y, 10, layouttest.Roman, fmt.Sprint(10+i)).Set(120, y, 10, layouttest.Roman, "a row of it")
	}
	if got := texts(layouttest.Analyze(p).Pages[0].Lines); !slices.Contains(got, "12 a row of it") {
		t.Errorf("got %q", got)
	}
}

// Notes on the authors are footnotes even without a rule above them, and have their own role on page 1.
func TestNotesWithoutARule(t *testing.T) {
	p := layouttest.NewPage()
	p.Lines(60, 100, column("left", 30)...)
	p.Lines(320, 100, column("right", 32)...)
	p.Set(70, 480, 8, layouttest.Roman, "∗Equal contribution.").Set(70, 490, 8, layouttest.Roman, "†Work done while at a place")
	p.Set(60, 500, 8, layouttest.Roman, "far away.").Set(70, 510, 8, layouttest.Roman, "1Code is at example.org.")
	lines := layouttest.Analyze(p).Pages[0].Lines
	got := map[string]layout.Role{}
	for _, l := range lines[len(lines)-4:] {
		got[l.Text()] = l.Role
	}
	want := map[string]layout.Role{
		"∗Equal contribution.": layout.AuthorNote, "†Work done while at a place": layout.AuthorNote, "far away.": layout.AuthorNote,
		"1Code is at example.org.": layout.Footnote,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestChineseHasNoSpaces(t *testing.T) {
	p := layouttest.NewPage()
	p.Lines(72, 100, "本文， 提出了一种 new 方法用于分析", "数据。 结果")
	doc := layouttest.Analyze(p)
	if got, want := doc.Joined(doc.Pages[0].Lines), "本文，提出了一种 new 方法用于分析数据。结果"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Pages with vertical text are read as upright ones; boxes can be converted back.
func TestTurnedPagesAreReadUpright(t *testing.T) {
	for _, angle := range []int{90, 180, 270} {
		p := layouttest.NewPage()
		p.Lines(72, 100, column("text", 6)...)
		p.Rule(72, 300, 240)
		want := layouttest.Analyze(p).Pages[0]
		shown := layout.Input{Sheet: layout.Sheet{Width: p.Height, Height: p.Width}}
		if angle == 180 {
			shown.Width, shown.Height = p.Width, p.Height
		}
		back := func(b layout.Box) layout.Box {
			switch angle {
			case 90: // the text runs up
				return layout.Box{X0: b.Y0, Y0: p.Width - b.X1, X1: b.Y1, Y1: p.Width - b.X0}
			case 180:
				return layout.Box{X0: p.Width - b.X1, Y0: p.Height - b.Y1, X1: p.Width - b.X0, Y1: p.Height - b.Y0}
			}
			return layout.Box{X0: p.Height - b.Y1, Y0: b.X0, X1: p.Height - b.Y0, Y1: b.X1}
		}
		for _, g := range p.Glyphs {
			at := back(layout.Box{X0: g.X, X1: g.X, Y0: g.Baseline, Y1: g.Baseline})
			g.X, g.Baseline, g.Box, g.Angle = at.X0, at.Y0, back(g.Box), angle
			shown.Glyphs = append(shown.Glyphs, g)
		}
		shown.Shapes = []layout.Shape{{Kind: pdf.Path, Box: back(p.Shapes[0].Box)}}
		got := layout.Analyze([]layout.Input{shown}).Pages[0]
		if diff := cmp.Diff(texts(want.Lines), texts(got.Lines)); diff != "" {
			t.Errorf("%d degrees (-want +got):\n%s", angle, diff)
		}
		if b := got.AsShown(got.Shapes[0].Box); b != shown.Shapes[0].Box || got.Turned != angle {
			t.Errorf("%d degrees: the rule is at %v, want %v", angle, b, shown.Shapes[0].Box)
		}
		if w, h := got.Shown(); w != shown.Width || h != shown.Height {
			t.Errorf("%d degrees: shown as %g by %g", angle, w, h)
		}
	}
}

func TestCaptions(t *testing.T) {
	tests := []struct {
		name string
		set  func(p *layouttest.Page)
		want []string // the captions, lines joined
	}{
		{"colon", func(p *layouttest.Page) { p.Set(72, 300, 9, layouttest.Roman, "Figure 1: What it shows.") }, []string{"Figure 1: What it shows."}},
		{"two lines", func(p *layouttest.Page) {
			p.Set(72, 300, 9, layouttest.Roman, "Table 2. A caption that runs on to the next line because it is so")
			p.Set(72, 310, 9, layouttest.Roman, "long.")
		}, []string{"Table 2. A caption that runs on to the next line because it is so long."}},
		{"label on its own line", func(p *layouttest.Page) {
			p.Set(290, 300, 8, layouttest.Roman, "TABLE IV")
			p.Set(270, 310, 8, layouttest.Roman, "WHAT IT HOLDS")
		}, []string{"TABLE IV WHAT IT HOLDS"}},
		{"print alone", func(p *layouttest.Page) {
			p.Set(72, 300, 9, layouttest.Bold, "Figure 3").Set(72+8*4.5+14, 300, 9, layouttest.Roman, "What it shows")
		}, []string{"Figure 3 What it shows"}},
		{"side by side", func(p *layouttest.Page) {
			p.Set(72, 300, 9, layouttest.Roman, "Figure 4: Left.").Set(330, 300, 9, layouttest.Roman, "Figure 5: Right.")
		}, []string{"Figure 4: Left.", "Figure 5: Right."}},
		{"Chinese", func(p *layouttest.Page) {
			p.Set(200, 300, 9, layouttest.Roman, "图 1-1: 装置示意图").Set(200, 330, 9, layouttest.Roman, "表 5-1：数据表")
		}, []string{"图 1-1: 装置示意图", "表 5-1：数据表"}},
		{"other languages", func(p *layouttest.Page) {
			for i, text := range []string{"Abbildung 1: Das Modell", "Tabla 2. Los datos", "Рис. 3. Схема", "Таблица 4: Данные", "Tableau 5: Les données"} {
				p.Set(72, 300+30*float64(i), 9, layouttest.Roman, text)
			}
		}, []string{"Abbildung 1: Das Modell", "Tabla 2. Los datos", "Рис. 3. Схема", "Таблица 4: Данные", "Tableau 5: Les données"}},
		{"Chinese mention", func(p *layouttest.Page) {
			p.Lines(72, 300, "图 5-7 和图 5-8 可以看出，浮子的位移始终小于一米。", "表 2 中给出。")
		}, nil},
		{"mention in a sentence", func(p *layouttest.Page) {
			p.Lines(72, 300, "We have three major observations that follow from Table 2 and", "Fig. 4. First, the situation is reversed with it.")
		}, nil},
		{"cell", func(p *layouttest.Page) {
			p.Set(72, 300, 9, layouttest.Roman, "Table 2").Set(120, 300, 9, layouttest.Roman, "31.0")
		}, nil},
		{"sentence at the head of a paragraph", func(p *layouttest.Page) { p.Lines(72, 300, "Table 1 lists the models by size.") }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := layouttest.NewPage()
			p.Lines(72, 80, column("body", 12)...)
			tt.set(p)
			p.Lines(72, 500, column("more", 12)...)
			doc := layouttest.Analyze(p)
			var got []string
			for _, l := range doc.Pages[0].Lines {
				switch {
				case l.Caption > len(got):
					got = append(got, l.Text())
				case l.Caption > 0:
					got[l.Caption-1] += " " + l.Text()
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestAnEmptyPaperIsNoTrouble(t *testing.T) {
	if doc := layout.Analyze(nil); len(doc.Pages) != 0 || doc.Flow(nil) != "" {
		t.Errorf("got %+v", doc)
	}
	doc := layouttest.Analyze(layouttest.NewPage())
	if len(doc.Pages) != 1 || len(doc.Pages[0].Lines) != 0 {
		t.Errorf("got %+v", doc)
	}
}

// sheet returns a page of two columns, painted column by column, of which the left one has n lines.
func sheet(name string, n int) *layouttest.Page {
	p := layouttest.NewPage()
	p.Lines(60, 100, column(name+" left", n)...)
	p.Lines(320, 100, column(name+" right", 40)...)
	return p
}

func TestBackgroundsDoNotJoinColumns(t *testing.T) {
	whole, middle, right := layout.Box{X1: 612, Y1: 792}, layout.Box{X0: 150, Y0: 250, X1: 460, Y1: 420}, layout.Box{X0: 250, Y0: 40, X1: 560, Y1: 600}
	inner := layout.Shape{Kind: pdf.Picture, Box: layout.Box{X0: 320, Y0: 620, X1: 540, Y1: 700}}
	tests := []struct {
		name   string
		shapes func(n int) []layout.Shape
		left   []layout.Shape
	}{
		{"the image of a scan", func(int) []layout.Shape { return []layout.Shape{{Kind: pdf.Picture, Box: whole}} }, nil},
		{"strips of a scan", func(int) (strips []layout.Shape) {
			for y := 0.0; y < 792; y += 33 {
				strips = append(strips, layout.Shape{Kind: pdf.Picture, Box: layout.Box{Y0: y, X1: 612, Y1: y + 33}})
			}
			return strips
		}, nil},
		{"a form around the page with a figure in it", func(int) []layout.Shape {
			return []layout.Shape{{Kind: pdf.Form, Box: layout.Box{X0: 60, Y0: 90, X1: 560, Y1: 700}, Parts: []layout.Shape{inner}}}
		}, []layout.Shape{inner}},
		{"a running head and a page number as one form", func(int) []layout.Shape { return []layout.Shape{{Kind: pdf.Form, Box: right}} }, nil},
		{"a watermark that grows from page to page", func(n int) []layout.Shape {
			d := 10 * float64(n)
			return []layout.Shape{{Kind: pdf.Picture, Box: middle.Grow(d)}}
		}, nil},
		{"the same stamp on each page", func(int) []layout.Shape {
			return []layout.Shape{{Kind: pdf.Form, Box: layout.Box{X0: 200, Y0: 520, X1: 460, Y1: 760}}}
		}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var pages []*layouttest.Page
			for n := range 3 {
				p := sheet(fmt.Sprint("page", n), 40)
				p.Shapes = tt.shapes(n)
				pages = append(pages, p)
			}
			for n, page := range layouttest.Analyze(pages...).Pages {
				want := slices.Concat(column(fmt.Sprintf("page%d left", n), 40), column(fmt.Sprintf("page%d right", n), 40))
				if diff := cmp.Diff(want, texts(page.Lines)); diff != "" {
					t.Fatalf("page %d (-want +got):\n%s", n, diff)
				}
				if diff := cmp.Diff(tt.left, page.Shapes); diff != "" {
					t.Errorf("shapes of page %d (-want +got):\n%s", n, diff)
				}
			}
		})
	}
}

func TestAWideFigureStaysOne(t *testing.T) {
	figure := layout.Box{X0: 60, Y0: 300, X1: 540, Y1: 460}
	for _, kind := range []pdf.ShapeKind{pdf.Picture, pdf.Form} {
		p := layouttest.NewPage()
		p.Lines(60, 100, column("upper left", 17)...) // the figure's margin covers the last line
		p.Lines(320, 100, column("upper right", 17)...)
		p.Shape(kind, figure)
		p.Set(80, 360, 8, layouttest.Roman, "an input that is read").Set(330, 360, 8, layouttest.Roman, "an output that is written")
		p.Set(80, 400, 10, layouttest.Roman, "encoder of the model").Set(330, 400, 10, layouttest.Roman, "decoder of the model")
		p.Lines(60, 500, column("lower left", 15)...)
		p.Lines(320, 500, column("lower right", 15)...)
		page := layouttest.Analyze(p).Pages[0]
		if len(page.Shapes) != 1 {
			t.Errorf("the figure is taken for a background")
		}
		order := []int{
			at(t, page.Lines, "upper left line 00"), at(t, page.Lines, "upper right line 00"),
			at(t, page.Lines, "an input that is read an output"), at(t, page.Lines, "lower left"), at(t, page.Lines, "lower right"),
		}
		if !slices.IsSorted(order) {
			t.Errorf("order %v of %q", order, texts(page.Lines))
		}
	}
}
