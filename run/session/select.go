package session

import (
	"fmt"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
)

// Selection selects questions of the file. It does not affect results: the run directory belongs to the whole file, and
// other questions may follow. The zero value selects all.
type Selection struct {
	// Range is "A-B", "A-" or "N".
	Range string
	// IDs are uuids, prefixes of uuids, and files of them named after an @.
	IDs []string
	// Tags must all be present; !TAG excludes a tag.
	Tags []string
	// Status are results in the run Of: verdicts, outcomes, "failed" and "missing".
	Status []string
	Of     string
	// Sample is the size of a random sample, Limit the maximum number; 0 is all.
	Sample int
	Seed   uint64
	Limit  int
}

// Select returns the selected questions.
func (s Session) Select(c Selection, examples []qa.Example) ([]qa.Example, error) {
	if c.Limit < 0 || c.Sample < 0 {
		return nil, qa.Usagef("the limit %d and the sample of %d questions must not be negative", c.Limit, c.Sample)
	}
	ids, err := readIDs(c.IDs)
	if err != nil {
		return nil, err
	}
	chosen := dataset.Selection{Range: c.Range, IDs: ids, Tags: c.Tags, Sample: c.Sample, Seed: c.Seed, Limit: c.Limit}
	if c.Of != "" {
		if chosen.Among, err = s.withStatus(c.Of, c.Status); err != nil {
			return nil, err
		}
	}
	picked, err := chosen.Select(examples)
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
func (s Session) withStatus(dir string, statuses []string) (map[string]bool, error) {
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
	results, err := resultsOf(r, wanted)
	if err != nil {
		return nil, err
	}
	among := make(map[string]bool)
	for _, ex := range examples {
		got := results[ex.UUID]
		among[ex.UUID] = len(got) == 0 && wanted["missing"] || slices.ContainsFunc(got, func(result string) bool { return wanted[result] })
	}
	return among, nil
}

// resultsOf returns the results of each question of a run; verdicts only if one is wanted.
func resultsOf(r *runlog.Run, wanted map[string]bool) (map[string][]string, error) {
	results := make(map[string][]string)
	for rec := range r.Episodes() {
		results[rec.UUID] = append(results[rec.UUID], string(rec.Outcome))
		if rec.Outcome.Failed() {
			results[rec.UUID] = append(results[rec.UUID], "failed")
		}
	}
	if !slices.ContainsFunc(verdicts, func(v qa.Verdict) bool { return wanted[string(v)] }) {
		return results, nil
	}
	_, scores, err := runlog.ReadScores(r.Dir)
	for _, s := range scores {
		results[s.UUID] = append(results[s.UUID], string(s.Verdict))
	}
	return results, err
}

var (
	verdicts = []qa.Verdict{qa.Right, qa.Wrong, qa.Unparseable, qa.Unscored}
	outcomes = []qa.Outcome{
		qa.Answered, qa.TurnLimit, qa.TokenLimit, qa.CostLimit, qa.TimeLimit, qa.FormatErrors, qa.RepeatLimit, qa.ContextOverflow,
		qa.EndpointError, qa.NoImages, qa.ToolFailure, qa.Cancelled,
	}
)
