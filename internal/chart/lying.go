package chart

import (
	"html/template"
	"math"
	"strconv"
)

const (
	barHeight  = 16.0
	groupGap   = 8.0
	lineHeight = 15.0
	// widestLabel is what the labels at the left may take of the width.
	widestLabel = 188.0
)

// lying is the geometry of horizontal bars: labels at the left, numbers in a column at the right.
type lying struct {
	BarsConfig
	c       *canvas
	x       scale
	labels  [][]string
	label   float64 // width of the labels
	numbers float64 // where the numbers end
	counts  float64 // where the counts end
}

func (c BarsConfig) lying(f figure) template.HTML {
	l := lying{BarsConfig: c, c: new(canvas)}
	y := l.c.legend(c.names(), boxSwatch)
	l.measure()
	top := y
	heights := l.heights()
	bottom := top
	for _, h := range heights {
		bottom += h
	}
	l.grid(top, bottom)
	for g := range c.Groups {
		l.group(g, y, heights[g])
		y += heights[g]
	}
	f.height = bottom + 20
	return f.html(l.c)
}

// measure shares the width among labels, bars and numbers.
func (l *lying) measure() {
	var number, count float64
	for _, s := range l.Series {
		for _, b := range s.Bars {
			number = max(number, textWidth(l.written(b)))
			if b.N > 0 {
				count = max(count, textWidth("n="+strconv.Itoa(b.N))+10)
			}
		}
	}
	for _, g := range l.Groups {
		l.label = max(l.label, textWidth(g))
	}
	l.label = min(l.label, widestLabel)
	for _, g := range l.Groups {
		l.labels = append(l.labels, wrap(g, l.label, 2))
	}
	l.counts = width - 1
	l.numbers = l.counts - count
	v := l.values()
	l.x = scale{low: v.low, high: v.high, from: l.label + 8, to: l.numbers - number - 10, whole: v.whole()}
	// Long numbers must leave room for the bars.
	l.x.to = max(l.x.to, l.x.from+60)
}

func (l *lying) heights() []float64 {
	list := make([]float64, len(l.Groups))
	for g := range l.Groups {
		list[g] = max(l.pitch()*float64(len(l.present(g))), lineHeight*float64(len(l.labels[g]))) + groupGap
	}
	return list
}

// pitch is the height of one bar with what separates it from the next.
func (l *lying) pitch() float64 {
	if len(l.Series) > 1 {
		return barHeight - 1
	}
	return barHeight + 1
}

func (l *lying) grid(top, bottom float64) {
	room := l.x.to - l.x.from
	n := int(min(max(math.Floor(room/50), 1), 5))
	for _, t := range l.x.ticks(n, l.Unit) {
		x := l.x.at(t.value)
		l.c.line(x, top, x, bottom, "grid")
		l.c.text(x, bottom+14, atMiddle, "tick", t.text)
	}
	l.c.line(l.x.at(0), top, l.x.at(0), bottom, "axis")
}

func (l *lying) group(g int, y, height float64) {
	lines := l.labels[g]
	middle := y + height/2
	for i, text := range lines {
		at := middle + (float64(i)-float64(len(lines)-1)/2)*lineHeight + 4
		l.c.text(l.label, at, atEnd, "label", text)
	}
	present := l.present(g)
	first := middle - l.pitch()*float64(len(present))/2
	for i, s := range present {
		l.one(s, g, first+l.pitch()*float64(i))
	}
}

// one draws a bar, its interval and its numbers.
func (l *lying) one(s, g int, y float64) {
	b := l.Series[s].Bars[g]
	thick := l.pitch() - 2
	middle := y + l.pitch()/2
	l.c.open(l.tip(s, g))
	if finite(b.Value) {
		zero, end := l.x.at(0), l.x.at(b.Value)
		l.c.bar(min(zero, end), middle-thick/2, math.Abs(end-zero), thick, s)
	}
	if b.shown() {
		low, high := l.x.at(b.Interval.Low), l.x.at(b.Interval.High)
		l.c.line(low, middle, high, middle, "whisker halo")
		l.c.line(low, middle, high, middle, "whisker")
		l.c.line(low, middle-4, low, middle+4, "whisker")
		l.c.line(high, middle-4, high, middle+4, "whisker")
	}
	l.c.text(l.numbers, middle+4, atEnd, "value", l.written(b))
	if b.N > 0 {
		l.c.text(l.counts, middle+4, atEnd, "tick", "n="+strconv.Itoa(b.N))
	}
	l.c.close()
}
