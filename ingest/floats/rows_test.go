package floats_test

import (
	"fmt"
	"strings"
	"testing"

	"airqa/ingest/floats"
	"airqa/internal/testkit/layouttest"
)

func TestTablesSideBySideHaveTheirOwnRows(t *testing.T) {
	p := layouttest.NewPage()
	y := text(p, 80, 4) + 20
	for k := range 3 {
		x := 80 + 150*float64(k)
		p.Set(x, y, 10, layouttest.Roman, fmt.Sprintf("Table %d: Net %d", k+1, k+1))
		rows := 6 + k
		for i := range rows {
			p.Set(x+20, y+24+14*float64(i), 10, layouttest.Roman, fmt.Sprintf("conv %d", 10*(k+1)+i))
		}
		p.Rule(x, x+120, y+12).Rule(x, x+120, y+29).Rule(x, x+120, y+16+14*float64(rows))
	}
	text(p, y+160, 6)
	tables := floats.Find(layouttest.Analyze(p)).Tables
	if len(tables) != 3 {
		t.Fatalf("%d tables", len(tables))
	}
	for k, table := range tables {
		for i := range 6 + k {
			if want := fmt.Sprintf("<tr><td>conv %d</td></tr>", 10*(k+1)+i); !strings.Contains(table.HTML, want) {
				t.Errorf("table %d lacks %s: %s", k+1, want, table.HTML)
			}
		}
		if strings.Count(table.HTML, "conv") != 6+k {
			t.Errorf("table %d has rows of others: %s", k+1, table.HTML)
		}
	}
}

func TestPartsOfATableMayDifferInHeight(t *testing.T) {
	p := layouttest.NewPage()
	y := text(p, 80, 4) + 20
	p.Set(180, y+120, 10, layouttest.Roman, "Table 1: Wide data and long data.")
	part := func(x, top float64, rows int) {
		p.Rule(x, x+150, top).Rule(x, x+150, top+16).Rule(x, x+150, top+18+12*float64(rows))
		for i := range rows {
			p.Set(x+5, top+12+14*float64(i), 9, layouttest.Roman, fmt.Sprintf("row%d%d", rows, i)).Set(x+90, top+12+14*float64(i), 9, layouttest.Roman, "0.5")
		}
	}
	part(100, y+30, 3)
	part(320, y, 7)
	text(p, y+150, 8)
	tables := floats.Find(layouttest.Analyze(p)).Tables
	if len(tables) != 1 {
		t.Fatalf("%d tables", len(tables))
	}
	if got := tables[0]; got.Box.X0 > 101 || got.Box.X1 < 469 || !strings.Contains(got.HTML, "row32") || !strings.Contains(got.HTML, "row76") {
		t.Errorf("got %+v", got)
	}
}

// rowsAt sets rows of three cells, and returns the next baseline.
func rowsAt(p *layouttest.Page, y float64, n int) float64 {
	for i := range n {
		p.Set(150, y, 10, layouttest.Roman, fmt.Sprintf("sign%d", i)).Set(260, y, 10, layouttest.Roman, "0.25").Set(380, y, 10, layouttest.Roman, "1.75")
		y += 14
	}
	return y
}

func TestATableWithoutRules(t *testing.T) {
	p := layouttest.NewPage()
	p.Rule(72, 532, 60) // under a running head
	p.Set(150, 100, 10, layouttest.Roman, "Table 1: Signs.")
	y := text(p, 124, 2) // a note
	y = rowsAt(p, y+10, 5)
	text(p, y+20, 10)
	got := onlyTable(t, p)
	if strings.Count(got, "<tr>") != 5 || !strings.Contains(got, "<tr><td>sign4</td><td>0.25</td><td>1.75</td></tr>") {
		t.Errorf("got %s", got)
	}
}

func TestATableWithoutALastRule(t *testing.T) {
	p := layouttest.NewPage()
	y := text(p, 80, 4) + 20
	p.Set(150, y, 10, layouttest.Roman, "Table 1: Signs.")
	p.Rule(140, 420, y+6).Rule(140, 420, y+22)
	y = rowsAt(p, y+18, 6)
	text(p, y+20, 10)
	tables := floats.Find(layouttest.Analyze(p)).Tables
	if len(tables) != 1 || strings.Count(tables[0].HTML, "<tr>") != 6 || tables[0].Box.Height() < 70 {
		t.Errorf("got %+v", tables)
	}
}

func TestALongTextBetweenTwoRulesIsATable(t *testing.T) {
	p := layouttest.NewPage()
	p.Set(150, 80, 10, layouttest.Roman, "Table 1: Options.")
	p.Rule(72, 540, 90)
	for i := range 30 {
		p.Set(80, 104+16*float64(i), 10, layouttest.Roman, fmt.Sprintf("option%02d sets the size of the main font of the whole document to a", i))
	}
	p.Rule(72, 540, 590)
	text(p, 620, 8)
	if got := onlyTable(t, p); !strings.Contains(got, "option00") || !strings.Contains(got, "option29") {
		t.Errorf("got %s", got)
	}
}

// The rule under the head of some columns looks like that above footnotes.
func TestRowsUnderAPartialRuleStayInTheirTable(t *testing.T) {
	p := layouttest.NewPage()
	y := text(p, 80, 30) + 20
	p.Set(72, y, 10, layouttest.Roman, "Table 1: Sites.")
	p.Rule(72, 532, y+6)
	p.Set(72, y+18, 8, layouttest.Roman, "Site").Set(220, y+18, 8, layouttest.Roman, "10").Set(400, y+18, 8, layouttest.Roman, "20")
	p.Rule(72, 200, y+22)
	for i := range 4 {
		at := y + 34 + 11*float64(i)
		p.Set(72, at, 8, layouttest.Roman, fmt.Sprintf("creek%d", i)).Set(220, at, 8, layouttest.Roman, "0.82").Set(400, at, 8, layouttest.Roman, "0.85")
	}
	p.Rule(72, 532, y+74)
	if got := onlyTable(t, p); !strings.Contains(got, "<td>creek3</td><td>0.82</td><td>0.85</td>") {
		t.Errorf("got %s", got)
	}
}
