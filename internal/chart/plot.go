package chart

import (
	"fmt"
	"math"
	"strings"
)

// Point is one observation at X, Y.
type Point struct {
	X, Y float64
	// Interval is of Y; nil for none.
	Interval *Interval
	// Label is written beside a marker by [Points], and shown when it is pointed at.
	Label string
	// N is how many things the point is of; 0 is not shown.
	N int
}

// Series is a set of points with one marker.
type Series struct {
	Name   string
	Points []Point
}

// Axis is how one direction of a plot is scaled and written.
type Axis struct {
	// Label says what is measured.
	Label string
	// Max is the upper end, 0 to take it from the values.
	Max float64
	// Decimals and Unit say how values are written where they are told in full.
	Decimals int
	Unit     string
	// Log spaces values by their ratio; it is dropped when one of them is not above 0.
	Log bool
}

// plot is a plane with two axes.
type plot struct {
	c            canvas
	height       float64
	x, y         scale
	xAxis, yAxis Axis
	series       []Series
}

func missing() float64 { return math.NaN() }

// newPlot scales the plane so that all points with two finite coordinates are in it; there must be one.
func newPlot(x, y Axis, series []Series) *plot {
	p := &plot{xAxis: x, yAxis: y, series: series, height: plotHeight}
	var xs, ys span
	for _, s := range series {
		for _, pt := range s.Points {
			xs.add(pt.X)
			ys.add(pt.Y)
			if pt.Interval != nil {
				ys.add(pt.Interval.Low, pt.Interval.High)
			}
		}
	}
	p.x, p.y = x.scale(xs), y.scale(ys)
	return p
}

// scale lays an axis over values: from zero where that is near, so that lengths compare.
func (a Axis) scale(s span) scale {
	if a.Log && s.low > 0 {
		low, high := s.low/1.25, s.high*1.25
		return scale{low: low, high: max(high, low*10), log: true}
	}
	if near := s.low > 0 && s.low < (s.high-s.low); near || s.low <= 0 || a.Max > 0 {
		s.axis(a.Max)
	} else {
		if s.low == s.high {
			s.low, s.high = s.low-1, s.high+1
		}
		s.round(5)
	}
	return scale{low: s.low, high: s.high, whole: s.whole()}
}

// drawable reports whether there is a point to draw.
func drawable(series []Series) bool {
	for _, s := range series {
		for _, p := range s.Points {
			if p.drawn() {
				return true
			}
		}
	}
	return false
}

func (p Point) drawn() bool { return finite(p.X) && finite(p.Y) }

func (p Point) spread() bool {
	return p.Interval != nil && finite(p.Interval.Low) && finite(p.Interval.High)
}

// axes draws grid, ticks and labels below the height top, and places the scales.
func (p *plot) axes(top float64) float64 {
	if p.yAxis.Label != "" {
		p.c.text(0, top+10, atStart, "tick", p.yAxis.Label)
		top += 16
	}
	top += 8
	left := 10.0
	yTicks := p.y.ticks(5, p.yAxis.Unit)
	for _, t := range yTicks {
		left = max(left, textWidth(t.text)+8)
	}
	p.x.from, p.x.to = left+4, width-14
	p.y.from, p.y.to = top+p.height, top
	for _, t := range yTicks {
		y := p.y.at(t.value)
		p.c.line(left, y, width, y, "grid")
		p.c.text(left-5, y+4, atEnd, "tick", t.text)
	}
	for _, t := range p.xTicks() {
		x := p.x.at(t.value)
		p.c.line(x, p.y.from, x, p.y.from+4, "axis")
		p.c.text(min(x, width-textWidth(t.text)/2), p.y.from+17, atMiddle, "tick", t.text)
	}
	p.c.line(left, p.y.from, width, p.y.from, "axis")
	if p.xAxis.Label == "" {
		return p.y.from + 24
	}
	p.c.text(p.x.to, p.y.from+33, atEnd, "tick", p.xAxis.Label)
	return p.y.from + 40
}

// xTicks are as many as have room.
func (p *plot) xTicks() []axisTick {
	for n := 8; ; n-- {
		ticks := p.x.ticks(n, p.xAxis.Unit)
		room := true
		for i := 1; i < len(ticks); i++ {
			gap := p.x.at(ticks[i].value) - p.x.at(ticks[i-1].value)
			room = room && gap > (textWidth(ticks[i].text)+textWidth(ticks[i-1].text))/2+6
		}
		if room || n == 1 {
			return ticks
		}
	}
}

// tip is all there is to say of a point.
func (p *plot) tip(s Series, pt Point) string {
	var t strings.Builder
	if s.Name != "" {
		t.WriteString(s.Name + ", ")
	}
	if pt.Label != "" {
		t.WriteString(pt.Label + ", ")
	}
	t.WriteString(decimal(pt.X, p.xAxis.Decimals) + p.xAxis.Unit + ": " + decimal(pt.Y, p.yAxis.Decimals) + p.yAxis.Unit)
	if pt.spread() {
		_, _ = fmt.Fprintf(&t, " (%s to %s)", decimal(pt.Interval.Low, p.yAxis.Decimals), decimal(pt.Interval.High, p.yAxis.Decimals))
	}
	if pt.N > 0 {
		_, _ = fmt.Fprintf(&t, ", n = %d", pt.N)
	}
	return t.String()
}

func (p *plot) describe() string {
	var parts []string
	for _, s := range p.series {
		for _, pt := range s.Points {
			if pt.drawn() {
				parts = append(parts, p.tip(s, pt))
			}
		}
	}
	return strings.Join(parts, "; ")
}

// whisker draws the interval of a point.
func (p *plot) whisker(pt Point, series int) {
	x, low, high := p.x.at(pt.X), p.y.at(pt.Interval.Low), p.y.at(pt.Interval.High)
	class := "error " + colour(series)
	p.c.line(x, low, x, high, class)
	p.c.line(x-3, low, x+3, low, class)
	p.c.line(x-3, high, x+3, high, class)
}

func names(series []Series) []string {
	list := make([]string, len(series))
	for i, s := range series {
		list[i] = s.Name
	}
	return list
}

// markers are shapes about the origin, about 8 wide.
var markers = []string{
	"M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z",
	"M-3.6 -3.6H3.6V3.6H-3.6Z",
	"M0 -4.6L4.6 3.6H-4.6Z",
	"M0 -5L5 0L0 5L-5 0Z",
	"M0 4.6L4.6 -3.6H-4.6Z",
	"M-1.5 -4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
}

func (c *canvas) marker(x, y float64, series int) {
	_, _ = fmt.Fprintf(&c.b, `<path d="%s" transform="translate(%s %s)" class="marker %s"/>`, markers[series%len(markers)], num(x), num(y), colour(series))
}

func markerSwatch(c *canvas, x, y float64, series int) { c.marker(x+swatchWidth/2, y, series) }
