package typeset

import (
	"html/template"
	"math"
	"slices"
	"strconv"

	"airqa/internal/chart"
	"airqa/internal/stats"
	"airqa/report"
)

// charts are those of the page: scores, scores by turn, and what they took.
func charts(rows []report.Row, o Options) ([]template.HTML, error) {
	rows = report.Marked(rows)
	bars, err := scoreBars(rows, o)
	if err != nil {
		return nil, err
	}
	list := []template.HTML{chart.Bars(bars)}
	for _, c := range turnLines(rows) {
		list = append(list, chart.Lines(c))
	}
	priced := slices.DeleteFunc(slices.Clone(rows), func(r report.Row) bool { return r.Effort.Cost == nil })
	if !slices.ContainsFunc(priced, func(r report.Row) bool { return *r.Effort.Cost > 0 }) {
		priced = nil // points one above the other say nothing of what a model takes
	}
	if len(priced) > 0 {
		list = append(list, chart.Points(costPoints(priced)))
	}
	if len(priced) < len(rows) {
		list = append(list, chart.Points(tokenPoints(rows)))
	}
	return list, nil
}

func intervalOf(i *stats.Interval) *chart.Interval {
	if i == nil {
		return nil
	}
	return &chart.Interval{Low: i.Low, High: i.High}
}

// place returns the index of a name in a list, and puts it there first when it is new.
func place(list *[]string, name string) int {
	i := slices.Index(*list, name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	return i
}

// scoreBars has a group a baseline and a bar a model. The paper's come last, and only where there are others to compare
// them with.
func scoreBars(rows []report.Row, o Options) (chart.BarsConfig, error) {
	c := chart.BarsConfig{Title: "Score (AVG, per cent)", Max: 100, Decimals: 1}
	var models []string
	put := func(model, baseline string, b chart.Bar) {
		s, g := place(&models, model), place(&c.Groups, baseline)
		if s == len(c.Series) {
			c.Series = append(c.Series, chart.BarSeries{Name: model})
		}
		for len(c.Series[s].Bars) <= g {
			c.Series[s].Bars = append(c.Series[s].Bars, chart.Bar{Value: math.NaN()})
		}
		c.Series[s].Bars[g] = b
	}
	for _, r := range rows {
		if cell := r.Cell(report.Average); cell.N > 0 {
			put(r.Model, r.Baseline+r.Mark, chart.Bar{Value: cell.Score, Interval: intervalOf(cell.Interval), N: cell.N})
		}
	}
	if !o.WithPaper {
		return c, nil
	}
	p, err := report.Paper("4")
	if err != nil {
		return c, err
	}
	for _, r := range p.Rows {
		score, err := strconv.ParseFloat(r.Cells[slices.Index(p.Columns, report.Average)], 64)
		if err != nil {
			return c, err
		}
		if slices.Contains(c.Groups, r.Baseline) {
			put(r.Model+report.PaperMark, r.Baseline, chart.Bar{Value: score})
		}
	}
	return c, nil
}

// turnLines has a chart a model with a line a baseline; or one chart with a line a model when no model has two runs.
func turnLines(rows []report.Row) []chart.LinesConfig {
	turns := 0
	for _, r := range rows {
		turns = max(turns, len(r.Within))
	}
	var models []string
	for _, r := range rows {
		place(&models, r.Model)
	}
	if len(models) == len(rows) && len(rows) > 1 {
		return []chart.LinesConfig{turnChart(rows, "", turns, func(r report.Row) string { return r.Model })}
	}
	var list []chart.LinesConfig
	for _, model := range models {
		of := slices.DeleteFunc(slices.Clone(rows), func(r report.Row) bool { return r.Model != model })
		list = append(list, turnChart(of, ", "+model, turns, func(r report.Row) string { return r.Baseline + r.Mark }))
	}
	return list
}

func turnChart(rows []report.Row, of string, turns int, name func(report.Row) string) chart.LinesConfig {
	c := chart.LinesConfig{
		Title: "Right after at most so many turns" + of, X: chart.Axis{Label: "turns"},
		Y: chart.Axis{Label: "right, per cent of the questions", Decimals: 1},
	}
	for _, r := range rows {
		s := chart.Series{Name: name(r)}
		for i := range turns {
			p := chart.Point{X: float64(i + 1)}
			if len(r.Within) > 0 {
				p.Y = r.Within[min(i, len(r.Within)-1)]
			}
			s.Points = append(s.Points, p)
		}
		c.Series = append(c.Series, s)
	}
	return c
}

// costPoints shows cost against score, of runs with a price.
func costPoints(rows []report.Row) chart.PointsConfig {
	c := chart.PointsConfig{Title: "Cost per example against score", X: chart.Axis{Label: "USD per example", Decimals: 4, Log: true}}
	return points(c, rows, func(e report.Effort) float64 { return *e.Cost })
}

// tokenPoints stands for cost where the price of a model is not known.
func tokenPoints(rows []report.Row) chart.PointsConfig {
	c := chart.PointsConfig{Title: "Tokens per example against score", X: chart.Axis{Label: "tokens per example, prompt and completion", Log: true}}
	return points(c, rows, func(e report.Effort) float64 { return e.Prompt + e.Completion })
}

// points has a marker a run, those of one model alike.
func points(c chart.PointsConfig, rows []report.Row, x func(report.Effort) float64) chart.PointsConfig {
	c.Y = chart.Axis{Label: "score, per cent", Decimals: 1}
	var models []string
	for _, r := range rows {
		cell := r.Cell(report.Average)
		if cell.N == 0 || r.Effort.Episodes == 0 {
			continue
		}
		s := place(&models, r.Model)
		if s == len(c.Series) {
			c.Series = append(c.Series, chart.Series{Name: r.Model})
		}
		c.Series[s].Points = append(c.Series[s].Points, chart.Point{
			X: x(r.Effort), Y: cell.Score, Interval: intervalOf(cell.Interval), Label: r.Baseline + r.Mark, N: cell.N,
		})
	}
	return c
}
