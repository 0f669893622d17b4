package chart

import (
	"html/template"
	"math"
	"slices"
	"strings"
)

// PointsConfig is a scatter plot, such as cost against score.
type PointsConfig struct {
	// Title is the caption, Note the small print below.
	Title, Note string
	// Desc is what is told to who does not see the chart; the values themselves when empty.
	Desc   string
	X, Y   Axis
	Series []Series
}

// Points draws a marker a point, with its label where there is room for it. A label that finds none is
// named in the note.
func Points(c PointsConfig) template.HTML {
	f := figure{title: c.Title, desc: c.Desc, note: c.Note}
	if !drawable(c.Series) {
		return empty(f)
	}
	p := newPlot(c.X, c.Y, c.Series)
	p.height = pointsHeight
	if f.desc == "" {
		f.desc = p.describe()
	}
	f.height = p.axes(p.c.legend(names(c.Series), markerSwatch))
	taken := p.obstacles()
	for i, s := range c.Series {
		for _, pt := range s.Points {
			if pt.drawn() {
				p.dot(i, pt)
			}
		}
	}
	if left := p.labels(taken); len(left) > 0 {
		f.note = strings.TrimSpace(f.note + " Without room for a label: " + strings.Join(left, ", ") + ".")
	}
	return f.html(&p.c)
}

// pointsHeight leaves labels more room than lines need.
const pointsHeight = 250.0

// labels writes the labels that find a place and returns the others.
func (p *plot) labels(taken []box) (left []string) {
	for _, s := range p.series {
		for _, pt := range s.Points {
			if !pt.drawn() || pt.Label == "" {
				continue
			}
			b, ok := p.label(pt, taken)
			if !ok {
				left = append(left, pt.Label)
				continue
			}
			taken = append(taken, b)
		}
	}
	return left
}

// turns are the directions in which a label is tried, in twelfths of a circle from the right, clockwise.
var turns = []float64{0, 6, 9, 3, 11, 1, 7, 5, 10, 2, 8, 4}

// box is a place that something takes.
type box struct{ left, top, right, bottom float64 }

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// obstacles are the markers and intervals that no label may cover.
func (p *plot) obstacles() []box {
	var list []box
	for _, s := range p.series {
		for _, pt := range s.Points {
			if !pt.drawn() {
				continue
			}
			x, y := p.x.at(pt.X), p.y.at(pt.Y)
			list = append(list, box{x - 4, y - 4, x + 4, y + 4})
			if pt.spread() {
				list = append(list, box{x - 2, p.y.at(pt.Interval.High), x + 2, p.y.at(pt.Interval.Low)})
			}
		}
	}
	return list
}

// label writes the label of a point at the first free place around it, nearest first, with a thin line to places
// farther off.
func (p *plot) label(pt Point, taken []box) (box, bool) {
	text := fit(clean(pt.Label), 150)
	w := textWidth(text)
	x, y := p.x.at(pt.X), p.y.at(pt.Y)
	for _, far := range []float64{7, 18, 30, 44, 60, 80} {
		for _, turn := range turns {
			angle := turn * math.Pi / 6
			b := around(x+far*math.Cos(angle), y+far*math.Sin(angle), w, angle)
			if !p.free(b, taken) {
				continue
			}
			if far > 7 {
				p.c.line(x, y, x+(far-2)*math.Cos(angle), y+(far-2)*math.Sin(angle), "leader")
			}
			p.c.text(b.left, b.bottom-3, atStart, "point", text)
			return b, true
		}
	}
	return box{}, false
}

// around is the box of a text of width w whose side towards the marker is at x, y.
func around(x, y, w, angle float64) box {
	left := x - w/2 + w/2*math.Cos(angle)
	middle := y + 6*math.Sin(angle)
	return box{left, middle - 7, left + w, middle + 7}
}

func (p *plot) free(b box, taken []box) bool {
	if b.left < p.x.from || b.right > width || b.top < p.y.to-12 || b.bottom > p.y.from {
		return false
	}
	return !slices.ContainsFunc(taken, b.meets)
}
