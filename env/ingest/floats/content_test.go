package floats_test

import (
	"fmt"
	"strings"
	"testing"

	"airqa/env/ingest/floats"
	"airqa/env/ingest/layout/layouttest"
)

// onlyTable is the content of the single table of a page.
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
