package chart

import (
	"fmt"
	"hash/fnv"
	"html/template"
	"strings"
)

// width is that of every chart in units of its view box; a page scales it to what room there is.
const width = 480.0

// canvas collects the elements of one chart.
type canvas struct {
	b    strings.Builder
	used int // series with a pattern
}

// where text is anchored.
const (
	atStart  = "start"
	atMiddle = "middle"
	atEnd    = "end"
)

func (c *canvas) text(x, y float64, anchor, class, s string) {
	_, _ = fmt.Fprintf(&c.b, `<text x="%s" y="%s" text-anchor="%s" class="%s">%s</text>`, num(x), num(y), anchor, class, escaped(s))
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	_, _ = fmt.Fprintf(&c.b, `<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, num(x1), num(y1), num(x2), num(y2), class)
}

// bar draws the filled box of a series, the first of several without a pattern.
func (c *canvas) bar(x, y, w, h float64, series int) {
	c.used = max(c.used, series)
	fill := ""
	if p := series % len(patterns); p > 0 {
		fill = fmt.Sprintf(` style="fill:url(#ID-%d)"`, series)
	}
	_, _ = fmt.Fprintf(&c.b, `<rect x="%s" y="%s" width="%s" height="%s" class="bar %s"%s/>`, num(x), num(y), num(max(w, 0)), num(max(h, 0)), colour(series), fill)
}

// open begins a group that shows a text when pointed at; close ends it.
func (c *canvas) open(tip string) {
	_, _ = fmt.Fprintf(&c.b, `<g><title>%s</title>`, escaped(tip))
}

func (c *canvas) close() { c.b.WriteString(`</g>`) }

// colour is the class of a series' colour.
func colour(series int) string { return fmt.Sprintf("s%d", series%colours) }

// patterns are drawn over the colour of a series; the first is none.
var patterns = []string{
	"",
	`<path d="M-1 1L1 -1M-1 7L7 -1M5 7L7 5" class="hatch"/>`,
	`<circle cx="3" cy="3" r="1.2" class="dot"/>`,
	`<path d="M0 3H6" class="hatch"/>`,
	`<path d="M-1 5L1 7M-1 -1L7 7M5 -1L7 1" class="hatch"/>`,
	`<path d="M0 3H6M3 0V6" class="hatch"/>`,
}

func (c *canvas) defs() string {
	var b strings.Builder
	for i := 1; i <= c.used; i++ {
		if p := patterns[i%len(patterns)]; p != "" {
			_, _ = fmt.Fprintf(&b, `<pattern id="ID-%d" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" class="%s"/>%s</pattern>`, i, colour(i), p)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "<defs>" + b.String() + "</defs>"
}

// figure is a finished chart: a caption, the drawing, and a note under it.
type figure struct {
	title, desc, note string
	height            float64
}

// html puts the figure together. Ids are made of what is drawn, so that two charts of a page do not share any.
func (f figure) html(c *canvas) template.HTML {
	var b strings.Builder
	b.WriteString(`<figure class="chart">`)
	if f.title != "" {
		_, _ = fmt.Fprintf(&b, `<figcaption>%s</figcaption>`, escaped(f.title))
	}
	_, _ = fmt.Fprintf(&b, `<svg viewBox="0 0 %s %s" role="img" xmlns="http://www.w3.org/2000/svg"><title>%s</title><desc>%s</desc>%s%s</svg>`,
		num(width), num(f.height), escaped(f.title), escaped(f.desc), c.defs(), c.b.String())
	if f.note != "" {
		_, _ = fmt.Fprintf(&b, `<p class="note">%s</p>`, escaped(f.note))
	}
	b.WriteString(`</figure>`)
	h := fnv.New32a()
	_, _ = h.Write([]byte(b.String()))
	id := fmt.Sprintf("c%08x", h.Sum32())
	made := strings.NewReplacer(`id="ID-`, `id="`+id+"-", `url(#ID-`, `url(#`+id+"-").Replace(b.String())
	return template.HTML(made) // every text in it went through escaped
}

// empty is the chart of nothing.
func empty(f figure) template.HTML {
	var c canvas
	f.height = 40
	c.text(width/2, 24, atMiddle, "muted", "no data")
	if f.desc == "" {
		f.desc = "no data"
	}
	return f.html(&c)
}
