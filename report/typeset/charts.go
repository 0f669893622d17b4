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
	bars := scoreBars(rows)
	list := []template.HTML{chart.Bars(bars)}
	if o.WithPaper {
		paper, err := paperBars(bars.Groups)
		if err != nil {
			return nil, err
		}
		if len(paper.Series) > 0 {
			list = append(list, chart.Bars(paper))
		}
	}
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

// scoreBars has a group a baseline and a bar a model.
func scoreBars(rows []report.Row) chart.BarsConfig {
	c := bars{BarsConfig: chart.BarsConfig{Title: "Score (AVG, %)", Max: 100, Decimals: 1}}
	for _, r := range rows {
		if cell := r.Cell(report.Average); cell.Shown() {
			c.put(r.Model, r.Baseline+r.Mark, chart.Bar{Value: cell.Score, Interval: intervalOf(cell.Interval), N: cell.N})
		}
	}
	return c.BarsConfig
}

// paperBars are those of the paper for some baselines. They have a chart of their own: the questions are others, and beside
// them the bars of a small run would mislead.
func paperBars(baselines []string) (chart.BarsConfig, error) {
	c := bars{BarsConfig: chart.BarsConfig{
		Title: "The paper's scores (AVG of Table 4, %)", Note: "1,246 questions; other papers and another judge than above.", Max: 100, Decimals: 1,
	}}
	p, err := report.Paper("4")
	if err != nil {
		return c.BarsConfig, err
	}
	for _, r := range p.Rows {
		score, err := strconv.ParseFloat(r.Cells[slices.Index(p.Columns, report.Average)], 64)
		if err != nil {
			return c.BarsConfig, err
		}
		if slices.Contains(baselines, r.Baseline) {
			c.put(r.Model, r.Baseline, chart.Bar{Value: score})
		}
	}
	return c.BarsConfig, nil
}

// bars is a bar chart that grows by bars.
type bars struct {
	chart.BarsConfig
	models []string
}

func (c *bars) put(model, baseline string, b chart.Bar) {
	s, g := place(&c.models, model), place(&c.Groups, baseline)
	if s == len(c.Series) {
		c.Series = append(c.Series, chart.BarSeries{Name: model})
	}
	for len(c.Series[s].Bars) <= g {
		c.Series[s].Bars = append(c.Series[s].Bars, chart.Bar{Value: math.NaN()})
	}
	c.Series[s].Bars[g] = b
}

// turnLines has a chart a model with a line a baseline; or one chart with a line a model when no model has two runs. All
// have the same axes.
func turnLines(rows []report.Row) []chart.LinesConfig {
	axes := turnAxes(rows)
	var models []string
	for _, r := range rows {
		place(&models, r.Model)
	}
	if len(models) == len(rows) && len(rows) > 1 {
		return []chart.LinesConfig{axes.chart(rows, "", func(r report.Row) string { return r.Model })}
	}
	var list []chart.LinesConfig
	for _, model := range models {
		of := slices.DeleteFunc(slices.Clone(rows), func(r report.Row) bool { return r.Model != model })
		list = append(list, axes.chart(of, ", "+model, func(r report.Row) string { return r.Baseline + r.Mark }))
	}
	return list
}

// axesOfTurns are those of all charts of turns.
type axesOfTurns struct{ turns, share float64 }

func turnAxes(rows []report.Row) axesOfTurns {
	var a axesOfTurns
	for _, r := range rows {
		a.turns = max(a.turns, float64(len(r.Within)))
		for _, share := range r.Within {
			a.share = max(a.share, math.Ceil(share/10)*10)
		}
	}
	return a
}

// chart has a line a run, up to the longest of its episodes.
func (a axesOfTurns) chart(rows []report.Row, of string, name func(report.Row) string) chart.LinesConfig {
	c := chart.LinesConfig{
		Title: "Right answers by number of turns" + of, X: chart.Axis{Label: "turns", Max: a.turns},
		Y: chart.Axis{Label: "right within so many turns, % of the questions", Decimals: 1, Max: a.share},
	}
	for _, r := range rows {
		s := chart.Series{Name: name(r)}
		for i, share := range r.Within {
			s.Points = append(s.Points, chart.Point{X: float64(i + 1), Y: share})
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
	c.Y = chart.Axis{Label: "score, %", Decimals: 1}
	label := func(r report.Row) string { return r.Baseline + r.Mark }
	if !slices.ContainsFunc(rows, func(r report.Row) bool { return r.Baseline != rows[0].Baseline }) {
		label = func(r report.Row) string { return r.Model + r.Mark }
	}
	var models []string
	for _, r := range rows {
		cell := r.Cell(report.Average)
		if !cell.Shown() || r.Effort.Episodes == 0 {
			continue
		}
		s := place(&models, r.Model)
		if s == len(c.Series) {
			c.Series = append(c.Series, chart.Series{Name: r.Model})
		}
		c.Series[s].Points = append(c.Series[s].Points, chart.Point{
			X: x(r.Effort), Y: cell.Score, Interval: intervalOf(cell.Interval), Label: label(r), N: cell.N,
		})
	}
	return c
}
