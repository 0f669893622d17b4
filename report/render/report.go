package render

import (
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"airqa/report"
)

// Report prints the tables that o selects. Scores are percentages with two decimals, as in the paper; a cell without
// questions is a dash. JSON holds the numbers of all tables, whatever is selected.
func Report(w io.Writer, rows []report.Row, o Options) error {
	d, err := reportDocument(rows, o)
	if err != nil {
		return err
	}
	return d.Write(w, o)
}

func reportDocument(rows []report.Row, o Options) (Document, error) {
	d := Document{Title: "AirQA report", Notes: report.Notes(rows)}
	switch o.Format {
	case "json":
		data, err := reportData(rows, o)
		d.Data = []any{data}
		return d, err
	case "html":
		figures, err := ReportFigures(rows, o)
		if err != nil {
			return d, err
		}
		d.Parts, d.Appendix = []Part{{Title: "Charts", Figures: figures}}, o.Appendix
		if o.Table == "" {
			o.Table = report.AllTables
		}
	case "latex": // a publication does not show the author's run directories
		rows = slices.Clone(rows)
		for i, r := range rows {
			rows[i].Dir = filepath.Base(r.Dir)
		}
		d.Notes = report.Notes(rows)
	}
	err := d.addTables(rows, o)
	return d, err
}

func (d *Document) addTables(rows []report.Row, o Options) error {
	tables, err := report.Build(rows, o.Options)
	if err != nil {
		return err
	}
	if o.Format == "csv" && len(tables) != 1 {
		return ErrOneTable
	}
	for i := range tables {
		part := Part{Table: &tables[i]}
		if len(tables) > 1 || o.Format == "html" {
			part.Title = sheet(tables[i]).heading()
		}
		d.Parts = append(d.Parts, part)
	}
	return nil
}

// reportData is the machine-readable content of a report.
func reportData(rows []report.Row, o Options) (any, error) {
	data := struct {
		Format    int     `json:"format"`
		Intervals string  `json:"intervals"`
		Level     float64 `json:"level"`
		// Seed is the seed of the bootstrap.
		Seed uint64       `json:"seed"`
		Runs []report.Row `json:"runs"`
		// Training has a line of the table "training-size" each.
		Training []map[string]any    `json:"training,omitempty"`
		Paper    []report.PaperTable `json:"paper,omitempty"`
		Notes    []string            `json:"notes"`
	}{Format: 1, Intervals: o.Intervals, Level: report.Level, Seed: o.Seed, Runs: rows, Notes: report.Notes(rows)}
	if data.Intervals == "" {
		data.Intervals = report.NoIntervals
	}
	for _, r := range report.Trained(rows, o.Options) {
		data.Training = append(data.Training, map[string]any{
			"trajectories": o.TrainingSizes[r.Model], "baseline": r.Baseline, "model": r.Model, "judge": r.Judge, "scoring": r.Scoring,
			"episodes": r.Effort.Episodes, "cells": r.Cells,
		})
	}
	if o.WithPaper {
		for _, number := range report.PaperTables() {
			p, err := report.Paper(number)
			if err != nil {
				return nil, err
			}
			data.Paper = append(data.Paper, p)
		}
	}
	return data, nil
}

// ReportFigures are the charts of runs: scores, scores by training size and by number of turns, and cost or tokens against
// scores. Charts of one kind share their scales.
func ReportFigures(rows []report.Row, o Options) ([]Figure, error) {
	rows = report.Marked(rows)
	chart := Figure{Name: "scores", Title: "Score (AVG, %)", X: scores, Y: Axis{Label: "baseline"}}
	for _, r := range rows {
		if cell := r.Cell(report.Average); cell.Shown() {
			chart.AddBar(r.Model, r.Baseline+r.Mark, Point{Y: cell.Score, Interval: cell.Interval})
		}
	}
	list := []Figure{chart}
	if o.WithPaper {
		paper, err := paperFigure(chart.Categories)
		if err != nil {
			return nil, err
		}
		list = append(list, paper)
	}
	list = append(append(list, trainingFigures(rows, o)...), turnFigures(rows)...)
	tokens := false
	list = append(list, effortFigure("cost", "Cost per example against score", "USD per example", rows, func(e report.Effort) float64 {
		if e.Cost == nil || *e.Cost <= 0 {
			tokens = true
			return 0
		}
		return *e.Cost
	}))
	if tokens { // a run has no price
		list = append(list, effortFigure("tokens", "Tokens per example against score", "tokens per example, prompt and completion", rows,
			func(e report.Effort) float64 { return e.Prompt + e.Completion }))
	}
	return slices.DeleteFunc(list, Figure.empty), nil
}

