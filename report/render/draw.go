package render

import (
	"errors"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"airqa/internal/stats"
	"airqa/internal/terminal"
)

// palette is by Okabe and Ito ("Color Universal Design", 2008), with grey for black and a darker yellow, and two colours for
// longer lists. All have a contrast of 2 or more on white and on the dark page.
var palette = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	color.RGBA{0x7a, 0x7a, 0x7a, 0xff},
	color.RGBA{0xb8, 0xa8, 0x00, 0xff},
	color.RGBA{0x8e, 0x63, 0xc7, 0xff},
	color.RGBA{0x9c, 0x6b, 0x4e, 0xff},
}

// Series of one colour differ in dashes or markers.
var (
	gridColour = color.Gray{Y: 0xdc}
	dashes     = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {12, 3}}
	markers    = []draw.GlyphDrawer{
		draw.CircleGlyph{},
		draw.BoxGlyph{},
		draw.PyramidGlyph{},
		diamond{},
		draw.CrossGlyph{},
		draw.PlusGlyph{},
		draw.RingGlyph{},
		draw.SquareGlyph{},
		draw.TriangleGlyph{},
	}
)

// Sizes of a figure.
const (
	figureWidth = 16 * vg.Centimeter
	plotHeight  = 7 * vg.Centimeter
	barHeight   = vg.Length(15)
	textSize    = vg.Length(10)
	gap         = vg.Length(6)
	nameWidth   = 30 // maximum line length of a category name, in characters
	titleWidth  = 76
	axisWidth   = 42
)

// drawing is a figure as a plot.
type drawing struct {
	f      Figure
	p      *plot.Plot
	legend plot.Legend
	// height of the data area
	height vg.Length
	err    error
}

// style sets fonts, axes and the grid, whose lines cross only the value axis.
func (d *drawing) style() {
	p := d.p
	for _, style := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &d.legend.TextStyle,
	} {
		style.Font.Variant, style.Font.Size = "Sans", textSize
	}
	p.Title.TextStyle.Font.Size = textSize + 2
	p.Title.Text, p.Title.Padding = terminal.Wrap(d.f.Title, titleWidth, ""), gap
	for axis, of := range map[*plot.Axis]Axis{&p.X: d.f.X, &p.Y: d.f.Y} {
		axis.Label.Text, axis.Label.Padding, axis.Tick.Marker = terminal.Wrap(of.Label, axisWidth, ""), 4, roundTicks(of.Whole)
		if of.Log {
			axis.Scale, axis.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
		}
	}
	d.legend.Left, d.legend.Top, d.legend.ThumbnailWidth, d.legend.Padding = true, true, 18, 3
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = gridColour, gridColour
	switch d.f.Kind {
	case Bars, Dots:
		grid.Horizontal.Color = nil
	case Columns, Histogram:
		grid.Vertical.Color = nil
	}
	p.Add(grid)
}

// roundTicks returns a few round numbers. Adding 0 turns -0 into 0.
func roundTicks(whole bool) plot.TickerFunc {
	return func(low, high float64) []plot.Tick {
		step := roundStep((high - low) / 6)
		if whole {
			step = max(step, 1)
		}
		var ticks []plot.Tick
		for i := math.Ceil(low/step-1e-9) + 0; i*step <= high+1e-9*step; i++ {
			ticks = append(ticks, plot.Tick{Value: i * step, Label: tickLabel(i * step)})
		}
		return ticks
	}
}

