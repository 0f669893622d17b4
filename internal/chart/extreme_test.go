package chart_test

import (
	"html/template"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"airqa/internal/chart"
)

// figures draws the same two numbers and a text as every kind of chart.
func figures(a, b float64, label string) map[string]template.HTML {
	axis := chart.Axis{Label: label, Unit: label}
	points := []chart.Point{{X: a, Y: b, Label: label}, {X: b, Y: a, Interval: &chart.Interval{Low: a, High: b}}}
	bars := []chart.BarSeries{{Name: label, Bars: []chart.Bar{{Value: a, Interval: &chart.Interval{Low: b, High: a}}, {Value: b, Text: label}}}}
	list := map[string]template.HTML{
		"bars":      chart.Bars(chart.BarsConfig{Title: label, Groups: []string{label, "b"}, Series: bars, Max: a, Unit: label}),
		"columns":   chart.Bars(chart.BarsConfig{Groups: []string{label, ""}, Series: bars, Vertical: true}),
		"lines":     chart.Lines(chart.LinesConfig{Note: label, X: axis, Y: axis, Series: []chart.Series{{Name: label, Points: points}}}),
		"points":    chart.Points(chart.PointsConfig{X: axis, Y: axis, Series: []chart.Series{{Points: points}}}),
		"histogram": chart.Histogram(chart.HistogramConfig{X: axis, Values: []float64{a, b}}),
	}
	axis.Log = true
	list["log"] = chart.Points(chart.PointsConfig{X: axis, Y: axis, Series: []chart.Series{{Points: points}}})
	return list
}

// sound complains of a figure that is too long or broken.
func sound(t *testing.T, name string, figure template.HTML) {
	t.Helper()
	s := string(figure)
	switch {
	case len(s) > 200_000:
		t.Errorf("%s: %d bytes", name, len(s))
	case strings.Contains(s, "NaN") || strings.Contains(s, "Inf"):
		t.Errorf("%s holds what is no number: %s", name, s)
	case !utf8.ValidString(s) || strings.Count(s, "<svg") != 1 || strings.Count(s, "<script") > 0:
		t.Errorf("%s is broken: %s", name, s)
	}
}

func TestExtremes(t *testing.T) {
	values := []float64{
		0, 1, -1, 0.1, 1e-300, 1e-9, 1e15, 1e15 - 0.125, -1e15, 1 + 1e-15, 1e16, 1e300, math.MaxFloat64, -math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(),
	}
	for _, a := range values {
		for _, b := range values {
			for name, figure := range figures(a, b, "label") {
				sound(t, name, figure)
			}
		}
	}
}

func FuzzFigures(f *testing.F) {
	f.Add(1.0, 2.0, "label")
	f.Add(-0.5, 1e9, strings.Repeat("long ", 40))
	f.Add(0.0, 0.0, "</title><script>\x00\u202e")
	f.Add(3.0, 100.0, "\xff\xfe検索_and-more/of it")
	f.Fuzz(func(t *testing.T, a, b float64, label string) {
		if strings.Contains(label, "NaN") || strings.Contains(label, "Inf") || len(label) > 1000 {
			return
		}
		for name, figure := range figures(a, b, label) {
			sound(t, name, figure)
		}
	})
}
