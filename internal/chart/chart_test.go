package chart_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"airqa/internal/chart"
	"airqa/internal/golden"
)

func bar(value, low, high float64, n int) chart.Bar {
	return chart.Bar{Value: value, Interval: &chart.Interval{Low: low, High: high}, N: n}
}

func plain(values ...float64) []chart.Bar {
	var list []chart.Bar
	for _, v := range values {
		list = append(list, chart.Bar{Value: v})
	}
	return list
}

func many(n int) ([]string, []chart.Bar) {
	var names []string
	var bars []chart.Bar
	for i := range n {
		names = append(names, fmt.Sprintf("eval_function_number_%d", i+1))
		bars = append(bars, chart.Bar{Value: float64((i * 37) % 101), N: i + 1})
	}
	return names, bars
}

// barCharts are bars as a reader meets them, and as they must not break.
func barCharts() []template.HTML {
	names, thirty := many(30)
	baselines := []string{"classic-rag", "agentic-hybrid", "two-stage-sql"}
	return []template.HTML{
		chart.Bars(chart.BarsConfig{
			Title: "Score by baseline", Note: "Whiskers are 95 % Wilson intervals.", Groups: baselines, Max: 100, Decimals: 2, Unit: " %",
			Series: []chart.BarSeries{{Bars: []chart.Bar{bar(31.22, 24.1, 39.2, 553), bar(44.6, 37, 52.4, 553), bar(0, 0, 3.2, 120)}}},
		}),
		chart.Bars(chart.BarsConfig{
			Title: "Score by type and baseline", Groups: []string{"single", "multiple", "retrieval", "comprehensive"}, Max: 100, Decimals: 1,
			Series: []chart.BarSeries{
				{Name: baselines[0], Bars: []chart.Bar{bar(10, 5, 20, 44), bar(100, 90, 100, 30), bar(0, 0, 11, 30), {Value: math.NaN()}}},
				{Name: baselines[1], Bars: []chart.Bar{bar(22, 15, 33, 44), bar(65, 50, 70, 30), bar(40, 20, 60, 30), {Value: 5}}},
				{Name: baselines[2], Bars: []chart.Bar{bar(32, 25, 40, 44), bar(15, 10, 27, 30), bar(80, 60, 90, 30), {Value: math.Inf(1)}}},
			},
		}),
		chart.Bars(chart.BarsConfig{
			Title: "Standing", Vertical: true, Groups: []string{"single", "multiple", "retrieval", "compre-hensive"},
			Series: []chart.BarSeries{{Bars: []chart.Bar{{Value: 351, N: 3}, {Value: 323}, {Value: 288}, {Value: 284, Interval: &chart.Interval{Low: 250, High: 380}}}}},
		}),
		chart.Bars(chart.BarsConfig{
			Title: "Standing, two series, a missing one", Vertical: true, Groups: []string{"a", "b", "c", "d", "e"},
			Series: []chart.BarSeries{{Name: "this file", Bars: plain(1, 0, 3, math.NaN(), 5)}, {Name: "paper", Bars: plain(2, 4, 4)}},
		}),
		chart.Bars(chart.BarsConfig{Title: "Differences", Groups: []string{"table", "image"}, Decimals: 1, Unit: " pp", Series: []chart.BarSeries{{Bars: []chart.Bar{bar(-3.5, -8, 1, 0), bar(6, 2.5, 9, 0)}}}}),
		chart.Bars(chart.BarsConfig{Title: "One", Vertical: true, Groups: []string{"only"}, Series: []chart.BarSeries{{Bars: plain(0)}}}),
		chart.Bars(chart.BarsConfig{Title: "None"}),
		chart.Bars(chart.BarsConfig{Title: "Thirty that would stand", Vertical: true, Groups: names, Series: []chart.BarSeries{{Bars: thirty}}}),
		chart.Bars(chart.BarsConfig{
			Title: `<script>alert("x")</script> & long names`, Note: "a </svg> note",
			Groups: []string{
				`<b onclick="x">bold</b> & "quoted"`, "a very long label that goes on and on, over two lines and farther than these can hold",
				"eval_reference_answer_and_scoring_points_with_llm", strings.Repeat("x", 80), "\x1b[31mred\x00 \u202edesrever", "検索と質問応答のための長い名前のデータセット",
			},
			Series: []chart.BarSeries{
				{Name: "series <1> of a name that is long enough to take the line", Bars: plain(1e6, 2.5e6, 12, 3, 4, 5)},
				{Name: "series 2", Bars: plain(1e6, 2e6, 1, 3, 4, 5)},
				{Name: "", Bars: []chart.Bar{{Value: 3e6, Text: "3 million <i>"}}},
			},
		}),
	}
}

