package main

import (
	"errors"
	"os"
	"path/filepath"

	"airqa/qa"
	"airqa/report/compare"
	"airqa/runlog"
)

// sides reads two or more runs or score files. Of more than two, it skips those that are not scored.
func (a *app) sides(paths []string, c compare.Choice) ([]compare.Side, error) {
	var sides []compare.Side
	var unscored []string
	for _, path := range paths {
		inside := []string{path}
		if info, err := os.Stat(path); err != nil {
			return nil, runlog.NoRun(path)
		} else if info.IsDir() {
			if inside, err = runlog.Find(inside); err != nil {
				return nil, err
			}
		}
		for _, path := range inside {
			side, err := a.side(path, c)
			if errors.Is(err, runlog.ErrNoScores) {
				unscored = append(unscored, path)
				continue
			}
			if err != nil {
				return nil, err
			}
			sides = append(sides, side)
		}
	}
	return sides, a.enoughSides(sides, unscored)
}

// enoughSides checks that two runs are scored, and reports those that are skipped.
func (a *app) enoughSides(sides []compare.Side, unscored []string) error {
	switch {
	case len(sides)+len(unscored) < 2:
		return qa.Usagef("a comparison needs two runs")
	case len(sides) < 2:
		return noScores(unscored[0], runlog.ErrNoScores)
	}
	for _, path := range unscored {
		a.say("note: %s is left out: it is not scored yet (airqa score %s)", path, path)
	}
	return nil
}

func (a *app) side(path string, c compare.Choice) (compare.Side, error) {
	dir := path
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		dir, c.File = filepath.Dir(filepath.Dir(path)), path
		if _, err := os.Stat(filepath.Join(dir, runlog.RunFile)); err != nil {
			return compare.LoadFile(path)
		}
	}
	run, examples, err := a.session().OpenRun(dir)
	if err != nil {
		return compare.Side{}, err
	}
	return compare.Load(run, examples, c)
}
