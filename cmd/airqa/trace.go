package main

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"airqa/qa"
	"airqa/report"
	"airqa/run/runlog"
)

type traceCmd struct {
	Dir  string `arg:"" name:"run" help:"Run directory."`
	UUID string `arg:"" optional:"" name:"uuid" help:"Question, or the beginning of its uuid; without it, a line for each."`
	listFlags
}

func (traceCmd) Help() string {
	return `Examples:
  airqa trace runs/hybrid
  airqa trace runs/hybrid 00608f20 --json
  airqa trace runs/hybrid --format csv > episodes.csv

JSON is one object a trajectory. CSV is a line an episode, and a line a step where a question is named; its columns are fields of
the JSON.`
}

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
	return c.print(a, func(yield func(report.Traced) bool) {
		for rec, err := range r.Episodes(names...) {
			if err != nil {
				a.say("warning: %s: %v (this episode is left out)", c.Dir, err)
				continue
			}
			traced := report.NewTraced(byUUID[rec.UUID], rec, scores[rec.UUID])
			traced.Fork = fork
			if !yield(traced) {
				return
			}
		}
	})
}

// The columns of CSV, for a line an episode and for a line a step.
var (
	episodeColumns = []string{
		"episode", "outcome", "score.verdict", "score.score", "turns", "usage.prompt", "usage.completion", "cut_replies", "answer.text",
		"question",
	}
	stepColumns = []string{
		"episode", "n", "by", "thought", "action.name", "action.text", "observation.status", "observation.text", "reply.text",
		"reply.finish", "reply.usage.prompt", "reply.usage.completion", "started", "ended",
	}
)

// print prints episodes: the steps of one that is named, otherwise a line for each.
func (c traceCmd) print(a *app, episodes iter.Seq[report.Traced]) error {
	line := func(t report.Traced) error { return t.WriteLine(a.out, a.width) }
	if c.UUID != "" {
		line = func(t report.Traced) error { return t.Write(a.out) }
	}
	if c.UUID != "" && c.Format == "csv" {
		return printList(a, c.listFlags, listing[tracedStep]{rows: stepsOf(episodes), columns: stepColumns, values: at[tracedStep](stepColumns)})
	}
	return printList(a, c.listFlags, listing[report.Traced]{
		rows: episodes,
		table: func() error {
			for t := range episodes {
				if err := line(t); err != nil {
					return err
				}
			}
			return nil
		},
		object:  func(t report.Traced) error { return t.WriteJSON(a.out) },
		columns: episodeColumns,
		values:  at[report.Traced](episodeColumns),
	})
}

// tracedStep is a step with its episode.
type tracedStep struct {
	Episode string `json:"episode"`
	qa.Step
	Thought string `json:"thought"`
}

func stepsOf(episodes iter.Seq[report.Traced]) iter.Seq[tracedStep] {
	return func(yield func(tracedStep) bool) {
		for t := range episodes {
			for i, s := range t.Steps {
				if !yield(tracedStep{t.Episode, s, t.Thoughts[i]}) {
					return
				}
			}
		}
	}
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
