package plan

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/session"
	"airqa/runlog"
)

// Selection selects questions of the file. It does not affect results: the run directory belongs to the whole file, and
// other questions may follow. The zero value selects all.
type Selection struct {
	// Selection names files of ids after an @, too.
	dataset.Selection
	// Of is RUN=STATUS,...: the results that a question may have in a run: verdicts, outcomes, "failed" and "missing".
	Of string `placeholder:"RUN=STATUS" help:"Only questions with one of these comma-separated results in an earlier run: right, wrong, unparseable, unscored, failed, missing, or an outcome such as turn_limit; runs/rag=wrong,missing."`
}

// Select returns the selected questions.
func Select(s session.Session, c Selection, examples []qa.Example) ([]qa.Example, error) {
	var err error
	if c.IDs, err = readIDs(c.IDs); err != nil {
		return nil, err
	}
	if c.Of != "" {
		at := strings.LastIndexByte(c.Of, '=')
		if at < 1 {
			return nil, qa.Usagef("%s: want RUN=STATUS, such as runs/rag=wrong,missing", c.Of)
		}
		if c.Among, err = withStatus(s, c.Of[:at], strings.Split(c.Of[at+1:], ",")); err != nil {
			return nil, err
		}
	}
	picked, err := c.Select(examples)
	if err != nil {
		return nil, &qa.UsageError{Err: err}
	}
	if len(picked) == 0 {
		return nil, qa.Usagef("none of %s selected: check status, tags and range", terminal.Plural(len(examples), "question"))
	}
	return picked, nil
}

// readIDs returns the given ids, and those in files named after an @.
func readIDs(given []string) ([]string, error) {
	var ids []string
	for _, id := range given {
		path, isFile := strings.CutPrefix(id, "@")
		if !isFile {
			ids = append(ids, strings.TrimSpace(id))
			continue
		}
		raw, err := files.ReadText(path)
		if err != nil {
			return nil, fmt.Errorf("read ids: %w", err)
		}
		ids = append(ids, strings.Fields(string(raw))...)
	}
	return ids, nil
}

// withStatus returns the questions of a run with one of some results.
func withStatus(s session.Session, dir string, statuses []string) (map[string]bool, error) {
	wanted := make(map[string]bool)
	for _, status := range statuses {
		known := slices.Contains(verdicts, qa.Verdict(status)) || slices.Contains(outcomes, qa.Outcome(status))
		if !known && status != "failed" && status != "missing" {
			return nil, qa.Usagef("unknown status %q: want right, wrong, unparseable, unscored, failed, missing or an outcome such as %s", status, qa.TurnLimit)
		}
		wanted[status] = true
	}
	r, examples, err := s.OpenRun(dir)
	if err != nil {
		return nil, err
	}
	return withResults(r, examples, wanted)
}

// withResults returns the questions of a run with a wanted result. It reads the scores only if a verdict is wanted.
func withResults(r *runlog.Run, examples []qa.Example, wanted map[string]bool) (map[string]bool, error) {
	among, ran := make(map[string]bool), make(map[string]bool)
	note := func(uuid, result string) {
		ran[uuid], among[uuid] = true, among[uuid] || wanted[result]
	}
	for rec := range r.Episodes() {
		note(rec.UUID, string(rec.Outcome))
		if rec.Outcome.Failed() {
			note(rec.UUID, "failed")
		}
	}
	if slices.ContainsFunc(verdicts, func(v qa.Verdict) bool { return wanted[string(v)] }) {
		_, scores, err := runlog.ReadScores(r.Dir)
		if err != nil {
			return nil, err
		}
		for _, s := range scores {
			note(s.UUID, string(s.Verdict))
		}
	}
	for _, ex := range examples {
		if !ran[ex.UUID] {
			note(ex.UUID, "missing")
		}
	}
	return among, nil
}

var (
	verdicts = []qa.Verdict{qa.Right, qa.Wrong, qa.Unparseable, qa.Unscored}
	outcomes = []qa.Outcome{
		qa.Answered, qa.TurnLimit, qa.TokenLimit, qa.CostLimit, qa.TimeLimit, qa.FormatErrors, qa.RepeatLimit, qa.ContextOverflow,
		qa.EndpointError, qa.NoImages, qa.ToolFailure, qa.Cancelled,
	}
)