// tickLabel prints a value without trailing zeros.
func tickLabel(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// decades are powers of ten with minor ticks. gonum's own implementation loses the first one to rounding.
func decades(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for e := int(math.Round(math.Log10(low))); e <= int(math.Round(math.Log10(high))); e++ {
		power := math.Pow10(e)
		ticks = append(ticks, plot.Tick{Value: power, Label: tickLabel(power)})
		for i := 2.0; i < 10 && i*power < high; i++ {
			ticks = append(ticks, plot.Tick{Value: i * power})
		}
	}
	return ticks
}

// added adds the result of a plotter constructor to a drawing.
func added[T plot.Plotter](d *drawing, p T, err error) (T, bool) {
	if err == nil {
		d.p.Add(p)
	}
	d.err = errors.Join(d.err, err)
	return p, err == nil
}

func (d *drawing) entry(s Series, thumbnail plot.Thumbnailer) {
	if s.Name != "" {
		d.legend.Add(terminal.Clip(s.Name, titleWidth), thumbnail)
	}
}

func (s Series) colour() color.Color { return palette[s.Colour%len(palette)] }

// bar is a point at a position on the category axis.
type bar struct {
	at float64
	Point
}

// bars draws the bars of each category side by side. A series without a value in a category takes no space there.
func (d *drawing) bars() {
	var ticks []plot.Tick
	placed, row := make([][]bar, len(d.f.Series)), 0.0
	for c, name := range d.f.Categories {
		lines, from := terminal.Hard(name, nameWidth), row
		for s, series := range d.f.Series {
			if i := slices.IndexFunc(series.Points, func(p Point) bool { return int(p.X) == c }); i >= 0 {
				placed[s] = append(placed[s], bar{row, series.Points[i]})
				row++
			}
		}
		ticks = append(ticks, plot.Tick{Value: d.along((from + row) / 2), Label: strings.Join(lines, "\n")})
		row += 0.5 + max(0, 0.9*float64(len(lines))-(row-from)) // room for a name of several lines
	}
	for s, series := range d.f.Series {
		d.rectangles(series, placed[s], 0.05, 0.95)
	}
	along, value, of := &d.p.X, &d.p.Y, d.f.Y
	if d.f.Kind.horizontal() {
		along, value, of = value, along, d.f.X
		d.height = max(barHeight*vg.Length(row), 4*barHeight)
	}
	along.Tick.Marker, along.Tick.Width, along.Tick.Length = plot.ConstantTicks(ticks), 0, 0
	along.Min, along.Max = min(d.along(-0.5), d.along(row)), max(d.along(-0.5), d.along(row))
	value.Min, value.Max = 0, d.f.reach(of)
	if d.f.Kind == Dots {
		value.Min = -value.Max
		zero, err := plotter.NewLine(plotter.XYs{d.at(-0.5, 0), d.at(row, 0)})
		added(d, zero, err)
	}
}

// along maps a position on the category axis, which points downwards for horizontal bars.
func (d *drawing) along(at float64) float64 {
	if d.f.Kind.horizontal() {
		return -at
	}
	return at
}

// at maps a point of a bar to the canvas.
func (d *drawing) at(along, value float64) plotter.XY {
	if d.f.Kind.horizontal() {
		return plotter.XY{X: value, Y: -along}
	}
	return plotter.XY{X: along, Y: value}
}

// rectangles draws bars between two offsets from their position, with intervals and labels.
func (d *drawing) rectangles(s Series, list []bar, from, to float64) {
	if len(list) == 0 {
		return
	}
	var rings []plotter.XYer
	for _, b := range list {
		low, high := b.at+from, b.at+to
		rings = append(rings, plotter.XYs{d.at(low, 0), d.at(low, b.Y), d.at(high, b.Y), d.at(high, 0)})
	}
	if d.f.Kind != Dots {
		p, err := plotter.NewPolygon(rings...)
		if p, ok := added(d, p, err); ok {
			p.Color, p.Width = s.colour(), 0
			d.entry(s, p)
		}
	}
	for _, b := range list {
		middle, end := b.at+(from+to)/2, b.Y
		if b.Interval != nil {
			end = max(end, b.Interval.High)
		}
		d.interval(middle, b.Interval, color.Black)
		if d.f.Kind == Dots {
			d.marker(s, d.at(middle, b.Y))
		}
		d.label(d.at(middle, end), b.Label)
	}
}

// interval draws an error bar along the value axis.
func (d *drawing) interval(along float64, i *stats.Interval, c color.Color) {
	if i == nil {
		return
	}
	line, err := plotter.NewLine(plotter.XYs{d.at(along, i.Low), d.at(along, i.High)})
	if line, ok := added(d, line, err); ok {
		line.Color, line.Width = c, 1.2
	}
}

// label prints a text after the end of a bar.
func (d *drawing) label(at plotter.XY, words string) {
	if words == "" {
		return
	}
	l, err := plotter.NewLabels(plotter.XYLabels{XYs: plotter.XYs{at}, Labels: []string{terminal.Line(words)}})
	if l, ok := added(d, l, err); ok {
		style := &l.TextStyle[0]
		style.Font.Variant, style.Font.Size = "Sans", textSize-1
		style.XAlign, style.YAlign, l.Offset = text.XCenter, text.YBottom, vg.Point{Y: 2}
		if d.f.Kind.horizontal() {
			style.XAlign, style.YAlign, l.Offset = text.XLeft, text.YCenter, vg.Point{X: 6}
		}
	}
}

// histogram draws bins as bars without gaps.
func (d *drawing) histogram() {
	for _, s := range d.f.Series {
		points, width := bins(s.Points, 25)
		list := make([]bar, len(points))
		for i, p := range points {
			list[i] = bar{p.X, p}
		}
		d.rectangles(s, list, 0, 0.94*width)
	}
	d.p.Y.Min = 0
}

func (d *drawing) lines() {
	for _, s := range d.f.Series {
		var xys plotter.XYs
		for _, p := range s.Points {
			xys = append(xys, plotter.XY{X: p.X, Y: p.Y})
			d.interval(p.X, p.Interval, s.colour())
		}
		if len(xys) == 0 {
			continue
		}
		line, points, err := plotter.NewLinePoints(xys)
		if line, ok := added(d, line, err); ok {
			line.Color, line.Width, line.Dashes = s.colour(), 1.5, dashes[s.Shape%len(dashes)]
			points.Color, points.Radius, points.Shape = s.colour(), 2.2, draw.CircleGlyph{}
			d.p.Add(points)
			d.entry(s, line)
		}
	}
	d.p.X.Min, d.p.X.Max, d.p.Y.Min, d.p.Y.Max = 0, max(d.f.X.Max, 1), 0, d.f.reach(d.f.Y)
}

func (d *drawing) scatter() {
	low, high := math.Inf(1), 0.0
	for _, s := range d.f.Series {
		for _, p := range s.Points {
			low, high = min(low, p.X), max(high, p.X)
			d.interval(p.X, p.Interval, s.colour())
			d.marker(s, plotter.XY{X: p.X, Y: p.Y})
		}
	}
	d.p.Y.Min, d.p.Y.Max = 0, d.f.reach(d.f.Y)
	if d.f.X.Log && high > 0 { // whole decades, so that both ends have a label
		d.p.X.Min, d.p.X.Max = math.Pow10(int(math.Floor(math.Log10(low)))), math.Pow10(int(math.Ceil(math.Log10(high)+1e-9)))
		if d.p.X.Min == d.p.X.Max {
			d.p.X.Max *= 10
		}
	}
}

func (d *drawing) marker(s Series, at plotter.XY) {
	p, err := plotter.NewScatter(plotter.XYs{at})
	if p, ok := added(d, p, err); ok {
		p.Color, p.Radius, p.Shape = s.colour(), 4, markers[s.Shape%len(markers)]
		d.entry(s, p)
	}
}

// diamond is a marker. There are nine baselines, and gonum has eight shapes.
type diamond struct{}

func (diamond) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	p.Move(at.Add(vg.Point{X: -sty.Radius}))
	p.Line(at.Add(vg.Point{Y: sty.Radius}))
	p.Line(at.Add(vg.Point{X: sty.Radius}))
	p.Line(at.Add(vg.Point{Y: -sty.Radius}))
	p.Close()
	c.SetColor(sty.Color)
	c.Fill(p)
}

