package main

import (
	"fmt"

	"airqa/internal/terminal"
	"airqa/report/questions"
)

// statsCmd is airqa questions stats or, with --lint, airqa questions lint.
type statsCmd struct {
	questionsStatsCmd
	Lint bool `help:"The same as airqa questions lint: list questions that cannot be scored as written or contradict themselves. The exit code is 3 if there is an error."`
}

func (c statsCmd) Run(a *app) error {
	if c.Lint {
		return questionsLintCmd{c.statsFlags}.Run(a)
	}
	return c.questionsStatsCmd.Run(a)
}

// withFaults adds the first faults of a file without usable questions.
func withFaults(err error, file questions.File) error {
	const most = 3
	for i, f := range file.Faults {
		if i == most {
			return fmt.Errorf("%w\n  and %d more; airqa questions lint %s lists them", err, len(file.Faults)-most, file.Path)
		}
		err = fmt.Errorf("%w\n  %w", err, f)
	}
	return err
}

// warnOfFaults reports records that statistics leave out, and other faults of form.
func (a *app) warnOfFaults(file questions.File) {
	if n := len(file.Faults); n > 0 && file.Unread() == 0 {
		a.say("warning: %s; the first: %v; airqa questions lint %s lists all", terminal.Plural(n, "fault"), file.Faults[0], file.Path)
	} else if n > 0 {
		a.say("warning: %d of %d records could not be read; the first fault: %v; airqa questions lint %s lists all",
			file.Unread(), file.Unread()+len(file.Items), file.Faults[0], file.Path)
	}
}
