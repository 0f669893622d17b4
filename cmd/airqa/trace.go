package main

import (
	"errors"
	"fmt"
	"path/filepath"
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
	r, examples, err := a.session().OpenRun(c.Dir)
	if err != nil {
		return err
	}
	if len(r.UUIDs()) == 0 {
		a.say("note: %s holds no episodes", c.Dir)
	}
	byUUID := make(map[string]qa.Example)
	for _, ex := range examples {
		byUUID[ex.UUID] = ex
	}
	scores, err := scoresOf(c.Dir)
	if err != nil {
		return err
	}
	fork := forkOf(r)
	if fork != nil && c.UUID == "" {
		a.say("note: %s is a fork %s", c.Dir, report.ForkText(*fork))
	}
	var names []string
	if c.UUID != "" {
		name, err := match(r.UUIDs(), c.UUID)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Dir, err)
		}
		names = []string{name}
	}
	for rec, err := range r.Episodes(names...) {
		if err != nil {
			a.say("warning: %s: %v (this episode is left out)", c.Dir, err)
			continue
		}
		traced := report.NewTraced(byUUID[rec.UUID], rec, scores[rec.UUID])
		traced.Fork = fork
		if err := c.print(a, traced); err != nil {
			return err
		}
	}
	return nil
}

// forkOf is what run.json says of a fork, with the path of the run that it left; nil for other runs.
func forkOf(r *runlog.Run) *runlog.Fork {
	if r.Config.Note.Fork == nil {
		return nil
	}
	fork := *r.Config.Note.Fork
	fork.Run = filepath.Join(r.Dir, filepath.FromSlash(fork.Run))
	return &fork
}

func (c traceCmd) print(a *app, t report.Traced) error {
	switch {
	case c.JSON:
		return t.WriteJSON(a.out)
	case c.UUID == "":
		return t.WriteLine(a.out)
	default:
		return t.Write(a.out)
	}
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
