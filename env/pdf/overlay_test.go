package pdf_test

import (
	"bytes"
	"image/color"
	"image/png"
	"math"
	"testing"

	"airqa/env/pdf"
	"airqa/internal/testkit"
)

func TestOverlayOutlinesBoxes(t *testing.T) {
	testkit.OneGoroutine(t)
	page, err := open(t, letter(hello, "")).Render(t.Context(), 1, nil, 144)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pdf.Overlay(page.PNG, 2, []pdf.Mark{
		{Label: "Figure 1", Kind: "figure", Box: [4]float64{100, 200, 50, 30}},
		{Label: "top", Kind: "table", Box: [4]float64{300, 0, 50, 30}},
		{Label: "off", Box: [4]float64{1e300, -1e300, math.NaN(), 30}},
	})
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(got))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != page.Width || size.Y != page.Height {
		t.Errorf("size %v, want %d by %d", size, page.Width, page.Height)
	}
	white, red := color.RGBA{255, 255, 255, 255}, color.RGBA{0xC6, 0x28, 0x28, 0xFF}
	for _, tt := range []struct {
		name string
		x, y int
		want color.RGBA
	}{
		{"left edge", 199, 430, red},
		{"bottom edge", 250, 461, red},
		{"right edge", 300, 430, red},
		{"inside", 250, 430, white},
		{"strip of the label", 199, 386, red},
		{"label inside at the top", 601, 1, color.RGBA{0x15, 0x65, 0xC0, 0xFF}},
	} {
		if got := color.RGBAModel.Convert(picture.At(tt.x, tt.y)); got != tt.want {
			t.Errorf("%s: %v at %d, %d, want %v", tt.name, got, tt.x, tt.y, tt.want)
		}
	}
}

func TestOverlayRefusesNonsense(t *testing.T) {
	if _, err := pdf.Overlay([]byte("no picture"), 2, nil); err == nil {
		t.Error("no PNG: no error")
	}
	for _, scale := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := pdf.Overlay(nil, scale, nil); err == nil {
			t.Errorf("scale %g: no error", scale)
		}
	}
}