func plotCharts() []template.HTML {
	var lines []chart.Series
	for s := range 6 {
		line := chart.Series{Name: fmt.Sprintf("model %d", s+1)}
		for x := 1.0; x <= 10; x++ {
			y := 10*float64(s) + 4*x + 6*math.Sin(x+float64(s))
			line.Points = append(line.Points, chart.Point{X: x, Y: y})
		}
		lines = append(lines, line)
	}
	gap := chart.Series{Name: "with a gap", Points: []chart.Point{
		{X: 1, Y: 20, Interval: &chart.Interval{Low: 12, High: 31}, N: 4}, {X: 2, Y: math.NaN()}, {X: 4, Y: 50}, {X: 3, Y: 40, Interval: &chart.Interval{Low: 30, High: 55}},
	}}
	cost := []chart.Series{{Name: "small models"}, {Name: "large models"}}
	for i := range 16 {
		p := chart.Point{X: 0.001 * math.Pow(2.1, float64(i%8)), Y: 20 + 3*float64(i%8) + float64(i), Label: fmt.Sprintf("model-%dB-instruct", i+1)}
		cost[i/8].Points = append(cost[i/8].Points, p)
	}
	crowd := chart.Series{}
	for i := range 12 {
		crowd.Points = append(crowd.Points, chart.Point{X: 5, Y: 50 + float64(i)/100, Label: fmt.Sprintf("same place %d", i)})
	}
	return []template.HTML{
		chart.Lines(chart.LinesConfig{Title: "Score by turn", X: chart.Axis{Label: "turns"}, Y: chart.Axis{Label: "score", Unit: " %", Max: 100}, Series: lines}),
		chart.Lines(chart.LinesConfig{Title: "Gaps and intervals", Series: []chart.Series{gap}}),
		chart.Lines(chart.LinesConfig{Title: "One point", Series: []chart.Series{{Points: []chart.Point{{X: 3, Y: 0}}}}}),
		chart.Lines(chart.LinesConfig{Title: "No point", Series: []chart.Series{{Points: []chart.Point{{X: math.NaN(), Y: 1}}}}}),
		chart.Points(chart.PointsConfig{Title: "Cost against score", X: chart.Axis{Label: "dollars per question", Log: true, Decimals: 4}, Y: chart.Axis{Label: "score", Decimals: 1}, Series: cost}),
		chart.Points(chart.PointsConfig{Title: "A crowd", X: chart.Axis{Label: "cost", Unit: " $"}, Series: []chart.Series{crowd, {Name: `<a href="x">`, Points: []chart.Point{{X: 0, Y: 0, Label: "<zero>"}, {X: 10, Y: 100, Label: "at the corner"}}}}}),
		chart.Points(chart.PointsConfig{Title: "Nothing"}),
	}
}