// size returns the heights of the whole figure, its legend and its note.
func (d *drawing) size() (all, legend, note vg.Length) {
	if n := len(d.f.Series); n > 1 || d.f.Kind == Scatter {
		legend = d.legend.Rectangle(draw.Canvas{}).Size().Y + gap
	}
	if d.f.Note != "" {
		note = d.note().Rectangle(d.noteText()).Size().Y + gap
	}
	return d.height + 5*textSize + legend + note + 3*gap, legend, note
}

func (d *drawing) noteText() string { return terminal.Wrap(d.f.Note, titleWidth+10, "") }

func (d *drawing) note() text.Style {
	style := d.legend.TextStyle
	style.Font.Size = textSize - 1
	return style
}

// draw puts the plot on a canvas, with its legend and its note below.
func (d *drawing) draw(c draw.Canvas) {
	_, legend, note := d.size()
	c.SetColor(color.White)
	c.Fill(c.Path())
	c = draw.Crop(c, gap, -gap, gap, -gap)
	d.p.BackgroundColor = nil
	d.p.Draw(draw.Crop(c, 0, 0, legend+note, 0))
	if legend > 0 {
		d.legend.Draw(draw.Crop(c, 0, 0, note, legend+note-c.Size().Y))
	}
	if note > 0 {
		c.FillText(d.note(), vg.Point{X: c.Min.X, Y: c.Min.Y + 2}, d.noteText())
	}
}
