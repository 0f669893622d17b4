package chart

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
)

// HistogramConfig is how often values fall into bins of one width.
type HistogramConfig struct {
	// Title is the caption, Note the small print below.
	Title, Note string
	// Desc is what is told to who does not see the chart; the counts themselves when empty.
	Desc string
	X    Axis
	// Values may be in any order; what is no number is left out.
	Values []float64
	// Bins is about how many bars there are, 0 for 20. Widths are round, and whole when all values are.
	Bins int
}

// Histogram draws the counts of values side by side, with a mark at the median.
func Histogram(c HistogramConfig) template.HTML {
	values := slices.DeleteFunc(slices.Clone(c.Values), func(v float64) bool { return !finite(v) })
	f := figure{title: c.Title, desc: c.Desc, note: c.Note}
	if len(values) == 0 {
		return empty(f)
	}
	slices.Sort(values)
	h := newBins(values, c.Bins)
	if f.desc == "" {
		f.desc = h.describe(c.X)
	}
	p := newPlot(c.X, Axis{}, []Series{{Points: h.outline()}})
	p.x.low, p.x.high = h.ends()
	p.x.whole = h.whole
	top := 20.0
	f.height = p.axes(top)
	h.draw(p, c.X)
	m := p.x.at(median(values))
	p.c.line(m, top, m, p.y.from, "mark")
	p.c.median(m, top, "median "+whole(median(values), c.X.Decimals)+c.X.Unit)
	return f.html(&p.c)
}

// median writes what the mark is, on the side that has room.
func (c *canvas) median(x, y float64, s string) {
	anchor, at := atStart, x+4
	if x+4+textWidth(s) > width {
		anchor, at = atEnd, x-4
	}
	c.text(at, y-6+fontSize/2, anchor, "label", s)
}

// bins are counts from low upwards, each over width.
type bins struct {
	low, width float64
	counts     []int
	whole      bool // of whole numbers
}

// edge is where a bin begins on the axis: a bin of whole numbers has each of them in its middle.
func (b bins) edge(i int) float64 {
	x := b.low + b.width*float64(i)
	if b.whole {
		x -= 0.5
	}
	return x
}

// ends are those of the axis; few bins do not fill it.
func (b bins) ends() (low, high float64) {
	const few = 6
	more := float64(max(0, few-len(b.counts))) / 2
	return b.edge(0) - more*b.width, b.edge(len(b.counts)) + more*b.width
}

// newBins counts sorted values.
func newBins(sorted []float64, n int) bins {
	if n <= 0 {
		n = 20
	}
	low, high := sorted[0], sorted[len(sorted)-1]
	step := niceStep((high - low) / float64(n))
	whole := !slices.ContainsFunc(sorted, func(v float64) bool { return v != math.Trunc(v) })
	if whole {
		step = max(step, 1)
	}
	b := bins{low: math.Floor(low/step+1e-9) * step, width: step, whole: whole}
	b.counts = make([]int, int(math.Floor((high-b.low)/step+1e-9))+1)
	for _, v := range sorted {
		b.counts[min(int((v-b.low)/step+1e-9), len(b.counts)-1)]++
	}
	return b
}

// outline is a point a bin, for the scale of the counts.
func (b bins) outline() []Point {
	points := make([]Point, len(b.counts))
	for i, n := range b.counts {
		points[i] = Point{X: b.edge(i), Y: float64(n)}
	}
	return append(points, Point{X: b.low, Y: 0})
}

func (b bins) draw(p *plot, x Axis) {
	for i, n := range b.counts {
		if n == 0 {
			continue
		}
		left, right := p.x.at(b.edge(i)), p.x.at(b.edge(i+1))
		p.c.open(b.name(i, x) + ": " + strconv.Itoa(n))
		p.c.bar(left+0.5, p.y.at(float64(n)), right-left-1, p.y.from-p.y.at(float64(n)), 0)
		p.c.close()
	}
}

// name tells which values a bin holds: 10 to 14, or 0.5 to below 0.6.
func (b bins) name(i int, x Axis) string {
	from := b.low + b.width*float64(i)
	switch {
	case b.whole && b.width == 1:
		return decimal(from, 0) + x.Unit
	case b.whole:
		return fmt.Sprintf("%s to %s%s", decimal(from, 0), decimal(from+b.width-1, 0), x.Unit)
	}
	decimals := max(0, int(math.Ceil(-math.Log10(b.width)-1e-9)))
	return fmt.Sprintf("%s to below %s%s", decimal(from, decimals), decimal(from+b.width, decimals), x.Unit)
}

func (b bins) describe(x Axis) string {
	var parts []string
	for i, n := range b.counts {
		if n > 0 {
			parts = append(parts, b.name(i, x)+": "+strconv.Itoa(n))
		}
	}
	return strings.Join(parts, "; ")
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
