package layout_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"airqa/env/pdf"
	"airqa/ingest/layout"
)

// FuzzAnalyze makes pages from arbitrary bytes. No character may be lost, except in running heads, or invented, and
// nothing may panic.
var unmarked = strings.NewReplacer("^", "", "_", "", "(", "", ")", "", " ", "")

func FuzzAnalyze(f *testing.F) {
	f.Add([]byte("some text on a page, nothing special, but long enough for a few glyphs here and there"))
	f.Add(binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.NaN())))
	f.Add([]byte{0xFF, 0x7F, 0, 0, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18})
	f.Fuzz(func(t *testing.T, data []byte) {
		inputs := pagesOf(data)
		doc := layout.Analyze(inputs)
		if len(doc.Pages) != len(inputs) {
			t.Fatalf("%d pages of %d", len(doc.Pages), len(inputs))
		}
		glyphs, chars := 0, 0
		for i, p := range doc.Pages {
			glyphs += len(inputs[i].Glyphs)
			_, _, _ = doc.Lines(p.Lines), doc.Flow(p.Lines), doc.Joined(p.Lines)
			for _, l := range p.Lines {
				chars += len([]rune(unmarked.Replace(l.Text())))
				_ = l.Cells()
			}
		}
		if chars > glyphs { // apart from the marks of scripts
			t.Errorf("%d characters of %d glyphs", chars, glyphs)
		}
	})
}

// pagesOf takes ten bytes per glyph: its position in eighths of a point, size, angle, rune.
func pagesOf(data []byte) []layout.Input {
	inputs := []layout.Input{{Sheet: layout.Sheet{Width: 612, Height: 792}}}
	for len(data) >= 10 {
		x, y := float64(int16(binary.LittleEndian.Uint16(data)))/8, float64(int16(binary.LittleEndian.Uint16(data[2:])))/8
		g := layout.Glyph{
			Rune: rune(data[4]), X: x, Baseline: y, Size: float64(data[5]) / 4, Angle: int(data[6]) % 360,
			Box: layout.Box{X0: x, Y0: y - 5, X1: x + float64(data[7]), Y1: y}, LineEnd: data[8] > 250, Font: "CMR10",
		}
		if data[8] == 7 {
			g.X = math.Inf(1)
		}
		in := &inputs[len(inputs)-1]
		in.Glyphs = append(in.Glyphs, g)
		if data[9] > 240 {
			in.Shapes = append(in.Shapes, layout.Shape{Kind: pdf.ShapeKind(data[9] % 3), Box: g.Box})
		}
		if data[9] == 240 {
			inputs = append(inputs, layout.Input{Sheet: layout.Sheet{Width: 612, Height: 792}})
		}
		data = data[10:]
	}
	return inputs
}
