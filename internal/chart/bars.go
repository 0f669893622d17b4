package chart

import (
	"fmt"
	"html/template"
	"strings"
)

// Interval goes from Low to High in the units of the value that it belongs to.
type Interval struct{ Low, High float64 }

// Bar is one value of a series.
type Bar struct {
	// Value is NaN where there is none.
	Value float64
	// Interval is drawn across the end of the bar; nil for none.
	Interval *Interval
	// N is how many things the value is of; 0 is not shown.
	N int
	// Text stands for the value where it is written, such as "12 (4 %)"; the value itself when empty.
	Text string
}

// BarSeries is one bar a group.
type BarSeries struct {
	Name string
	Bars []Bar
}

// BarsConfig is a bar chart: a bar of each series in each group.
type BarsConfig struct {
	// Title is the caption, Note the small print below.
	Title, Note string
	// Desc is what is told to who does not see the chart; the values themselves when empty.
	Desc string
	// Groups are the labels; a series with fewer bars lacks the last ones.
	Groups []string
	Series []BarSeries
	// Vertical bars stand side by side where their labels have room, and lie where they have not.
	Vertical bool
	// Max is the upper end of the axis, 0 to take it from the values.
	Max float64
	// Decimals and Unit say how values are written.
	Decimals int
	Unit     string
}

// Bars draws a bar chart.
func Bars(c BarsConfig) template.HTML {
	c.Groups, c.Series = c.cleaned()
	desc := c.Desc
	if desc == "" {
		desc = c.describe()
	}
	f := figure{title: c.Title, desc: desc, note: c.Note}
	if len(c.Groups) == 0 || len(c.Series) == 0 {
		return empty(f)
	}
	if c.Vertical && c.columnsFit() {
		return c.columns(f)
	}
	return c.lying(f)
}

// cleaned returns labels fit to be measured, and series of equal length.
func (c BarsConfig) cleaned() ([]string, []BarSeries) {
	groups := make([]string, len(c.Groups))
	for i, g := range c.Groups {
		groups[i] = clean(g)
	}
	series := make([]BarSeries, len(c.Series))
	for i, s := range c.Series {
		series[i] = BarSeries{Name: s.Name, Bars: make([]Bar, len(groups))}
		for j := range groups {
			series[i].Bars[j] = Bar{Value: missing()}
			if j < len(s.Bars) {
				series[i].Bars[j] = s.Bars[j]
			}
		}
	}
	return groups, series
}

func (c BarsConfig) names() []string {
	names := make([]string, len(c.Series))
	for i, s := range c.Series {
		names[i] = s.Name
	}
	return names
}

// values spans all values and intervals.
func (c BarsConfig) values() span {
	var s span
	for _, series := range c.Series {
		for _, b := range series.Bars {
			s.add(b.Value)
			if b.Interval != nil {
				s.add(b.Interval.Low, b.Interval.High)
			}
		}
	}
	s.axis(c.Max)
	return s
}

// written is the value of a bar as text.
func (c BarsConfig) written(b Bar) string {
	switch {
	case b.Text != "":
		return clean(b.Text)
	case !finite(b.Value):
		return "–"
	}
	return decimal(b.Value, c.Decimals) + c.Unit
}

// tip is all there is to say of a bar.
func (c BarsConfig) tip(series, group int) string {
	b := c.Series[series].Bars[group]
	var t strings.Builder
	t.WriteString(c.Groups[group])
	if name := c.Series[series].Name; name != "" {
		t.WriteString(", " + name)
	}
	t.WriteString(": " + c.written(b))
	if b.shown() {
		_, _ = fmt.Fprintf(&t, " (%s to %s)", decimal(b.Interval.Low, c.Decimals), decimal(b.Interval.High, c.Decimals))
	}
	if b.N > 0 {
		_, _ = fmt.Fprintf(&t, ", n = %d", b.N)
	}
	return t.String()
}

// shown reports whether the bar has an interval that can be drawn.
func (b Bar) shown() bool {
	return b.Interval != nil && finite(b.Interval.Low) && finite(b.Interval.High) && finite(b.Value)
}

func (c BarsConfig) describe() string {
	var parts []string
	for g := range c.Groups {
		for _, s := range c.present(g) {
			parts = append(parts, c.tip(s, g))
		}
	}
	return strings.Join(parts, "; ")
}

// present are the series with a bar in a group; a group without any keeps the place of one.
func (c BarsConfig) present(g int) []int {
	var list []int
	for s := range c.Series {
		if finite(c.Series[s].Bars[g].Value) {
			list = append(list, s)
		}
	}
	if list == nil {
		return []int{0}
	}
	return list
}

func boxSwatch(c *canvas, x, y float64, series int) { c.bar(x, y-6, swatchWidth, 12, series) }
