package session

import (
	"context"
	"errors"

	"airqa/env/join"
	"airqa/internal/progress"
	"airqa/internal/terminal"
	"airqa/qa"
)

// Join joins data directories with a progress bar. Ctrl-C stops it without a change; the same join begins again.
func (s Session) Join(cfg join.Config) (_ *join.Join, err error) {
	ctx, drain, stop := s.Interrupts()
	defer stop()
	ctx, cancel := UntilDrained(ctx, drain)
	defer cancel()
	var stage *progress.Stage
	cfg.Progress = func(done, total int, what string) {
		if stage == nil {
			stage = s.Progress.Stage("join", total)
		}
		stage.Set(done, what)
	}
	j, err := join.Open(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if cfg.DryRun {
		return j, nil
	}
	err = j.Run(ctx)
	if stage != nil {
		stage.Close(terminal.Plural(j.Added(), "paper") + " added")
	}
	if err != nil && errors.Is(context.Cause(ctx), qa.ErrInterrupted) {
		return j, errors.New("stopped; the data directory has the papers that it had, and the same command joins again")
	}
	return j, err
}
