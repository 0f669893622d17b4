package main

import (
	"fmt"
	"iter"

	"airqa/qa"
	"airqa/report"
	"airqa/report/render"
	"airqa/run/session"
)

type traceCmd struct {
	Dir  string `arg:"" name:"run" help:"Run directory."`
	UUID string `arg:"" optional:"" name:"uuid" help:"Question uuid or a prefix of it. Default: one line per episode."`
	listFlags
}

func (traceCmd) Help() string {
	return `Examples:
  airqa trace runs/hybrid
  airqa trace runs/hybrid 00608f20 --json
  airqa trace runs/hybrid --format csv > episodes.csv

JSON has one object per trajectory. CSV has one line per episode, or per step if a question is given; its columns are JSON
fields.`
}

func (c traceCmd) Run(a *app) error {
	r, examples, err := a.session().OpenRun(c.Dir)
	if err != nil {
		return err
	}
	if len(r.UUIDs()) == 0 {
		a.say("note: %s has no episodes", c.Dir)
	}
	byUUID := make(map[string]qa.Example)
	for _, ex := range examples {
		byUUID[ex.UUID] = ex
	}
	scores, err := session.ScoresByUUID(c.Dir)
	if err != nil {
		return err
	}
	fork := session.ForkOf(r)
	if fork != nil && c.UUID == "" {
		a.say("note: %s is a fork %s", c.Dir, report.ForkText(*fork))
	}
	var names []string
	if c.UUID != "" {
		name, err := session.FindEpisode(r.UUIDs(), c.UUID)
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

// CSV columns of episodes and steps.
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

// print prints the steps of a given episode, otherwise one line per episode.
func (c traceCmd) print(a *app, episodes iter.Seq[report.Traced]) error {
	line := func(t report.Traced) error { return t.WriteLine(a.out, a.width) }
	if c.UUID != "" {
		line = func(t report.Traced) error { return t.Write(a.out) }
	}
	if c.UUID != "" && c.Format == "csv" {
		return render.List[tracedStep]{Rows: stepsOf(episodes), Columns: stepColumns, Values: render.Paths[tracedStep](stepColumns)}.Write(a.out, c.Format, a.width > 0)
	}
	return render.List[report.Traced]{
		Rows: episodes,
		Table: func() error {
			for t := range episodes {
				if err := line(t); err != nil {
					return err
				}
			}
			return nil
		},
		Object:  func(t report.Traced) error { return t.WriteJSON(a.out) },
		Columns: episodeColumns,
		Values:  render.Paths[report.Traced](episodeColumns),
	}.Write(a.out, c.Format, a.width > 0)
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
