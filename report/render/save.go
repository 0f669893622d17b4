package render

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"airqa/internal/files"
	"airqa/internal/terminal"
)

// canvas is a page of one of the figure formats.
type canvas interface {
	vg.CanvasSizer
	io.WriterTo
}

// figureFormats are the file formats by suffix.
var figureFormats = []struct {
	suffix string
	canvas func(w, h vg.Length) canvas
}{
	{".svg", func(w, h vg.Length) canvas { return vgsvg.New(w, h) }},
	{".pdf", func(w, h vg.Length) canvas { return vgpdf.New(w, h) }},
	{".png", func(w, h vg.Length) canvas {
		return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(200))} // sufficient for print
	}},
}

// SaveFigures writes each figure to a folder as SVG, PDF and PNG, and returns the number of files. The output is
// deterministic.
func SaveFigures(dir string, figures []Figure) (int, error) {
	n := 0
	for _, f := range figures {
		for _, format := range figureFormats {
			data, err := f.bytes(format.canvas)
			if err != nil {
				return n, err
			}
			if err := files.WriteFile(filepath.Join(dir, f.Name+format.suffix), data); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, nil
}

// SVG draws the figure for an HTML page. Its texts are escaped.
func (f Figure) SVG() (template.HTML, error) {
	data, err := f.bytes(figureFormats[0].canvas)
	if err != nil {
		return "", err
	}
	_, svg, _ := strings.Cut(string(data), "<svg")
	head, body, _ := strings.Cut(svg, ">")
	head, _, _ = strings.Cut(head, "xmlns")
	label := template.HTMLEscapeString(terminal.Line(f.Title))
	return template.HTML(`<svg role="img" aria-label="` + label + `" ` + strings.TrimSpace(head) + ">" + pageColours.Replace(body)), nil
}

// pageColours replaces the colours of a chart that are not those of a series by those of the page, light or dark.
var pageColours = strings.NewReplacer("#FFFFFF", "var(--page)", "#000000", "currentColor", "#DCDCDC", "var(--grid)")

var svgText = regexp.MustCompile(`style="font-family:[^"]*font-size:([0-9.]+)px"?([^>]*)>([^<]*)</text>`)

func (f Figure) bytes(open func(w, h vg.Length) canvas) ([]byte, error) {
	// By default the PDF library writes the current time, and resources in random map order.
	fpdf.SetDefaultCatalogSort(true)
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	d := &drawing{f: f, p: plot.New(), legend: plot.NewLegend(), height: plotHeight}
	d.style()
	switch f.Kind {
	case Bars, Dots, Columns:
		d.bars()
	case Histogram:
		d.histogram()
	case Lines:
		d.lines()
	case Scatter:
		d.scatter()
	}
	if d.err != nil {
		return nil, fmt.Errorf("draw %s: %w", f.Name, d.err)
	}
	height, _, _ := d.size()
	c := open(figureWidth, height)
	d.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("draw %s: %w", f.Name, err)
	}
	if _, ok := c.(*vgsvg.Canvas); !ok {
		return b.Bytes(), nil
	}
	// The width of each text of an SVG is fixed, so that it fits in a substitute font, and such fonts are named.
	cache := font.NewCache(liberation.Collection())
	return svgText.ReplaceAllFunc(b.Bytes(), func(element []byte) []byte {
		m := svgText.FindSubmatch(element)
		size, _ := strconv.ParseFloat(string(m[1]), 64)
		face := cache.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Length(size))
		width := face.Width(html.UnescapeString(string(m[3])))
		style := fmt.Sprintf(`style="font:%gpx 'Liberation Sans',Arial,Helvetica,sans-serif"`, size)
		return fmt.Appendf(nil, `%s textLength="%.4g" lengthAdjust="spacingAndGlyphs"%s>%s</text>`, style, width.Points(), m[2], m[3])
	}), nil
}
