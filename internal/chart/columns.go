package chart

import (
	"html/template"
	"math"
	"strconv"
	"strings"
)

const (
	plotHeight  = 190.0
	axisWidth   = 44.0
	columnsRoom = width - axisWidth - 6
)

// columnsFit reports whether standing bars have room for their labels and numbers.
func (c BarsConfig) columnsFit() bool {
	room := columnsRoom / float64(len(c.Groups))
	for _, g := range c.Groups {
		if room <= 14 || clipped(wrap(g, room-6, 2), g) {
			return false
		}
	}
	each := (room - 8) / float64(len(c.Series))
	for _, s := range c.Series {
		for _, b := range s.Bars {
			// Counts have a place under the label of a single bar only.
			if textWidth(c.written(b)) > each+2 || b.N > 0 && len(c.Series) > 1 {
				return false
			}
		}
	}
	return each >= 8
}

// clipped reports whether wrapping lost letters or broke a word where it should not be.
func clipped(lines []string, whole string) bool {
	for i, l := range lines {
		next := strings.TrimPrefix(whole, l)
		if next == whole && l != "" {
			return true
		}
		rest := strings.TrimLeft(next, " ")
		if i < len(lines)-1 && rest == next && !strings.HasSuffix(l, "-") && !strings.HasSuffix(l, "_") && !strings.HasSuffix(l, "/") {
			return true
		}
		whole = rest
	}
	return whole != ""
}

// columns draws standing bars.
func (c BarsConfig) columns(f figure) template.HTML {
	var v canvas
	top := v.legend(c.names(), boxSwatch) + 18
	values := c.values()
	y := scale{low: values.low, high: values.high, from: top + plotHeight, to: top, whole: values.whole()}
	for _, t := range y.ticks(4, c.Unit) {
		v.line(axisWidth, y.at(t.value), width, y.at(t.value), "grid")
		v.text(axisWidth-6, y.at(t.value)+4, atEnd, "tick", t.text)
	}
	room := columnsRoom / float64(len(c.Groups))
	below := 0.0
	for g, name := range c.Groups {
		x := axisWidth + 4 + room*float64(g)
		for s := range c.Series {
			each := min((room-8)/float64(len(c.Series)), 60)
			first := x + room/2 - each*float64(len(c.Series))/2
			c.column(&v, y, s, g, [2]float64{first + each*float64(s), each})
		}
		lines := wrap(name, room-6, 2)
		for i, line := range lines {
			v.text(x+room/2, y.from+16+lineHeight*float64(i), atMiddle, "label", line)
		}
		if n := c.Series[0].Bars[g].N; n > 0 {
			v.text(x+room/2, y.from+16+lineHeight*float64(len(lines)), atMiddle, "tick", "n="+strconv.Itoa(n))
			lines = append(lines, "")
		}
		below = max(below, lineHeight*float64(len(lines)))
	}
	v.line(axisWidth, y.at(0), width, y.at(0), "axis")
	f.height = y.from + below + 10
	return f.html(&v)
}

// column draws one standing bar; place is its left end and its width.
func (c BarsConfig) column(v *canvas, y scale, s, g int, place [2]float64) {
	b := c.Series[s].Bars[g]
	left, wide := place[0]+1, place[1]-2
	middle := left + wide/2
	v.open(c.tip(s, g))
	defer v.close()
	if !finite(b.Value) {
		v.text(middle, y.at(0)-5, atMiddle, "value", c.written(b))
		return
	}
	zero, end := y.at(0), y.at(b.Value)
	v.bar(left, min(zero, end), wide, math.Abs(end-zero), s)
	head := min(zero, end)
	if b.shown() {
		low, high := y.at(b.Interval.Low), y.at(b.Interval.High)
		v.line(middle, low, middle, high, "whisker halo")
		v.line(middle, low, middle, high, "whisker")
		v.line(middle-4, low, middle+4, low, "whisker")
		v.line(middle-4, high, middle+4, high, "whisker")
		head = min(head, high)
	}
	v.text(middle, head-5, atMiddle, "value", c.written(b))
}
