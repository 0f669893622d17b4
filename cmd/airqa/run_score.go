package main

import (
	"cmp"
	"errors"

	"airqa/run/scoring"
	"airqa/run/session"
)

// scoringFlags choose how answers are scored.
type scoringFlags struct {
	Scoring string `default:"reference" enum:"reference,fixed" help:"Semantics: reference (the authors' code, as used for published numbers) or fixed (known bugs fixed)."`
	judgeFlags
}

// scoreEnded scores the runs for --score. An interrupted run is left for the invocation that resumes it; ended is the run's own
// error, which is reported first.
func (c runCmd) scoreEnded(a *app, out string, jobs []session.Ended, ended error) error {
	if !c.Score || len(jobs) == 0 {
		return ended
	}
	if a.interrupted.Load() {
		a.say("note: not scored, because the run was interrupted; the same command resumes and scores it")
		return ended
	}
	dirs := make([]string, len(jobs))
	for i, j := range jobs {
		dirs[i] = j.Dir
	}
	s := scoreCmd{scoringFlags: c.scoringFlags}
	sum, err := s.scoreDirs(a, dirs)
	if errors.Is(err, scoring.ErrNothingEnded) {
		return cmp.Or(ended, err)
	}
	if err == nil {
		err = s.verdict(sum)
		a.say("next: airqa report %s\n      airqa trace %s --status wrong", out, out)
	}
	return errors.Join(ended, err)
}
