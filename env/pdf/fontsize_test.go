package pdf_test

import (
	"fmt"
	"strings"
	"testing"
)

// bitmapFont returns a page with a Type 3 font as dvips makes them: one unit is a pixel, so that the nominal size is that
// of a pixel. Letters are filled boxes with the proportions of Computer Modern at 10 points; the codes without a height
// are symbols.
func bitmapFont(content string, pixel float64, heights map[rune]float64) []byte {
	const points = 10
	var procs, differences, objects []string
	for r := 'a'; r <= 'z'; r++ {
		em := points / pixel
		height, width := heights[r]*em, 0.5*em
		if height == 0 {
			height = 0.3 * em
		}
		differences = append(differences, fmt.Sprintf("%d /%c", r, r))
		procs = append(procs, fmt.Sprintf("/%c %d 0 R", r, 6+len(objects)))
		objects = append(objects, stream("", fmt.Sprintf("%[1]g 0 0 0 %[1]g %[2]g d1 0 0 %[1]g %[2]g re f", width, height)))
	}
	widths := strings.Repeat(fmt.Sprintf("%g ", 5/pixel), 26)
	return write(append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >> >>",
		stream("", content),
		"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 0 0] /FontMatrix [1 0 0 1 0 0] /FirstChar 97 /LastChar 122 /Widths [" + widths + "]" +
			" /Encoding << /Type /Encoding /Differences [" + strings.Join(differences, " ") + "] >> /CharProcs << " + strings.Join(procs, " ") + " >> >>",
	}, objects...))
}

func TestBitmapFontsHaveTheSizeOfTheirLetters(t *testing.T) {
	letters := map[rune]float64{'a': 0.43, 'c': 0.43, 'e': 0.43, 'n': 0.43, 'o': 0.43, 'b': 0.69, 'd': 0.69, 'h': 0.69}
	tests := []struct {
		name    string
		content string
		pixel   float64
		letters map[rune]float64
		want    float64
	}{
		{"300 dots per inch", "BT /F1 0.24 Tf 100 700 Td (bad once) Tj ET", 0.24, letters, 10},
		{"1200 dots per inch", "BT /F1 0.06 Tf 100 700 Td (bad once) Tj ET", 0.06, letters, 10},
		{"the scale in the text matrix", "BT /F1 1 Tf 0.24 0 0 0.24 100 700 Tm (bad once) Tj ET", 0.24, letters, 10},
		{"sideways", "BT /F1 1 Tf 0 0.24 -0.24 0 100 400 Tm (bad once) Tj ET", 0.24, letters, 10},
		{"a nominal size that is right", "BT /F1 10 Tf 100 700 Td (bad once) Tj ET", 10, letters, 10},
		{"letters of another design", "BT /F1 10 Tf 100 700 Td (bad once) Tj ET", 10, map[rune]float64{'a': 0.3, 'e': 0.3, 'b': 0.9}, 10},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			glyphs, err := open(t, bitmapFont(tt.content, tt.pixel, tt.letters)).Glyphs(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(glyphs); !strings.Contains(got, "bad") {
				t.Fatalf("got %q", got)
			}
			for _, g := range glyphs {
				if g.Rune != ' ' && (g.Size < 0.95*tt.want || g.Size > 1.05*tt.want) {
					t.Errorf("%c has size %.2f, want %g", g.Rune, g.Size, tt.want)
				}
			}
		})
	}
}
