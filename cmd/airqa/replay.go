package main

import (
	"errors"
	"path/filepath"

	"airqa/internal/exit"
	"airqa/run/replay"
	"airqa/run/runlog"
)

// replayFlags show a recorded run again.
type replayFlags struct {
	Replay      string `placeholder:"RUN" help:"Take every reply from the log of this run and make no call. Questions, baseline, model and settings are those of RUN where they are not given."`
	ReplayLoose bool   `name:"replay-loose" help:"Go on where the conversation is not the one that RUN shows, with its reply to the same step."`
}

// checkReplay refuses what a replay cannot do.
func (c runCmd) checkReplay() error {
	switch {
	case c.Replay == "" && c.ReplayLoose:
		return exit.Misuse("--replay-loose goes with --replay RUN")
	case c.Replay == "":
		return nil
	case len(c.Baseline) != 1 || len(c.Model) != 1 || c.Baseline[0] == "all":
		return exit.Misuse("--replay takes one baseline and one model, those of the run")
	case c.Cache != "":
		return exit.Misuse("--replay makes no calls, so --cache has nothing to do")
	case filepath.Clean(c.Replay) == filepath.Clean(c.Out):
		return exit.Misuse("--out is the run to replay: name another directory")
	}
	return nil
}

// openReplay reads the run to replay; nil when there is none.
func (c runCmd) openReplay(a *app) (*replay.Source, error) {
	if c.Replay == "" {
		return nil, nil //nolint:nilnil // no replay is no error
	}
	s, err := replay.Open(replay.Config{Dir: c.Replay, Loose: c.ReplayLoose, Redact: a.redactor()})
	if errors.Is(err, runlog.ErrNoRun) {
		return nil, exit.With(exit.Usage, err)
	}
	return s, err
}