func histograms() []template.HTML {
	var lengths []float64
	for i := range 400 {
		lengths = append(lengths, math.Round(12+20*math.Abs(math.Sin(float64(i)))+float64(i%17)*float64(i%5)))
	}
	return []template.HTML{
		chart.Histogram(chart.HistogramConfig{Title: "Question length", X: chart.Axis{Label: "words"}, Values: lengths}),
		chart.Histogram(chart.HistogramConfig{Title: "Fractions", X: chart.Axis{Label: "s", Decimals: 2}, Values: []float64{0.1, 0.12, 0.55, 0.9, math.NaN()}, Bins: 5}),
		chart.Histogram(chart.HistogramConfig{Title: "All the same", Values: []float64{7, 7, 7}}),
		chart.Histogram(chart.HistogramConfig{Title: "Nothing"}),
	}
}

// TestPage keeps a page of all charts; look at it in a browser when it changes.
func TestPage(t *testing.T) {
	page := chart.Page{
		Title: "Charts & <pages>", Lead: []string{"A lead."}, Foot: []string{"Small print."},
		Sections: []chart.Section{
			{Title: "Bars", Charts: barCharts()},
			{Title: "Plots", Text: []string{"Some text."}, Charts: plotCharts()},
			{Title: "Histograms", Charts: histograms(), Tables: []template.HTML{
				chart.Table{Caption: "A table", Head: []string{"name", "n"}, Rows: [][]string{{"a <heading>"}, {"<b>bold</b>", "12"}, {"plain", "3"}}, Note: "Its note."}.HTML(),
			}},
		},
	}
	var b, again strings.Builder
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := page.Write(&again); err != nil || b.String() != again.String() {
		t.Error("the same page gives other bytes", err)
	}
	golden.Check(t, "page.html", b.String())
	for _, bad := range []string{"<script", "<b ", "onclick=\"x", "<i>", "NaN", "Inf", "\u202e", "\x1b"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	if outside := regexp.MustCompile(`(?:src|href)="[^#]|url\([^#]|@import`).FindString(b.String()); outside != "" {
		t.Errorf("the page refers to something outside: %s", outside)
	}
}

// TestFigures reads every figure as XML, so that no text can have broken it.
func TestFigures(t *testing.T) {
	for i, figure := range append(append(barCharts(), plotCharts()...), histograms()...) {
		d := xml.NewDecoder(strings.NewReader(string(figure)))
		depth := 0
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("figure %d: %v", i, err)
			}
			switch token.(type) {
			case xml.StartElement:
				depth++
			case xml.EndElement:
				depth--
			}
		}
		if depth != 0 {
			t.Errorf("figure %d ends at depth %d", i, depth)
		}
		for _, part := range []string{`role="img"`, "<title>", "<desc>", `viewBox="0 0 480 `} {
			if !strings.Contains(string(figure), part) {
				t.Errorf("figure %d lacks %s", i, part)
			}
		}
	}
}

func TestDescription(t *testing.T) {
	tests := []struct {
		name   string
		figure template.HTML
		want   string
	}{
		{"bars", chart.Bars(chart.BarsConfig{Groups: []string{"a", "b"}, Series: []chart.BarSeries{{Bars: []chart.Bar{bar(1.5, 1, 2, 7)}}}, Decimals: 1}), "<desc>a: 1.5 (1.0 to 2.0), n = 7; b: –</desc>"},
		{"own text", chart.Bars(chart.BarsConfig{Desc: "Two <bars>.", Groups: []string{"a"}, Series: []chart.BarSeries{{}}}), "<desc>Two &lt;bars&gt;.</desc>"},
		{"lines", chart.Lines(chart.LinesConfig{Series: []chart.Series{{Name: "s", Points: []chart.Point{{X: 1, Y: 2}, {X: math.Inf(1), Y: 2}}}}}), "<desc>s, 1: 2</desc>"},
		{"histogram", chart.Histogram(chart.HistogramConfig{Values: []float64{3, 1, 3}}), "<desc>1: 1; 3: 2</desc>"},
		{"nothing", chart.Points(chart.PointsConfig{}), "<desc>no data</desc>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(string(tt.figure), tt.want) {
				t.Errorf("figure lacks %q:\n%s", tt.want, tt.figure)
			}
		})
	}
}
