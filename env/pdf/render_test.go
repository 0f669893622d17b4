package pdf_test

import (
	"bytes"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/env/pdf"
	"airqa/internal/testkit"
)

func TestRenderBoxes(t *testing.T) {
	testkit.OneGoroutine(t)
	doc := open(t, letter(bar, ""))
	tests := []struct {
		name          string
		box           []float64
		dpi           float64
		width, height int
		want          [4]float64
		note          string
	}{
		{"whole page", nil, 72, 612, 792, [4]float64{0, 0, 612, 792}, ""},
		{"box", []float64{10, 20, 100, 50}, 144, 200, 100, [4]float64{10, 20, 100, 50}, ""},
		{"box over the edge", []float64{600, 700, 100, 200}, 72, 12, 92, [4]float64{600, 700, 12, 92}, "clamped"},
		{"box larger than the page", []float64{-5, -5, 5000, 5000}, 36, 306, 396, [4]float64{0, 0, 612, 792}, "clamped"},
		{"thin box", []float64{10, 10, 0.1, 30}, 72, 1, 30, [4]float64{10, 10, 0.1, 30}, ""},
		{"too fine", nil, 7200, 1758, 2275, [4]float64{0, 0, 612, 792}, "dpi"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := doc.Render(t.Context(), 1, tt.box, tt.dpi)
			if err != nil {
				t.Fatal(err)
			}
			if got.Width != tt.width || got.Height != tt.height {
				t.Errorf("got %d by %d pixels, want %d by %d", got.Width, got.Height, tt.width, tt.height)
			}
			if diff := cmp.Diff(tt.want, got.Box, near); diff != "" {
				t.Errorf("box (-want +got):\n%s", diff)
			}
			if notes := strings.Join(got.Notes, "; "); !strings.Contains(notes, tt.note) || (tt.note == "") != (notes == "") {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

func TestRenderRefusesBadBoxes(t *testing.T) {
	doc := open(t, letter(bar, ""))
	for _, box := range [][]float64{{1, 2}, {1, 2, 3}, {0, 0, 0, 10}, {0, 0, 10, -1}, {700, 0, 10, 10}, {0, 0, 1, nan()}} {
		var bad *pdf.BoxError
		if _, err := doc.Render(t.Context(), 1, box, 72); !errors.As(err, &bad) {
			t.Errorf("box %v: got %v, want a BoxError", box, err)
		}
	}
	if _, err := doc.Render(t.Context(), 1, nil, 0); err == nil {
		t.Error("0 dpi: no error")
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

func TestAnEnormousPageIsDrawnSmall(t *testing.T) {
	testkit.OneGoroutine(t)
	doc := open(t, build(bar, "/MediaBox [0 0 2000000 2000000]"))
	got, err := doc.Render(t.Context(), 1, nil, 150)
	if err != nil {
		t.Fatal(err)
	}
	if got.Width*got.Height > maxPixels+got.Width+got.Height || len(got.Notes) == 0 {
		t.Errorf("got %d by %d pixels, notes %q", got.Width, got.Height, got.Notes)
	}
	if _, err := doc.Glyphs(t.Context(), 1); err != nil {
		t.Errorf("the document is of no use afterwards: %v", err)
	}
}

func TestViewerDrawsFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "paper.pdf")
	if err := os.WriteFile(path, letter(bar, ""), 0o600); err != nil {
		t.Fatal(err)
	}
	v := pdf.Viewer{Pool: pool, DPI: 72}
	whole, notes, err := v.View(t.Context(), path, 1, nil)
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	if whole.Width != 612 || whole.Height != 792 || whole.MIME != "image/png" || len(whole.SHA256) != 64 || whole.Page != 1 || whole.Box != nil {
		t.Errorf("got %+v", whole)
	}
	part, notes, err := v.View(t.Context(), path, 1, []float64{600, 0, 50, 50})
	if err != nil || len(notes) != 1 {
		t.Fatal(err, notes)
	}
	if diff := cmp.Diff([]float64{600, 0, 12, 50}, part.Box, near); diff != "" {
		t.Errorf("box (-want +got):\n%s", diff)
	}
	var bad *pdf.PageError
	if _, _, err := v.View(t.Context(), path, 2, nil); !errors.As(err, &bad) {
		t.Errorf("page 2 of 1: %v", err)
	}
	if _, _, err := v.View(t.Context(), path+"x", 1, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestFormFieldsAreDrawn(t *testing.T) {
	field := "<< /Type /Annot /Subtype /Widget /FT /Btn /T (agree) /F 4 /Rect [100 600 200 700] /AS /Yes /V /Yes /P 3 0 R /AP << /N << /Yes 7 0 R >> >> >>"
	data := write([]string{
		"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> /Annots [6 0 R] >>",
		stream("", ""),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		field,
		stream("/Type /XObject /Subtype /Form /BBox [0 0 100 100]", "0 g 0 0 100 100 re f"),
	})
	doc := open(t, data)
	for _, box := range [][]float64{nil, {90, 82, 120, 120}} {
		got, err := doc.Render(t.Context(), 1, box, 72)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(got.PNG))
		if err != nil {
			t.Fatal(err)
		}
		x, y := 150-int(got.Box[0]), 142-int(got.Box[1])
		if r, _, _, _ := picture.At(x, y).RGBA(); r != 0 {
			t.Errorf("box %v: the field is not drawn", box)
		}
		if r, _, _, _ := picture.At(x-55, y).RGBA(); r == 0 {
			t.Errorf("box %v: the field is drawn too far left", box)
		}
	}
}
