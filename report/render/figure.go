package render

import (
	"math"
	"slices"
	"strconv"

	"airqa/internal/stats"
)

// Kind is the form of a [Figure].
type Kind int

// The kinds of figures.
const (
	// Bars are horizontal, grouped by category with a bar per series.
	Bars Kind = iota
	// Dots show differences horizontally: a dot with its interval on an axis centred on 0.
	Dots
	// Columns are vertical bars.
	Columns
	// Histogram has one series, whose points are the measured values (X only).
	Histogram
	// Lines join the points of each series.
	Lines
	// Scatter draws a marker for each point.
	Scatter
)

// Figure is a chart with labelled axes. [Figure.SVG] draws it for a page, [SaveFigures] for files.
type Figure struct {
	// Name is the file name without a suffix; Title is above the chart and Note below it.
	Name, Title, Note string
	Kind              Kind
	X, Y              Axis
	// Categories name the groups of bars.
	Categories []string
	Series     []Series
}

// Axis is an axis of a figure. For [Bars], X is the value axis.
type Axis struct {
	Label string
	// Max is the end of the axis, so that related charts share a scale; 0 fits the data.
	Max float64
	// Log axes are logarithmic and need positive values. Whole axes show integers.
	Log, Whole bool
}

// Series are points with one legend entry. Colour and Shape select the style; related series share a colour.
type Series struct {
	Name          string
	Colour, Shape int
	Points        []Point
}

// Point is a value Y with its interval. For bars, X is the index of the category, and Label is printed at the bar.
type Point struct {
	X, Y     float64
	Interval *stats.Interval
	Label    string
}

// Category returns the X of the bars of a category, and adds it to the figure if it is new.
func (f *Figure) Category(name string) float64 { return float64(indexOf(&f.Categories, name)) }

// AddBar adds a bar to the group of a category, with its value as the label.
func (f *Figure) AddBar(series, category string, p Point) {
	s := slices.IndexFunc(f.Series, func(s Series) bool { return s.Name == series })
	if s < 0 {
		s = len(f.Series)
		f.Series = append(f.Series, Series{Name: series, Colour: s})
	}
	p.X = f.Category(category)
	p.Label = strconv.FormatFloat(p.Y, 'f', 1, 64)
	f.Series[s].Points = append(f.Series[s].Points, p)
}

// indexOf returns the index of a name in a list, adding it if necessary.
func indexOf(list *[]string, name string) int {
	i := slices.Index(*list, name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	return i
}

// empty reports whether a figure has no points.
func (f Figure) empty() bool {
	return !slices.ContainsFunc(f.Series, func(s Series) bool { return len(s.Points) > 0 })
}

// horizontal reports whether the values are on the X axis.
func (k Kind) horizontal() bool { return k == Bars || k == Dots }

// reach returns the largest absolute value of an axis: its Max, or the largest point or interval.
func (f Figure) reach(a Axis) float64 {
	if a.Max > 0 {
		return a.Max
	}
	top := 0.0
	for _, s := range f.Series {
		for _, p := range s.Points {
			top = max(top, math.Abs(p.Y))
			if p.Interval != nil {
				top = max(top, -p.Interval.Low, p.Interval.High)
			}
		}
	}
	if top == 0 {
		return 1
	}
	return top
}

// bins counts the values of a histogram of integers in at most n bins of equal, round width. It returns the counts as
// points whose X is the lower end of a bin.
func bins(values []Point, n int) (points []Point, width float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		low, high = math.Min(low, v.X), math.Max(high, v.X)
	}
	if len(values) == 0 {
		return nil, 1
	}
	width = max(1, roundStep((high-low+1)/float64(n)))
	low = math.Floor(low/width) * width
	points = make([]Point, int((high-low)/width)+1)
	for i := range points {
		points[i].X = low + float64(i)*width
	}
	for _, v := range values {
		points[int((v.X-low)/width)].Y++
	}
	return points, width
}

// roundStep is the smallest 1, 2 or 5 times a power of ten that is at least x.
func roundStep(x float64) float64 {
	power := math.Pow10(int(math.Floor(math.Log10(x))))
	for _, step := range []float64{1, 2, 5} {
		if step*power >= x*(1-1e-9) {
			return step * power
		}
	}
	return 10 * power
}
