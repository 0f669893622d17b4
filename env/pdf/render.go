package pdf

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"
)

// Drawing is an image of a page or a part of it.
type Drawing struct {
	// PNG is the encoded image, Width and Height its size in pixels.
	PNG           []byte
	Width, Height int
	// Box is the rendered area: [x0, y0, width, height] in points from the top left of the page as displayed.
	Box [4]float64
	// DPI is the actual resolution, which is lower than requested if the image would have been too large.
	DPI float64
	// Notes describe deviations from the request in one line each: a clipped box, a lower resolution.
	Notes []string
}

// Flags of FPDF_RenderPageBitmapWithMatrix, fpdfview.h: draw annotations, red before blue.
const renderFlags = 0x01 | 0x10

// Render renders an area of page n, [x0, y0, width, height] in points from the top left of the page as displayed; nil
// means the whole page. The box is clipped to the page. A bad box is a [*BoxError], a bad page a [*PageError].
func (d *Document) Render(ctx context.Context, n int, box []float64, dpi float64) (Drawing, error) {
	if !(dpi > 0) || math.IsInf(dpi, 0) {
		return Drawing{}, fmt.Errorf("draw page %d: %g dpi is no resolution", n, dpi)
	}
	out := Drawing{DPI: dpi}
	var picture *image.RGBA
	err := d.onPage(ctx, n, func() (err error) {
		if err := d.turnTo(n); err != nil {
			return err
		}
		if err := out.choose(d.frames[n].page(), box); err != nil {
			return err
		}
		scale, limit := out.DPI/72, float64(d.pool.cfg.MaxPixels)
		if pixels := out.Box[2] * scale * out.Box[3] * scale; pixels > limit {
			scale *= math.Sqrt(limit / pixels)
			out.DPI = scale * 72
			out.Notes = append(out.Notes, fmt.Sprintf("drawn at %.3g dpi: the picture would have been too large", out.DPI))
		}
		out.Width = max(1, int(math.Round(out.Box[2]*scale)))
		out.Height = max(1, int(math.Round(out.Box[3]*scale)))
		picture = d.draw(out)
		return d.fault(n)
	})
	if err != nil {
		return Drawing{}, err
	}
	var encoded image.Image = picture
	if grey, ok := greyOf(picture); ok {
		encoded = grey // encoding takes as long as rendering, and a third of that in grey
	}
	var buf bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&buf, encoded); err != nil {
		return Drawing{}, fmt.Errorf("encode page %d: %w", n, err)
	}
	out.PNG = buf.Bytes()
	return out, nil
}

// greyOf converts an image without colours to grey; it returns false if the image has colours.
func greyOf(img *image.RGBA) (*image.Gray, bool) {
	grey := image.NewGray(img.Rect)
	for i := range grey.Pix {
		p := img.Pix[4*i : 4*i+3 : 4*i+3]
		if p[0] != p[1] || p[1] != p[2] {
			return nil, false
		}
		grey.Pix[i] = p[0]
	}
	return grey, true
}

// choose sets the box: the whole page, or the part of box inside it.
func (o *Drawing) choose(page Box, box []float64) error {
	o.Box = [4]float64{0, 0, page.X1, page.Y1}
	if len(box) == 0 {
		return nil
	}
	if reason := checkBox(box); reason != "" {
		return &BoxError{fmt.Sprintf("%s; the page is %.0f x %.0f points", reason, page.X1, page.Y1)}
	}
	want := Box{X0: box[0], Y0: box[1], X1: box[0] + box[2], Y1: box[1] + box[3]}
	got := want.Clamp(page)
	if got.Width() <= 0 || got.Height() <= 0 {
		return &BoxError{fmt.Sprintf("box %s lies outside the page of %.0f x %.0f points", boxText(box), page.X1, page.Y1)}
	}
	o.Box = [4]float64{got.X0, got.Y0, got.Width(), got.Height()}
	const slack = 0.5
	if math.Abs(got.Width()-box[2]) > slack || math.Abs(got.Height()-box[3]) > slack {
		o.Notes = append(o.Notes, fmt.Sprintf("box clamped to the page of %.0f x %.0f points", page.X1, page.Y1))
	}
	return nil
}

