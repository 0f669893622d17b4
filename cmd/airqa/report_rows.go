package main

import (
	"errors"
	"fmt"
	"sort"

	"airqa/baselines"
	"airqa/report"
	"airqa/runlog"
)

// reportRows reads runs in the order of the baselines, grouped by model. Of several runs, it skips those without the
// requested scores.
func (a *app) reportRows(dirs []string, o report.Options) ([]report.Row, error) {
	var rows []report.Row
	for _, dir := range dirs {
		r, examples, err := a.session().OpenRun(dir)
		if err != nil {
			return nil, err
		}
		row, err := report.Collect(r, examples, o)
		switch {
		case err == nil:
			rows = append(rows, row)
		case !errors.Is(err, runlog.ErrNoScores) && !errors.Is(err, runlog.ErrOtherScores):
			return nil, err
		case len(dirs) == 1:
			return nil, noScores(dir, err)
		default:
			a.say("note: left out: %v", noScores(dir, err))
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("none of these runs has such scores; run airqa score first")
	}
	order := make(map[string]int)
	for i, name := range baselines.Names() {
		order[name] = i
	}
	sort.SliceStable(rows, func(i, j int) bool {
		if rows[i].Model != rows[j].Model {
			return rows[i].Model < rows[j].Model
		}
		return order[rows[i].Baseline] < order[rows[j].Baseline]
	})
	return rows, nil
}

// noScores adds the command that makes the missing scores.
func noScores(dir string, err error) error {
	if errors.Is(err, runlog.ErrOtherScores) {
		return err
	}
	return fmt.Errorf("%s is not scored yet\n  run: airqa score %s", dir, dir)
}
