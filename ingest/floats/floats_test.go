package floats_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/env/pdf"
	"airqa/ingest/floats"
	"airqa/ingest/layout"
	"airqa/internal/testkit/layouttest"
)

var ignoreHTML = cmpopts.IgnoreFields(floats.Float{}, "HTML")

// text adds lines of running text.
func text(p *layouttest.Page, y float64, n int) float64 {
	for range n {
		y = p.Lines(72, y, "running text that fills the page from the left edge to the right one, as it does in a paper,")
	}
	return y
}

// rounded rounds boxes to whole points for comparison.
func rounded(list []floats.Float) []floats.Float {
	for i := range list {
		b := &list[i].Box
		*b = layout.Box{X0: math.Round(b.X0), Y0: math.Round(b.Y0), X1: math.Round(b.X1), Y1: math.Round(b.Y1)}
	}
	return list
}

func TestAFigureIsWhatIsDrawnAboveItsCaption(t *testing.T) {
	p := layouttest.NewPage()
	text(p, 80, 5)
	p.Shape(pdf.Form, layout.Box{X0: 150, Y0: 160, X1: 300, Y1: 250}).Shape(pdf.Picture, layout.Box{X0: 310, Y0: 170, X1: 450, Y1: 240})
	p.Set(200, 262, 8, layouttest.Roman, "(a) left")
	p.Set(150, 290, 9, layouttest.Roman, "Figure 1: Two parts.")
	text(p, 330, 8)
	got := floats.Find(layouttest.Analyze(p))
	want := floats.Floats{Figures: []floats.Float{
		{Number: "1", Caption: "Figure 1: Two parts.", Page: 1, Box: layout.Box{X0: 150, Y0: 160, X1: 450, Y1: 264}, Sure: true},
	}}
	rounded(got.Figures)
	if diff := cmp.Diff(want, got, ignoreHTML); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if regions := got.Regions()[1]; len(regions) != 1 {
		t.Errorf("regions %v", regions)
	}
}

