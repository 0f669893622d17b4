package main

import (
	"errors"
	"path/filepath"

	"airqa/qa"
	"airqa/run/recorded"
	"airqa/runlog"
)

// replayFlags select a recorded run to replay.
type replayFlags struct {
	Replay      string `names:"input" placeholder:"RUN" help:"Replay RUN from its log without making calls. Questions, baseline, model and settings default to those of RUN."`
	ReplayLoose bool   `name:"replay-loose" help:"Where the conversation differs from RUN, continue with its reply to the same step instead of stopping."`
}

// checkReplay checks the flags of a replay.
func (c runCmd) checkReplay() error {
	switch {
	case c.Replay == "" && c.ReplayLoose:
		return qa.Usagef("--replay-loose needs --replay RUN")
	case c.Replay == "":
		return nil
	case len(c.Baseline) != 1 || len(c.Model) != 1 || c.Baseline[0] == "all":
		return qa.Usagef("--replay takes one baseline and one model")
	case c.Cache != "":
		return qa.Usagef("--replay and --cache are mutually exclusive: a replay makes no calls")
	case filepath.Clean(c.Replay) == filepath.Clean(c.Out):
		return qa.Usagef("--out is the run being replayed; name another directory")
	}
	return nil
}

// openReplay opens the run to replay; nil for none.
func (c runCmd) openReplay(a *app) (*recorded.Source, error) {
	if c.Replay == "" {
		return nil, nil //nolint:nilnil // no replay is no error
	}
	s, err := recorded.Open(recorded.Config{Dir: c.Replay, Loose: c.ReplayLoose, Redact: a.redactor()})
	if errors.Is(err, runlog.ErrNoRun) {
		return nil, withCode(exitUsage, err)
	}
	return s, err
}