// scores is the score axis of all charts.
var scores = Axis{Label: "score, %", Max: 100}

// paperFigure has the paper's scores of some baselines. It is a chart of its own, because the questions differ.
func paperFigure(baselines []string) (Figure, error) {
	f := Figure{
		Name: "paper-scores", Title: "The paper's scores (AVG of Table 4, %)", X: scores, Y: Axis{Label: "baseline"},
		Note: "1,246 questions; other papers and another judge than the runs.",
	}
	p, err := report.Paper("4")
	if err != nil {
		return f, err
	}
	for _, r := range p.Rows {
		score, err := strconv.ParseFloat(r.Cells[slices.Index(p.Columns, report.Average)], 64)
		if err != nil {
			return f, err
		}
		if slices.Contains(baselines, r.Baseline) {
			f.AddBar(r.Model, r.Baseline, Point{Y: score})
		}
	}
	return f, nil
}

// trainingFigures has a chart per baseline of scores by amount of training data, as the paper's Figure 4.
func trainingFigures(rows []report.Row, o Options) (list []Figure) {
	var baselines []string
	for _, r := range report.Trained(rows, o.Options) {
		i := indexOf(&baselines, r.Baseline)
		if i == len(list) {
			list = append(list, Figure{
				Name: "training-size-" + strconv.Itoa(i+1), Title: "Score by amount of training data, " + r.Baseline, Kind: Lines,
				X: Axis{Label: "trajectories for training", Whole: true}, Y: scores,
			})
		}
		f, n := &list[i], float64(o.TrainingSizes[r.Model])
		f.X.Max = max(f.X.Max, n)
		for at, c := range r.Cells {
			if at == len(f.Series) {
				f.Series = append(f.Series, Series{Name: c.Column, Colour: at, Shape: at})
			}
			if c.Column != report.Average { // the intervals of all lines would hide them
				c.Interval = nil
			}
			if c.Shown() {
				f.Series[at].Points = append(f.Series[at].Points, Point{X: n, Y: c.Score, Interval: c.Interval})
			}
		}
	}
	return list
}

// turnFigures has a chart per model with a line per baseline, or one chart with a line per model if no model has two
// runs. All share their axes.
func turnFigures(rows []report.Row) []Figure {
	x, y := Axis{Label: "turns", Whole: true}, Axis{Label: "right answers so far, % of questions"}
	var models, baselines []string
	for _, r := range rows {
		indexOf(&models, r.Model)
		indexOf(&baselines, r.Baseline+r.Mark)
		x.Max = max(x.Max, float64(len(r.Within)))
		for _, share := range r.Within {
			y.Max = max(y.Max, math.Ceil(share/10)*10)
		}
	}
	figure := func(name, of string) Figure {
		return Figure{Name: name, Title: "Right answers by number of turns" + of, Kind: Lines, X: x, Y: y}
	}
	line := func(name string, style int, r report.Row) Series {
		s := Series{Name: name, Colour: style, Shape: style}
		for i, share := range r.Within {
			s.Points = append(s.Points, Point{X: float64(i + 1), Y: share})
		}
		return s
	}
	if len(models) == len(rows) && len(rows) > 1 {
		f := figure("turns", "")
		for i, r := range rows {
			f.Series = append(f.Series, line(r.Model, i, r))
		}
		return []Figure{f}
	}
	var list []Figure
	for i, model := range models {
		f := figure("turns-"+strconv.Itoa(i+1), ", "+model)
		for _, r := range rows {
			if r.Model == model {
				f.Series = append(f.Series, line(r.Baseline+r.Mark, slices.Index(baselines, r.Baseline+r.Mark), r))
			}
		}
		list = append(list, f)
	}
	return list
}

// effortFigure has a marker for each run with a positive x: colours for models and shapes for baselines.
func effortFigure(name, title, label string, rows []report.Row, x func(report.Effort) float64) Figure {
	f := Figure{Name: name, Title: title, Kind: Scatter, X: Axis{Label: label, Log: true}, Y: scores}
	var models, baselines []string
	for _, r := range rows {
		cell, at := r.Cell(report.Average), x(r.Effort)
		s := Series{Name: r.Baseline + r.Mark + ", " + r.Model, Colour: indexOf(&models, r.Model), Shape: indexOf(&baselines, r.Baseline+r.Mark)}
		if cell.Shown() && r.Effort.Episodes > 0 && at > 0 {
			s.Points = []Point{{X: at, Y: cell.Score, Interval: cell.Interval}}
			f.Series = append(f.Series, s)
		}
	}
	return f
}
