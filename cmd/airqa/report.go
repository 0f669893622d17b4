package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"airqa/baselines"
	"airqa/report"
	"airqa/run/runlog"
)

type reportCmd struct {
	Runs   []string `arg:"" name:"run" help:"Run directories, or folders of them."`
	Format string   `default:"text" enum:"text,md,csv,json" help:"text, md, csv or json."`
}

// Help implements kong.HelpProvider.
func (reportCmd) Help() string {
	return `Examples:
  airqa report runs/rag runs/hybrid
  airqa report runs --format md

The table has the columns of the paper's Table 4. A question counts as text when it has no other element tag.`
}

// Run implements the sub-command.
func (c reportCmd) Run(a *app) error {
	dirs, err := findRuns(c.Runs)
	if err != nil {
		return err
	}
	rows, err := a.rows(dirs)
	if err != nil {
		return err
	}
	return report.Write(a.out, rows, report.Options{Format: c.Format, Width: a.width})
}

// findRuns takes run directories as they are, and the run directories inside any other folder.
func findRuns(paths []string) ([]string, error) {
	var dirs []string
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(path, runlog.RunFile)); err == nil {
			dirs = append(dirs, path)
			continue
		}
		inside, err := filepath.Glob(filepath.Join(path, "*", runlog.RunFile))
		if err != nil {
			return nil, err
		}
		if len(inside) == 0 {
			return nil, fmt.Errorf("%s: %w", path, runlog.ErrNoRun)
		}
		for _, f := range inside {
			dirs = append(dirs, filepath.Dir(f))
		}
	}
	return dirs, nil
}

// rows collects runs in the order of the baselines, runs of one model together.
func (a *app) rows(dirs []string) ([]report.Row, error) {
	var rows []report.Row
	for _, dir := range dirs {
		r, examples, err := a.openRun(dir)
		if err != nil {
			return nil, err
		}
		row, err := report.Collect(r, examples)
		if errors.Is(err, runlog.ErrNoScores) && len(dirs) > 1 {
			a.say("note: %s is left out: it is not scored yet (airqa score %s)", dir, dir)
			continue
		}
		if errors.Is(err, runlog.ErrNoScores) {
			return nil, fmt.Errorf("%s is not scored yet\n  run: airqa score %s", dir, dir)
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, errors.New("none of these runs is scored yet; airqa score does it, one run at a time")
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
