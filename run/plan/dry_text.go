package plan

import (
	"fmt"
	"strings"

	"airqa/internal/terminal"
	"airqa/run/session"
	"airqa/runlog"
)

// warn lists likely problems.
func (d *Dry) warn(p session.Plan, remoteVectors bool) {
	add := func(format string, args ...any) { d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...)) }
	switch {
	case !p.Missing.Any() || d.MissingChoice == runlog.MissingSkip: // reported before
	case d.MissingChoice == runlog.MissingRun:
		add("%s", missingText(p.Missing, len(p.Picked), p.Note.DataDir))
	default:
		add("%s: unless they are skipped or asked anyway, the run stops here", missingText(p.Missing, len(p.Picked), p.Note.DataDir))
	}
	if remoteVectors {
		add("searching needs an embedding endpoint, so prompts with passages were not rendered")
	}
	if d.Total == nil {
		return
	}
	if limit := p.Limits.Tokens; limit > 0 {
		d.budget("the budget of %s tokens", float64(limit), float64(d.Spent), d.Total.Tokens, terminal.Compact)
	}
	if limit := p.Limits.USD; limit > 0 && d.Total.USD != nil && d.SpentUSD != nil {
		d.budget("the budget of %s", limit, *d.SpentUSD, *d.Total.USD, terminal.USD)
	}
}

// budget compares a limit with past and estimated usage; name has a place for the limit.
func (d *Dry) budget(name string, limit, used float64, need Range, show func(float64) string) {
	word := ""
	switch {
	case used+need.Low > limit, need.Likely != nil && used+*need.Likely > limit:
		word = "will not suffice"
	case used+need.High > limit:
		word = "may not suffice"
	default:
		return
	}
	text := fmt.Sprintf(name+" %s: %s", show(limit), word, need.Text(show))
	if used > 0 {
		text += ", and " + show(used) + " is already used"
	}
	d.Warnings = append(d.Warnings, text)
}

// Text is the estimate as text, wrapped to a width unless that is 0.
func (d *Dry) Text(width int) string {
	var lines []string
	for _, j := range d.Jobs {
		lines = append(lines, j.text()...)
	}
	if len(d.Jobs) > 1 && d.Total != nil {
		lines = append(lines, "together: "+d.Total.Text())
	}
	const most = 5
	for i, id := range d.Missing {
		if i == most {
			lines = append(lines, fmt.Sprintf("  and %d more; --json prints all of them", len(d.Missing)-most))
			break
		}
		lines = append(lines, "missing paper: "+id)
	}
	for _, name := range d.Collections {
		lines = append(lines, "missing collection: "+name)
	}
	for _, w := range d.Warnings {
		lines = append(lines, "warning: "+w)
	}
	lines = append(lines, "No model was called and nothing was written.")
	for i, line := range lines {
		lines[i] = terminal.Wrap(line, width, "    ")
	}
	return strings.Join(lines, "\n")
}

func (j JobEstimate) text() []string {
	lines := []string{fmt.Sprintf("%s: %s, %s (%s)", j.Dir, j.Baseline, j.Model, j.State)}
	state := fmt.Sprintf("  %s to run; %d done before", terminal.Plural(j.ToRun, "episode"), j.Done)
	if j.Begun > 0 {
		state += fmt.Sprintf(", %d started", j.Begun)
	}
	if j.Failed > 0 {
		state += fmt.Sprintf(", %d failed", j.Failed)
	}
	lines = append(lines, state)
	if j.ToRun == 0 {
		return lines
	}
	first := "  first prompt: unknown until a call is made"
	if f := j.First; f != nil {
		first = fmt.Sprintf("  first prompt: %d to %d tokens, median %d (of %s)", f.Min, f.Max, f.Median, terminal.Plural(f.Of, "question"))
	}
	estimate := "no estimate: it needs a prompt or finished episodes"
	switch e := j.Estimate; {
	case e == nil:
	case e.Past == 0:
		estimate = "bounds, not an estimate (too few episodes are finished yet): " + e.Text()
	default:
		estimate = fmt.Sprintf("estimate from %d finished episodes of %s: %s", e.Past, e.Basis, e.Text())
	}
	return append(lines, first, "  "+estimate)
}
