package pdf_test

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"airqa/env/pdf"
)

// bar is a black box from (100, 500) to (300, 560) in user space, with a word on its top edge.
const bar = "0 g 100 500 200 60 re f " + "BT /F1 12 Tf 100 560 Td (Top) Tj ET"

// near tolerates rounding to 32-bit floats and whole pixels.
var near = cmpopts.EquateApprox(0, 0.02)

func rotated(t *testing.T, data []byte, degrees int) []byte {
	return edit(t, data, func(in *bytes.Reader, out *bytes.Buffer, conf *model.Configuration) error {
		return api.Rotate(in, out, degrees, nil, conf)
	})
}

func cropped(t *testing.T, data []byte, box string) []byte {
	return edit(t, data, func(in *bytes.Reader, out *bytes.Buffer, conf *model.Configuration) error {
		b, err := api.Box(box, types.POINTS)
		if err != nil {
			return err
		}
		return api.Crop(in, io.Writer(out), nil, b, conf)
	})
}

func TestOneFrameForRotatedAndCroppedPages(t *testing.T) {
	plain := letter(bar, "")
	crop := cropped(t, plain, "[50 400 450 700]")
	tests := []struct {
		name          string
		data          []byte
		width, height float64
		bar           pdf.Box
		angle         int // of the word
	}{
		{"plain", plain, 612, 792, pdf.Box{X0: 100, Y0: 232, X1: 300, Y1: 292}, 0},
		{"quarter turn", rotated(t, plain, 90), 792, 612, pdf.Box{X0: 500, Y0: 100, X1: 560, Y1: 300}, 270},
		{"half turn", rotated(t, plain, 180), 612, 792, pdf.Box{X0: 312, Y0: 500, X1: 512, Y1: 560}, 180},
		{"three quarters", rotated(t, plain, 270), 792, 612, pdf.Box{X0: 232, Y0: 312, X1: 292, Y1: 512}, 90},
		{"cropped", crop, 400, 300, pdf.Box{X0: 50, Y0: 140, X1: 250, Y1: 200}, 0},
		{"cropped and turned", rotated(t, crop, 90), 300, 400, pdf.Box{X0: 100, Y0: 50, X1: 160, Y1: 250}, 270},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := open(t, tt.data)
			width, height, err := doc.PageSize(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if width != tt.width || height != tt.height {
				t.Errorf("page is %g by %g, want %g by %g", width, height, tt.width, tt.height)
			}
			shapes, err := doc.Shapes(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]pdf.Shape{{Kind: pdf.Path, Box: tt.bar}}, shapes, near); diff != "" {
				t.Errorf("shapes (-want +got):\n%s", diff)
			}
			checkWord(t, doc, tt.bar, tt.angle)
			checkInk(t, doc, tt.bar)
		})
	}
}

// checkWord requires the word's origin to be on a corner of the bar.
func checkWord(t *testing.T, doc *pdf.Document, bar pdf.Box, angle int) {
	t.Helper()
	glyphs, err := doc.Glyphs(t.Context(), 1)
	if err != nil || len(glyphs) < 3 {
		t.Fatalf("%d glyphs, %v", len(glyphs), err)
	}
	g := glyphs[0]
	onX := math.Min(math.Abs(g.X-bar.X0), math.Abs(g.X-bar.X1))
	onY := math.Min(math.Abs(g.Baseline-bar.Y0), math.Abs(g.Baseline-bar.Y1))
	if onX > 0.02 || onY > 0.02 || g.Angle != angle || math.Abs(g.Size-12) > 0.01 || g.Font != "Helvetica" {
		t.Errorf("first glyph %+v: want its origin on a corner of %+v, angle %d, size 12", g, bar, angle)
	}
}

// checkInk renders the bar's box, which must be black up to its corners, and an adjacent one, which must not.
func checkInk(t *testing.T, doc *pdf.Document, bar pdf.Box) {
	t.Helper()
	inner := drawn(t, doc, []float64{bar.X0 + 1, bar.Y0 + 1, bar.Width() - 2, bar.Height() - 2})
	if share := darkness(inner); share < 0.99 {
		t.Errorf("the inside of the bar is %.2f dark", share)
	}
	outer := drawn(t, doc, []float64{bar.X0 - 10, bar.Y0 - 10, bar.Width() + 20, bar.Height() + 20})
	want := bar.Width() * bar.Height() / ((bar.Width() + 20) * (bar.Height() + 20))
	if share := darkness(outer); math.Abs(share-want) > 0.05 {
		t.Errorf("the surroundings of the bar are %.2f dark, want %.2f", share, want)
	}
}

func drawn(t *testing.T, doc *pdf.Document, box []float64) image.Image {
	t.Helper()
	d, err := doc.Render(t.Context(), 1, box, 72)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(d.PNG))
	if err != nil {
		t.Fatal(err)
	}
	if b := picture.Bounds(); b.Dx() != d.Width || b.Dy() != d.Height {
		t.Errorf("picture is %v, said to be %d by %d", b, d.Width, d.Height)
	}
	return picture
}

func darkness(picture image.Image) float64 {
	b := picture.Bounds()
	dark := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, _, _, _ := picture.At(x, y).RGBA(); r < 0x8000 {
				dark++
			}
		}
	}
	return float64(dark) / float64(b.Dx()*b.Dy())
}