// checkBox returns the reason why a box is invalid, or "".
func checkBox(box []float64) string {
	if len(box) != 4 {
		return fmt.Sprintf("a box has 4 numbers [x0, y0, width, height], not %d", len(box))
	}
	for _, v := range box {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return "a box has finite numbers"
		}
	}
	if box[2] <= 0 || box[3] <= 0 {
		return fmt.Sprintf("box %s is [x0, y0, width, height]: width and height must be above 0", boxText(box))
	}
	return ""
}

// boxText formats a box with commas, as a model does.
func boxText(box []float64) string { return strings.ReplaceAll(fmt.Sprint(box), " ", ", ") }

// draw renders the chosen box of the loaded page onto white. The image is a copy of guest memory.
func (d *Document) draw(o Drawing) *image.RGBA {
	g, scale := d.g, o.DPI/72
	bitmap := uint64(g.word("FPDFBitmap_Create", uint64(o.Width), uint64(o.Height), 0))
	if bitmap == 0 {
		if g.err == nil {
			g.err = fmt.Errorf("no memory for a picture of %d x %d pixels", o.Width, o.Height)
		}
		return nil
	}
	g.call("FPDFBitmap_FillRect", bitmap, 0, 0, uint64(o.Width), uint64(o.Height), 0xFFFFFFFF)
	transform := g.putFloats(0, scale, 0, 0, scale, -o.Box[0]*scale, -o.Box[1]*scale)
	clip := g.putFloats(4, 0, 0, float64(o.Width), float64(o.Height))
	g.call("FPDF_RenderPageBitmapWithMatrix", bitmap, d.page, transform, clip, renderFlags)
	d.drawFields(bitmap, o)
	picture := g.image(bitmap, o.Width, o.Height)
	g.call("FPDFBitmap_Destroy", bitmap)
	return picture
}

// formInfoSize is at least the size of FPDF_FORMFILLINFO, fpdf_formfill.h: a version and pointers.
const formInfoSize = 256

// drawFields renders the form fields of the loaded page (check marks, text, buttons), which PDFium omits from a page.
// It sets no callbacks, so only PDFium code runs. A failure affects only the fields.
func (d *Document) drawFields(bitmap uint64, o Drawing) {
	g := d.g
	if g.word("FPDF_GetFormType", d.handle) == 0 {
		return
	}
	info := make([]byte, formInfoSize)
	info[0] = 1 // the version
	at := uint64(g.put(info))
	if form := uint64(g.word("FPDFDOC_InitFormFillEnvironment", d.handle, at)); form != 0 {
		page, scale := d.frames[d.current].page(), o.DPI/72
		pixels := func(points float64) uint64 { return uint64(uint32(int32(math.Round(points * scale)))) }
		g.call("FPDF_FFLDraw", form, bitmap, d.page, pixels(-o.Box[0]), pixels(-o.Box[1]), pixels(page.X1), pixels(page.Y1), 0, renderFlags)
		g.call("FPDFDOC_ExitFormFillEnvironment", form)
	}
	g.call("free", at)
	_ = g.take()
}

// image copies a bitmap, ignoring the fourth byte.
func (g *guest) image(bitmap uint64, width, height int) *image.RGBA {
	stride := int(g.word("FPDFBitmap_GetStride", bitmap))
	data := g.bytes(g.word("FPDFBitmap_GetBuffer", bitmap), uint32(stride*height))
	if g.err != nil {
		return nil
	}
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		row := out.Pix[y*out.Stride : y*out.Stride+4*width]
		copy(row, data[y*stride:])
		for x := 3; x < len(row); x += 4 {
			row[x] = 0xFF
		}
	}
	return out
}
