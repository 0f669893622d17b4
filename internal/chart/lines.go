package chart

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
)

// LinesConfig is a chart of lines over numbers, such as score by turn.
type LinesConfig struct {
	// Title is the caption, Note the small print below.
	Title, Note string
	// Desc is what is told to who does not see the chart; the values themselves when empty.
	Desc string
	X, Y Axis
	// Series are drawn in the order of X each; a point that is no number breaks its line.
	Series []Series
}

// Lines draws a line a series, with markers, dashes and a legend.
func Lines(c LinesConfig) template.HTML {
	f := figure{title: c.Title, desc: c.Desc, note: c.Note}
	if !drawable(c.Series) {
		return empty(f)
	}
	p := newPlot(c.X, c.Y, c.Series)
	if f.desc == "" {
		f.desc = p.describe()
	}
	f.height = p.axes(p.c.legend(names(c.Series), lineSwatch))
	for i, s := range c.Series {
		p.path(i, slices.SortedStableFunc(slices.Values(s.Points), byX))
	}
	return f.html(&p.c)
}

func byX(a, b Point) int {
	switch {
	case a.X < b.X:
		return -1
	case a.X > b.X:
		return 1
	}
	return 0
}

// path draws the line of a series under its markers.
func (p *plot) path(series int, points []Point) {
	var d strings.Builder
	pen := "M"
	for _, pt := range points {
		if !pt.drawn() {
			pen = "M"
			continue
		}
		_, _ = fmt.Fprintf(&d, "%s%s %s", pen, num(p.x.at(pt.X)), num(p.y.at(pt.Y)))
		pen = "L"
	}
	_, _ = fmt.Fprintf(&p.c.b, `<path d="%s" class="line %s d%d"/>`, d.String(), colour(series), series%dashes)
	for _, pt := range points {
		if pt.drawn() {
			p.dot(series, pt)
		}
	}
}

// dot draws a marker with its interval and what it tells when pointed at.
func (p *plot) dot(series int, pt Point) {
	p.c.open(p.tip(p.series[series], pt))
	if pt.spread() {
		p.whisker(pt, series)
	}
	p.c.marker(p.x.at(pt.X), p.y.at(pt.Y), series)
	p.c.close()
}

func lineSwatch(c *canvas, x, y float64, series int) {
	_, _ = fmt.Fprintf(&c.b, `<path d="M%s %sH%s" class="line %s d%d"/>`, num(x), num(y), num(x+swatchWidth), colour(series), series%dashes)
	c.marker(x+swatchWidth/2, y, series)
}
