package render_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"airqa/internal/stats"
	"airqa/report"
	"airqa/report/render"
)

// figures has one of each kind, with long, hostile and missing values.
func figures() []render.Figure {
	between := func(low, high float64) *stats.Interval { return &stats.Interval{Low: low, High: high} }
	var lengths []render.Point
	for i := range 300 {
		lengths = append(lengths, render.Point{X: float64(5 + (i*i)%97)})
	}
	points := func(values ...float64) (list []render.Point) {
		for i, v := range values {
			list = append(list, render.Point{X: float64(i), Y: v, Interval: between(max(v-9, 0), min(v+7, 100)), Label: fmt.Sprintf("%.1f", v)})
		}
		return list
	}
	names := []string{"agentic-hybrid", "rag", "classic rag with a name </text> & that is far too long for a single line of a chart", "question-only"}
	return []render.Figure{
		{
			Name: "bars", Title: "Score (AVG, %)", Note: "1,246 questions; other papers and another judge than above.", Kind: render.Bars, X: render.Axis{Label: "score, %", Max: 100}, Y: render.Axis{Label: "baseline"}, Categories: names,
			Series: []render.Series{{Name: "gpt-4o", Points: points(66.7, 40, 12.1, 3)}, {Name: "qwen3:0.6b <b>", Colour: 1, Points: points(60.2, 31.9)}},
		},
		{
			Name: "dots", Title: "Difference by group", Kind: render.Dots, X: render.Axis{Label: "B - A, points"}, Y: render.Axis{Label: "group"}, Categories: []string{"sgl.", "multi.", "all"},
			Series: []render.Series{{Points: []render.Point{{X: 0, Y: 12, Interval: between(-3, 20), Label: "12.0"}, {X: 1, Y: -8, Interval: between(-30, 4), Label: "-8.0"}, {X: 2, Y: 3, Label: "3.0"}}}},
		},
		{
			Name: "columns", Title: "Papers per multiple question (mean 2.31)", Kind: render.Columns, X: render.Axis{Label: "papers"}, Y: render.Axis{Label: "questions"}, Categories: []string{"0", "1", "2", "3"},
			Series: []render.Series{{Name: "anchors", Points: points(30, 40, 12, 3)}, {Name: "references", Colour: 1, Points: points(60, 31, 2, 0)}},
		},
		{Name: "lengths", Title: "Length of the question, tokens", Kind: render.Histogram, X: render.Axis{Label: "tokens"}, Y: render.Axis{Label: "questions"}, Series: []render.Series{{Points: lengths}}},
		{
			Name: "turns", Title: "Right answers by number of turns, gpt-4o", Kind: render.Lines, X: render.Axis{Label: "turns", Max: 20}, Y: render.Axis{Label: "right within this number of turns, % of the questions", Max: 80},
			Series: []render.Series{{Name: "agentic-hybrid", Points: points(5, 20, 30, 40, 50, 60, 66)}, {Name: "rag", Colour: 1, Shape: 1, Points: points(0, 40, 40)}},
		},
		{
			Name: "cost", Title: "Cost per example against score", Kind: render.Scatter, X: render.Axis{Label: "USD per example", Log: true}, Y: render.Axis{Label: "score, %", Max: 80},
			Series: []render.Series{
				{Name: "agentic-hybrid, gpt-4o", Points: []render.Point{{X: 0.021, Y: 60, Interval: between(50, 70)}}},
				{Name: "rag, gpt-4o", Shape: 1, Points: []render.Point{{X: 0.0041, Y: 30, Interval: between(20, 40)}}},
				{Name: "rag, qwen", Colour: 1, Shape: 1, Points: []render.Point{{X: 0.00041, Y: 20, Interval: between(10, 40)}}},
			},
		},
	}
}

func TestFigures(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	for _, dir := range dirs {
		if n, err := render.SaveFigures(dir, figures()); err != nil || n != 18 {
			t.Fatalf("%d files, %v", n, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dirs[0], "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 18 {
		t.Errorf("%d files", len(files))
	}
	for _, f := range files {
		first, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		second, err := os.ReadFile(filepath.Join(dirs[1], filepath.Base(f)))
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s differs between two calls (%v)", filepath.Base(f), err)
		}
	}
}

// A chart is well-formed XML whatever its names, with labelled axes and a fixed width for every text.
func TestSVG(t *testing.T) {
	for _, f := range figures() {
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		d := xml.NewDecoder(strings.NewReader(string(svg)))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", f.Name, err, svg)
			}
			if text, ok := token.(xml.CharData); ok {
				texts = append(texts, string(text))
			}
		}
		all := strings.Join(texts, "\n")
		for _, want := range []string{f.Title, strings.Fields(f.X.Label)[0], strings.Fields(f.Y.Label)[0]} {
			if !strings.Contains(all, want) {
				t.Errorf("%s lacks %q:\n%s", f.Name, want, all)
			}
		}
		if n := strings.Count(string(svg), "<text "); n == 0 || n != strings.Count(string(svg), " textLength=") {
			t.Errorf("%s: a text without a width", f.Name)
		}
	}
}

// Charts of one comparison share their scales, and all axes are labelled.
func TestReportFigures(t *testing.T) {
	o := render.Options{Options: report.Options{Intervals: report.WilsonIntervals, WithPaper: true}}
	list, err := render.ReportFigures(rows(t, o.Options), o)
	if err != nil {
		t.Fatal(err)
	}
	scores, turns, intervals := 0, make(map[float64]bool), 0
	names := make(map[string]bool)
	for _, f := range list {
		if f.X.Label == "" || f.Y.Label == "" || f.Title == "" || names[f.Name] {
			t.Errorf("%s: no label, or a name twice", f.Name)
		}
		names[f.Name] = true
		if f.X.Label == "score, %" && f.X.Max == 100 || f.Y.Label == "score, %" && f.Y.Max == 100 {
			scores++
		}
		if f.Kind == render.Lines {
			turns[f.X.Max+1000*f.Y.Max] = true
		}
		for _, s := range f.Series {
			for _, p := range s.Points {
				if p.Interval != nil && p.Interval.Low <= p.Y && p.Y <= p.Interval.High {
					intervals++
				}
			}
		}
	}
	if scores != 4 || len(turns) != 1 || intervals != 8 {
		t.Errorf("%d charts with the scale of scores, %d scales of turns, %d intervals", scores, len(turns), intervals)
	}
}

// Axes that count have integer ticks, however small the numbers are.
func TestWholeTicks(t *testing.T) {
	for _, kind := range []render.Kind{render.Bars, render.Columns, render.Histogram, render.Lines} {
		count := render.Axis{Label: "count", Whole: true}
		f := render.Figure{Name: "f", Kind: kind, X: count, Y: count, Categories: []string{"a"}, Series: []render.Series{{Points: []render.Point{{Y: 1}, {Y: 1}}}}}
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`>([0-9.]+)</text>`).FindAllStringSubmatch(string(svg), -1) {
			if strings.Contains(m[1], ".") {
				t.Errorf("kind %d has the tick %s", kind, m[1])
			}
		}
	}
}
