package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/session"
)

// nextStep is how an invocation of a run continues.
type nextStep struct {
	// Out is the run directory, or the folder of several.
	Out string
	// Judge is appended to the suggested airqa score, such as "--judge offline"; may be empty.
	Judge string
	// Scores is true if scoring follows at once, so that no command is suggested.
	Scores bool
}

// tallyWidth is the width of tallies on standard error, in columns.
const tallyWidth = 80

// endRun prints the scores so far and the next step, and returns the error of a run that is not complete.
func (a *app) endRun(jobs []session.Ended, next nextStep) error {
	result := a.session().Result(jobs)
	if result != nil && !slices.ContainsFunc(jobs, func(j session.Ended) bool { return j.Err != nil || j.Left+j.Failed > 0 }) {
		result = fmt.Errorf("%w; --retry all retries them", result)
	}
	for _, j := range jobs {
		if j.Err != nil && !errors.Is(j.Err, qa.ErrInterrupted) {
			return result
		}
	}
	for _, j := range jobs {
		if text := j.Tally.Text(); text != "" {
			a.say("%s", terminal.Wrap(j.Name+": "+text, tallyWidth, "  "))
		}
	}
	a.suggestNext(jobs, next)
	return result
}

// suggestNext prints the command that follows, unless scoring follows at once or a run is not complete.
func (a *app) suggestNext(jobs []session.Ended, next nextStep) {
	if next.Scores || slices.ContainsFunc(jobs, func(j session.Ended) bool { return j.Left > 0 || j.Err != nil }) {
		return
	}
	if !slices.ContainsFunc(jobs, func(j session.Ended) bool { return j.Tally.Scorable() > 0 }) {
		a.say("next: airqa trace %s", next.Out)
		return
	}
	command := "airqa score " + next.Out
	if next.Judge != "" {
		command += " " + next.Judge
	}
	a.say("next: %s\n      airqa trace %s --status wrong", command, next.Out)
}

// adviceOn suggests what to do about a run directory of another configuration.
func adviceOn(differences []string) string {
	texts := func(line string) bool {
		return strings.HasPrefix(line, "prompts.") || strings.HasPrefix(line, "tools.")
	}
	switch {
	case slices.ContainsFunc(differences, func(line string) bool { return strings.HasPrefix(line, "shard: ") }):
		return "A run directory belongs to one shard: choose another --out, or repeat --shard"
	case slices.ContainsFunc(differences, func(line string) bool { return strings.HasPrefix(line, "selected: ") }):
		return "The questions of a shard depend on all selected questions: repeat --sample, --tag, --limit and the like, or choose another --out"
	case slices.ContainsFunc(differences, texts):
		return "Another version of airqa, with other prompts, started this run: it can be scored and reported, but not resumed. Choose another --out"
	}
	return "Choose another --out, or repeat the settings of the existing run"
}
