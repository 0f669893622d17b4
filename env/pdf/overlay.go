package pdf

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// Mark is an area to outline on an image of a page.
type Mark struct {
	// Label is written at the top left corner of the area; it may be empty. Non-ASCII characters are drawn as boxes.
	Label string
	// Kind selects the colour: "figure", "table", "equation", "section", "reference", "chunk"; any other is grey.
	Kind string
	// Box is [x0, y0, width, height] in points from the top left of the page as displayed.
	Box [4]float64
}

// Overlay draws marks onto a PNG of a whole page and returns the new PNG: outlines 2 pixels wide, each with its label
// on a strip of the same colour. scale is pixels per point: the image's width over the page's. Marks are clipped to the
// image.
func Overlay(picture []byte, scale float64, marks []Mark) ([]byte, error) {
	if !(scale > 0) || math.IsInf(scale, 0) {
		return nil, fmt.Errorf("draw boxes: invalid scale of %g pixels per point", scale)
	}
	source, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("draw boxes: read the page image: %w", err)
	}
	canvas := image.NewRGBA(source.Bounds())
	draw.Draw(canvas, canvas.Bounds(), source, source.Bounds().Min, draw.Src)
	for _, m := range marks {
		m.outline(canvas, scale)
	}
	for _, m := range marks {
		m.write(canvas, scale)
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, canvas); err != nil {
		return nil, fmt.Errorf("draw boxes: %w", err)
	}
	return out.Bytes(), nil
}

// colours distinguishes the kinds; all colours are dark enough for white text.
var colours = map[string]color.RGBA{
	"figure":    {0xC6, 0x28, 0x28, 0xFF},
	"table":     {0x15, 0x65, 0xC0, 0xFF},
	"equation":  {0x2E, 0x7D, 0x32, 0xFF},
	"section":   {0x6A, 0x1B, 0x9A, 0xFF},
	"reference": {0xB3, 0x5A, 0x00, 0xFF},
	"chunk":     {0x00, 0x69, 0x5C, 0xFF},
}

func (m Mark) colour() color.RGBA { return cmp.Or(colours[m.Kind], color.RGBA{0x55, 0x55, 0x55, 0xFF}) }

// pixels returns the area on the image. Corners far outside are moved closer, so that they fit an int.
func (m Mark) pixels(scale float64) image.Rectangle {
	at := func(v float64) int {
		const far = 1 << 20
		if math.IsNaN(v) {
			return 0
		}
		return int(math.Round(max(-far, min(far, v*scale))))
	}
	return image.Rect(at(m.Box[0]), at(m.Box[1]), at(m.Box[0]+m.Box[2]), at(m.Box[1]+m.Box[3]))
}

func (m Mark) outline(canvas *image.RGBA, scale float64) {
	const pen = 2
	r, ink := m.pixels(scale), image.NewUniform(m.colour())
	for _, side := range []image.Rectangle{
		image.Rect(r.Min.X-pen, r.Min.Y-pen, r.Max.X+pen, r.Min.Y),
		image.Rect(r.Min.X-pen, r.Max.Y, r.Max.X+pen, r.Max.Y+pen),
		image.Rect(r.Min.X-pen, r.Min.Y, r.Min.X, r.Max.Y),
		image.Rect(r.Max.X, r.Min.Y, r.Max.X+pen, r.Max.Y),
	} {
		draw.Draw(canvas, side, ink, image.Point{}, draw.Src)
	}
}

// write draws the label above the area, or inside it at the top of the page.
func (m Mark) write(canvas *image.RGBA, scale float64) {
	if m.Label == "" {
		return
	}
	face := basicfont.Face7x13
	r := m.pixels(scale)
	top := r.Min.Y - face.Height - 2
	if top < canvas.Rect.Min.Y {
		top = max(r.Min.Y, canvas.Rect.Min.Y)
	}
	left := max(r.Min.X-2, canvas.Rect.Min.X)
	strip := image.Rect(left, top, left+face.Advance*len([]rune(m.Label))+4, top+face.Height+1)
	draw.Draw(canvas, strip, image.NewUniform(m.colour()), image.Point{}, draw.Src)
	pen := font.Drawer{Dst: canvas, Src: image.White, Face: face, Dot: fixed.P(left+2, top+face.Ascent)}
	pen.DrawString(m.Label)
}
