package chart

import (
	"html/template"
	"math"
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

// Points draws a marker a point, with its label where there is room for it. A label that finds none is left to what
// is shown when its marker is pointed at, and to the description.
func Points(c PointsConfig) template.HTML {
	f := figure{title: c.Title, desc: c.Desc, note: c.Note}
	if !drawable(c.Series) {
		return empty(f)
	}
	p := newPlot(c.X, c.Y, c.Series)
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
	for _, s := range c.Series {
		for _, pt := range s.Points {
			if pt.drawn() && pt.Label != "" {
				taken = p.label(pt, taken)
			}
		}
	}
	return f.html(&p.c)
}

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
func (p *plot) label(pt Point, taken []box) []box {
	text := fit(clean(pt.Label), 150)
	w := textWidth(text)
	x, y := p.x.at(pt.X), p.y.at(pt.Y)
	for _, far := range []float64{7, 18, 30, 44, 60} {
		for step := range 12 {
			// From the right, turning up and down by turns.
			angle := float64((step+1)/2) * math.Pi / 6
			if step%2 == 1 {
				angle = -angle
			}
			b := around(x+far*math.Cos(angle), y+far*math.Sin(angle), w, angle)
			if !p.free(b, taken) {
				continue
			}
			if far > 7 {
				p.c.line(x, y, x+(far-2)*math.Cos(angle), y+(far-2)*math.Sin(angle), "leader")
			}
			p.c.text(b.left, b.bottom-3, atStart, "point", text)
			return append(taken, b)
		}
	}
	return taken
}

// around is the box of a text of width w whose side towards the marker is at x, y.
func around(x, y, w, angle float64) box {
	left := x - w/2 + w/2*math.Cos(angle)
	middle := y + 6*math.Sin(angle)
	return box{left, middle - 7, left + w, middle + 7}
}

func (p *plot) free(b box, taken []box) bool {
	if b.left < p.x.from || b.right > width || b.top < p.y.to-6 || b.bottom > p.y.from {
		return false
	}
	for _, t := range taken {
		if b.meets(t) {
			return false
		}
	}
	return true
}
