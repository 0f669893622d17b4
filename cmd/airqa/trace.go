package main

import (
	"errors"
	"fmt"
	"strings"

	"airqa/qa"
	"airqa/report"
	"airqa/run/runlog"
)

type traceCmd struct {
	Dir  string `arg:"" name:"run" help:"Run directory."`
	UUID string `arg:"" optional:"" name:"uuid" help:"Question, or the beginning of its uuid; without it, a line for each."`
	JSON bool   `name:"json" help:"Print one JSON object a trajectory."`
}

// Help implements kong.HelpProvider.
func (traceCmd) Help() string {
	return `Examples:
  airqa trace runs/hybrid
  airqa trace runs/hybrid 00608f20 --json`
}

// Run implements the sub-command.
func (c traceCmd) Run(a *app) error {
	r, examples, err := a.openRun(c.Dir)
	if err != nil {
		return err
	}
	byUUID := make(map[string]qa.Example)
	for _, ex := range examples {
		byUUID[ex.UUID] = ex
	}
	scores, err := scoresOf(c.Dir)
	if err != nil {
		return err
	}
	id := c.UUID
	if id != "" {
		if id, err = match(r.UUIDs(), c.UUID); err != nil {
			return fmt.Errorf("%s: %w", c.Dir, err)
		}
	}
	return c.print(a, r, func(rec runlog.Recorded) (report.Traced, bool) {
		return report.NewTraced(byUUID[rec.UUID], rec, scores[rec.UUID]), id == "" || rec.Episode == id
	})
}

func (c traceCmd) print(a *app, r *runlog.Run, traced func(runlog.Recorded) (report.Traced, bool)) error {
	for rec, err := range r.Episodes() {
		if err != nil {
			a.say("warning: %s: %v (this episode is left out)", c.Dir, err)
			continue
		}
		t, wanted := traced(rec)
		if !wanted {
			continue
		}
		switch {
		case c.JSON:
			err = t.WriteJSON(a.out)
		case c.UUID == "":
			err = t.WriteLine(a.out)
		default:
			err = t.Write(a.out)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// scoresOf reads the scores of a run by uuid; a run that was not scored has none.
func scoresOf(dir string) (map[string]*qa.Score, error) {
	_, list, err := runlog.ReadScores(dir)
	if err != nil && !errors.Is(err, runlog.ErrNoScores) {
		return nil, err
	}
	scores := make(map[string]*qa.Score)
	for i := range list {
		scores[list[i].UUID] = &list[i]
	}
	return scores, nil
}

// match finds the one episode whose name begins with what was given.
func match(episodes []string, given string) (string, error) {
	var found []string
	for _, id := range episodes {
		if strings.HasPrefix(id, given) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no episode begins with %q; airqa trace RUN lists them", given)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%d episodes begin with %q; give more of the uuid", len(found), given)
}
