package main

import (
	"errors"
	"fmt"

	"airqa/baselines"
	"airqa/env"
	"airqa/internal/concurrent"
	"airqa/qa"
	"airqa/run/replay"
)

type replayCmd struct {
	Dir  string `arg:"" name:"run" help:"Run directory."`
	UUID string `arg:"" optional:"" name:"uuid" help:"Question uuid or a prefix of it; add #1 for the second repeat. Default: all episodes."`
	dataFlags
	workersFlag
	jsonFlag
}

func (c replayCmd) Run(a *app) error {
	if c.Workers < 1 {
		return qa.Usagef("-j %d: must be at least 1", c.Workers)
	}
	r, examples, err := a.session().OpenRun(c.Dir)
	if err != nil {
		return err
	}
	names := r.UUIDs()
	if c.UUID != "" {
		name, err := findEpisode(names, c.UUID)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Dir, err)
		}
		names = []string{name}
	}
	baseline, err := baselines.Find(r.Config.Shape.Baseline)
	if err != nil {
		return err
	}
	settings := replay.Settings(r)
	world, err := c.open(a, env.Config{
		Fingerprint: r.Config.Shape.Data,
		Mode:        env.Mode(settings.Retrieve), QueryDeadline: settings.QueryDeadline(), NoSearch: !baseline.Searches(),
	})
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	runner, err := replay.Open(a.ctx, replay.Config{Run: r, Examples: examples, Env: world, Redact: a.redactor()})
	if err != nil {
		return err
	}
	for _, change := range runner.Changes() {
		a.say("note: %s differs from the run: %s", change.Key, change.Describe("then", "now"))
	}
	return c.execute(a, runner, names)
}

// execute runs the episodes with a progress bar, until Ctrl-C.
func (c replayCmd) execute(a *app, runner *replay.Runner, names []string) error {
	ctx, drain, stop := a.interrupts()
	defer stop()
	ctx, cancel := concurrent.Until(ctx, drain, qa.ErrInterrupted)
	defer cancel()
	stage := a.progress.Stage("replay", len(names))
	summary, err := runner.Run(ctx, names, c.Workers, func(t replay.Total) {
		stage.Set(t.Episodes, fmt.Sprintf("%d equal, %d different", t.Equal, t.Different+t.Failed))
	})
	stage.Close(fmt.Sprintf("%d of %d episodes", summary.Total.Episodes, len(names)))
	if errors.Is(err, qa.ErrInterrupted) {
		err = fmt.Errorf("stopped after %d of %d episodes", summary.Total.Episodes, len(names))
	}
	var differing error
	if t := summary.Total; !t.Same() {
		differing = fmt.Errorf("%d of %d episodes differ from the recorded run, %d could not be read", t.Differing, t.Episodes, t.Unread)
	}
	if !c.JSON {
		return errors.Join(a.print(summary.Text(a.width)), err, differing)
	}
	shown := printEach(a, true, summary.Episodes, nil)
	return errors.Join(shown, a.printJSON(map[string]replay.Total{"total": summary.Total}), err, differing)
}
