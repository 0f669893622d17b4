package floats_test

import (
	"math"
	"strings"
	"testing"

	"airqa/env/pdf"
	"airqa/ingest/floats"
	"airqa/ingest/layout"
	"airqa/internal/testkit/layouttest"
)

// FuzzFind puts captions, text and shapes at arbitrary positions. Each caption yields one figure or table with a box on
// the page, and nothing may panic.
func FuzzFind(f *testing.F) {
	f.Add([]byte("0aaaabbbb1aaaacccc2ddddeeee3fffgggghhh"))
	f.Add([]byte{0, 10, 10, 90, 90, 3, 12, 95, 60, 4, 1, 12, 20, 70, 70, 2, 9, 30, 80, 2, 4, 1, 1, 1, 1})
	f.Add([]byte{2, 10, 100, 40, 0, 2, 10, 110, 40, 0, 4, 10, 130, 0, 0, 5, 12, 104, 0, 0, 5, 24, 107, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		page, captions := anyPage(data)
		doc := layouttest.Analyze(page)
		got := floats.Find(doc)
		got.MarkRows(doc)
		if n := len(got.Figures) + len(got.Tables); n > captions {
			t.Errorf("%d figures and tables of %d captions", n, captions)
		}
		for _, float := range append(got.Figures, got.Tables...) {
			check(t, float)
		}
	})
}

func check(t *testing.T, f floats.Float) {
	t.Helper()
	b := f.Box
	for _, v := range []float64{b.X0, b.Y0, b.X1, b.Y1} {
		if math.IsNaN(v) || v < 0 || v > 792 {
			t.Errorf("%q: box %+v is not on the page", f.Caption, b)
		}
	}
	if b.X1 < b.X0 || b.Y1 < b.Y0 {
		t.Errorf("%q: box %+v is inside out", f.Caption, b)
	}
	if strings.Count(f.HTML, "<tr>") != strings.Count(f.HTML, "</tr>") || strings.Count(f.HTML, "<td") != strings.Count(f.HTML, "</td>") {
		t.Errorf("%q: %s", f.Caption, f.HTML)
	}
}

// anyPage takes five bytes per part of a page: kind, position and size.
func anyPage(data []byte) (page *layouttest.Page, captions int) {
	page = layouttest.NewPage()
	for ; len(data) >= 5 && captions < 50; data = data[5:] {
		x, y := 5*float64(int8(data[1])), 6*float64(data[2])
		box := layout.Box{X0: x, Y0: y, X1: x + 4*float64(data[3]), Y1: y + 4*float64(data[4])}
		switch data[0] % 8 {
		case 0, 1:
			page.Shape(pdf.ShapeKind(data[0]%3), box)
		case 2:
			page.Rule(x, x+4*float64(data[3]), y)
		case 3:
			page.Set(x, y, 9, layouttest.Roman, "Figure 1: Something that is drawn.")
			captions++
		case 4:
			page.Set(x, y, 9, layouttest.Roman, "Table II: Rows and columns.")
			captions++
		case 5:
			page.Set(x, y, 9, layouttest.Roman, "cell")
		case 6:
			page.Lines(x, y, "running text that fills the page from the left edge to the right one, as it does in a paper,")
		default:
			page.Set(x, y, float64(data[3]%32), layouttest.Bold, strings.Repeat("x", int(data[4])))
		}
	}
	return page, captions
}
