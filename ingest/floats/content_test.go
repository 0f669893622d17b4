package floats_test

import (
	"fmt"
	"strings"
	"testing"

	"airqa/ingest/floats"
	"airqa/ingest/layout"
	"airqa/internal/testkit/layouttest"
)

// onlyTable returns the content of the only table of a page.
func onlyTable(t *testing.T, p *layouttest.Page) string {
	t.Helper()
	tables := floats.Find(layouttest.Analyze(p)).Tables
	if len(tables) != 1 {
		t.Fatalf("%d tables, want 1: %+v", len(tables), tables)
	}
	return tables[0].HTML
}

func TestATableMayFillThePage(t *testing.T) {
	p := layouttest.NewPage()
	p.Rule(100, 500, 80).Rule(100, 500, 96)
	for i := range 50 {
		y := 92 + 11*float64(i)
		p.Set(105, y, 8, layouttest.Roman, fmt.Sprintf("game%02d", i)).Set(250, y, 8, layouttest.Roman, "1.5").Set(400, y, 8, layouttest.Roman, "2.5")
	}
	p.Rule(100, 500, 640)
	p.Set(100, 660, 10, layouttest.Roman, "Table 1: All games.")
	if got := onlyTable(t, p); !strings.Contains(got, "<tr><td>game00</td><td>1.5</td><td>2.5</td></tr>") || !strings.Contains(got, "game49") {
		t.Errorf("got %s", got)
	}
}

func TestABoxOfTextIsATableOfParagraphs(t *testing.T) {
	p := layouttest.NewPage()
	y := text(p, 80, 5) + 20
	p.Rule(72, 520, y)
	p.Lines(80, y+14, "You are a reader of papers & write queries.", "Give one a line.")
	p.Rule(72, 520, y+34)
	p.Set(180, y+54, 10, layouttest.Roman, "Table 1: The prompt.")
	text(p, y+90, 8)
	if got, want := onlyTable(t, p), "<table><tr><td>You are a reader of papers &amp; write queries."; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s …", got, want)
	}
}

func TestAShortCaptionMayHeadATableOverBothColumns(t *testing.T) {
	p := layouttest.NewPage()
	column := func(y float64, n int) {
		for range n {
			p.Set(72, y, 10, layouttest.Roman, "a line of the left column of this text").Set(320, y, 10, layouttest.Roman, "a line of the right column of the text")
			y += 12
		}
	}
	column(80, 8)
	p.Set(72, 200, 8, layouttest.Roman, "Table 1. Efficiency")
	p.Rule(72, 510, 206).Rule(72, 510, 222).Rule(72, 510, 250)
	for i, row := range [][]string{{"place", "low", "high"}, {"creek", "0.5", "0.9"}, {"hill", "0.4", "0.8"}} {
		for k, cell := range row {
			p.Set(75+150*float64(k), 217+12*float64(i), 8, layouttest.Roman, cell)
		}
	}
	column(290, 30)
	if got := onlyTable(t, p); !strings.Contains(got, "<tr><td>creek</td><td>0.5</td><td>0.9</td></tr>") {
		t.Errorf("got %s", got)
	}
}

func TestATableMayHaveTwoPartsSideBySide(t *testing.T) {
	p := layouttest.NewPage()
	y := text(p, 80, 5) + 20
	p.Set(200, y, 10, layouttest.Roman, "Table 1: Positions and speeds.")
	p.Set(140, y+16, 9, layouttest.Roman, "(a) first").Set(380, y+16, 9, layouttest.Roman, "(b) second")
	for part := range 2 {
		x := 75 + 225*float64(part)
		p.Rule(x, x+215, y+22).Rule(x, x+215, y+38).Rule(x, x+215, y+66)
		for row, cells := range [][]string{{"time", "speed"}, {"10", "0.25"}, {"20", "0.75"}} {
			p.Set(x+10, y+34+13*float64(row), 9, layouttest.Roman, cells[0]).Set(x+120, y+34+13*float64(row), 9, layouttest.Roman, cells[1])
		}
	}
	text(p, y+100, 8)
	if got := onlyTable(t, p); !strings.Contains(got, "<tr><td>10</td><td>0.25</td><td>10</td><td>0.25</td></tr>") {
		t.Errorf("got %s", got)
	}
}

func TestTheRuleUnderTheRunningHeadIsNoPartOfATable(t *testing.T) {
	p := layouttest.NewPage()
	p.Rule(72, 520, 46)
	p.Rule(72, 520, 80).Rule(72, 520, 96).Rule(72, 520, 112)
	for row, cells := range [][]string{{"model", "score"}, {"ours", "91.2"}} {
		p.Set(80, 91+15*float64(row), 9, layouttest.Roman, cells[0]).Set(400, 91+15*float64(row), 9, layouttest.Roman, cells[1])
	}
	p.Set(180, 130, 10, layouttest.Roman, "Table 1: Scores.")
	text(p, 170, 20)
	tables := floats.Find(layouttest.Analyze(p)).Tables
	if len(tables) != 1 || tables[0].Box.Y0 < 79 {
		t.Errorf("got %+v", tables)
	}
}

// sideways rotates the content of a page by 90 degrees, so that text runs up.
func sideways(p *layouttest.Page) *layouttest.Page {
	up := func(b layout.Box) layout.Box {
		return layout.Box{X0: b.Y0, Y0: 700 - b.X1, X1: b.Y1, Y1: 700 - b.X0}
	}
	for i := range p.Glyphs {
		g := &p.Glyphs[i]
		g.X, g.Baseline, g.Angle, g.Box = g.Baseline, 700-g.X, 90, up(g.Box)
	}
	for i := range p.Shapes {
		p.Shapes[i].Box = up(p.Shapes[i].Box)
	}
	return p
}

func TestATableMayBeSetSidewaysBesideText(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(50, 60, 8, layouttest.Roman, "Table 1: Places of the study.")
	p.Rule(50, 450, 66).Rule(50, 450, 80).Rule(50, 450, 110)
	for i, row := range [][]string{{"creek", "area", "rain"}, {"upper", "8700", "1472"}, {"lower", "195", "866"}} {
		for k, cell := range row {
			p.Set(55+150*float64(k), 77+14*float64(i), 8, layouttest.Roman, cell)
		}
	}
	p = sideways(p)
	for i := range 40 {
		p.Set(300, 80+12*float64(i), 10, layouttest.Roman, "a line of the right column of the text")
	}
	doc := layouttest.Analyze(p)
	tables := floats.Find(doc).Tables
	if len(tables) != 1 || !strings.Contains(tables[0].HTML, "<tr><td>upper</td><td>8700</td><td>1472</td></tr>") {
		t.Fatalf("got %+v", tables)
	}
	if b := tables[0].Box; b.X0 < 60 || b.X1 > 115 || b.Y0 < 245 || b.Y1 > 655 {
		t.Errorf("box %v", b)
	}
	if text := doc.Lines(doc.Pages[0].Lines); !strings.Contains(text, "upper 8700 1472") {
		t.Errorf("text %s", text)
	}
}

func TestAListOfTablesHasNoCaptions(t *testing.T) {
	p := layouttest.NewPage()
	y := text(p, 80, 5) + 20
	p.Set(72, y, 10, layouttest.Bold, "Table 9 Table 10 Table 11")
	p.Set(72, y+20, 10, layouttest.Roman, "Table 1: Efficiency of the places . . . . . . . . 12")
	text(p, y+60, 5)
	if got := floats.Find(layouttest.Analyze(p)).Tables; len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}