func TestFiguresSideBySide(t *testing.T) {
	p := layouttest.NewPage()
	text(p, 80, 5)
	left, right := layout.Box{X0: 100, Y0: 160, X1: 250, Y1: 250}, layout.Box{X0: 330, Y0: 160, X1: 480, Y1: 250}
	p.Shape(pdf.Form, left).Shape(pdf.Form, right)
	p.Set(120, 270, 9, layouttest.Roman, "Figure 1: Left.").Set(350, 270, 9, layouttest.Roman, "Figure 2: Right.")
	text(p, 310, 8)
	got := floats.Find(layouttest.Analyze(p)).Figures
	want := []floats.Float{
		{Number: "1", Caption: "Figure 1: Left.", Page: 1, Box: left, Sure: true},
		{Number: "2", Caption: "Figure 2: Right.", Page: 1, Box: right, Sure: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// ruled adds a table with three rules and two rows, and returns its box.
func ruled(p *layouttest.Page, y float64) layout.Box {
	p.Rule(150, 400, y).Rule(150, 400, y+16).Rule(150, 400, y+30)
	for i, row := range [][]string{{"model", "score"}, {"ours", "91.2"}} {
		p.Set(155, y+12+14*float64(i), 9, layouttest.Roman, row[0]).Set(350, y+12+14*float64(i), 9, layouttest.Roman, row[1])
	}
	return layout.Box{X0: 150, Y0: y, X1: 400, Y1: math.Round(y + 30.4)}
}

func TestTablesAreWhereThePaperSetsThem(t *testing.T) {
	tests := []struct {
		name  string
		below bool // captions below their tables
	}{{"captions above", false}, {"captions below", true}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := layouttest.NewPage()
			y := text(p, 80, 3)
			var want []floats.Float
			for _, caption := range []string{"Table 1: First.", "Table 2: Second."} {
				y += 22
				if !tt.below {
					p.Set(200, y, 9, layouttest.Roman, caption)
					y += 12
				}
				box := ruled(p, y)
				y = box.Y1
				if tt.below {
					y += 14
					p.Set(200, y, 9, layouttest.Roman, caption)
				}
				want = append(want, floats.Float{Number: caption[6:7], Caption: caption, Page: 1, Box: box, Sure: true})
			}
			text(p, y+40, 10)
			got := floats.Find(layouttest.Analyze(p)).Tables
			rounded(got)
			if diff := cmp.Diff(want, got, ignoreHTML); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			const html = "<table><tr><td>model</td><td>score</td></tr><tr><td>ours</td><td>91.2</td></tr></table>"
			for _, table := range got {
				if table.HTML != html {
					t.Errorf("%s: %s", table.Caption, table.HTML)
				}
			}
		})
	}
}

func TestSpanningCells(t *testing.T) {
	p := layouttest.NewPage()
	text(p, 80, 3)
	p.Set(100, 140, 9, layouttest.Roman, "Table 1: Spans.")
	p.Rule(100, 400, 150).Rule(100, 400, 200)
	set := func(x, y float64, s string) { p.Set(x, y, 9, layouttest.Roman, s) }
	set(210, 162, "scores on both sets")
	set(105, 176, "model")
	set(210, 176, "first")
	set(270, 176, "second")
	set(105, 190, "a<b")
	set(270, 190, "7")
	text(p, 240, 8)
	got := floats.Find(layouttest.Analyze(p)).Tables
	const want = `<table><tr><td></td><td colspan="2">scores on both sets</td></tr>` +
		"<tr><td>model</td><td>first</td><td>second</td></tr><tr><td>a&lt;b</td><td></td><td>7</td></tr></table>"
	if len(got) != 1 || got[0].HTML != want {
		t.Errorf("got %+v\nwant %s", got, want)
	}
}

func TestCellsBetweenTwoRowsReachOverBoth(t *testing.T) {
	p := layouttest.NewPage()
	text(p, 80, 3)
	p.Set(100, 140, 9, layouttest.Roman, "Table 1: Heads of two lines.")
	p.Rule(100, 400, 150).Rule(100, 400, 210)
	set := func(x, y float64, s string) { p.Set(x, y, 9, layouttest.Roman, s) }
	set(210, 162, "dev set")
	set(300, 162, "test set")
	set(105, 167.5, "model")
	set(210, 173, "F1")
	set(300, 173, "F1")
	set(105, 186, "ours")
	set(210, 186, "90")
	set(300, 186, "91")
	text(p, 240, 8)
	got := floats.Find(layouttest.Analyze(p)).Tables
	const want = `<table><tr><td rowspan="2">model</td><td>dev set</td><td>test set</td></tr><tr><td>F1</td><td>F1</td></tr>` +
		"<tr><td>ours</td><td>90</td><td>91</td></tr></table>"
	if len(got) != 1 || got[0].HTML != want {
		t.Errorf("got %+v\nwant %s", got, want)
	}
}

func TestAFrameWithTheEndsOfTheTextIsATableNotAFootnote(t *testing.T) {
	p := layouttest.NewPage()
	text(p, 80, 30)
	p.Rule(72, 280, 500).Rule(72, 280, 540)
	p.Set(76, 512, 8, layouttest.Roman, "layers").Set(160, 512, 8, layouttest.Roman, "score")
	p.Set(76, 526, 8, layouttest.Roman, "12").Set(160, 526, 8, layouttest.Roman, "91.3")
	p.Set(72, 560, 10, layouttest.Roman, "Table 6: Layers.")
	got := floats.Find(layouttest.Analyze(p)).Tables
	const want = "<table><tr><td>layers</td><td>score</td></tr><tr><td>12</td><td>91.3</td></tr></table>"
	if len(got) != 1 || got[0].HTML != want {
		t.Errorf("got %+v\nwant %s", got, want)
	}
}

func TestRowsOfATableAndLabelsOfAFigureStandAlone(t *testing.T) {
	p := layouttest.NewPage()
	text(p, 80, 3)
	p.Rule(100, 400, 150).Rule(100, 400, 210)
	for i, row := range []string{"a long first cell that runs on and on", "Another that looks like its sentence", "and the third"} {
		p.Set(105, 162+12*float64(i), 9, layouttest.Roman, row).Set(340, 162+12*float64(i), 9, layouttest.Roman, "7")
	}
	p.Set(100, 225, 9, layouttest.Roman, "Table 1: Sentences.")
	text(p, 250, 8)
	doc := layouttest.Analyze(p)
	floats.Find(doc).MarkRows(doc)
	for _, l := range doc.Pages[0].Lines {
		if l.Baseline > 150 && l.Baseline < 210 && !l.Break {
			t.Errorf("%q continues the row above", l.Text())
		}
	}
}

func TestACaptionWithNothingBesideIt(t *testing.T) {
	p := layouttest.NewPage()
	y := text(p, 80, 10)
	p.Set(200, y+100, 9, layouttest.Roman, "Figure 7: Lost.")
	text(p, y+150, 10)
	got := floats.Find(layouttest.Analyze(p))
	if len(got.Figures) != 1 || got.Figures[0].Sure || len(got.Regions()) != 0 {
		t.Fatalf("got %+v, want a caption without a region", got)
	}
	if b := got.Figures[0].Box; b.X0 != 72 || b.Y0 < y-12 || b.Y0 > y || b.Y1 > y+100 || b.Y1 < y+90 {
		t.Errorf("box %+v, want the space above the caption, from %g to %g", b, y, y+93)
	}
}

func TestRomanNumbersAreInOrder(t *testing.T) {
	p := layouttest.NewPage()
	text(p, 80, 3)
	for i, caption := range []string{"Table IX: i.", "Table IV: d.", "Table V: e."} {
		p.Set(200, 200+60*float64(i), 9, layouttest.Roman, caption)
	}
	var numbers []string
	for _, f := range floats.Find(layouttest.Analyze(p)).Tables {
		numbers = append(numbers, f.Number)
	}
	if diff := cmp.Diff([]string{"IV", "V", "IX"}, numbers); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
