package session

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
)

// Selection selects questions of the file. It does not affect results: the run directory belongs to the whole file, and
// other questions may follow.
type Selection struct {
	Range  string   `placeholder:"A-B" help:"Only questions A to B of the file; A- for A to the end, N for the first N."`
	ID     []string `names:"input" name:"id" placeholder:"UUID" help:"Only these questions, by uuid or a prefix of it; @FILE reads one per line."`
	Tag    []string `placeholder:"TAG" help:"Only questions with all of these tags; !TAG excludes a tag."`
	Status []string `placeholder:"STATUS" help:"Only questions with this result in the run of --of: right, wrong, unparseable, unscored, failed, missing, or an outcome such as turn_limit."`
	Of     string   `names:"input" placeholder:"RUN" help:"Earlier run that --status refers to."`
	Sample int      `placeholder:"N" help:"Only a random sample of N questions (see --sample-seed)."`
	Seed   uint64   `name:"sample-seed" default:"2024" help:"Seed of --sample."`
	Limit  int      `placeholder:"N" help:"Only the first N of the selected questions."`
}

// Pick returns the selected questions.
func (f Selection) Pick(s Session, examples []qa.Example) ([]qa.Example, error) {
	if f.Limit < 0 || f.Sample < 0 {
		return nil, exit.Misuse("--limit and --sample must not be negative")
	}
	if (f.Of == "") != (len(f.Status) == 0) {
		return nil, exit.Misuse("--status and --of need each other, as in --status wrong --of runs/rag")
	}
	ids, err := readIDs(f.ID)
	if err != nil {
		return nil, err
	}
	chosen := dataset.Selection{Range: f.Range, IDs: ids, Tags: f.Tag, Sample: f.Sample, Seed: f.Seed, Limit: f.Limit}
	if f.Of != "" {
		if chosen.Among, err = s.withStatus(f.Of, f.Status); err != nil {
			return nil, err
		}
	}
	picked, err := chosen.Select(examples)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	if len(picked) == 0 {
		return nil, exit.Misuse("none of %s selected: check --status, --tag and --range", terminal.Plural(len(examples), "question"))
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
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("--id: %w", err)
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
			return nil, exit.Misuse("unknown status %q: want right, wrong, unparseable, unscored, failed, missing or an outcome such as %s", status, qa.TurnLimit)
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
		qa.Answered, qa.TurnLimit, qa.TokenLimit, qa.CostLimit, qa.TimeLimit, qa.FormatErrors, qa.ContextOverflow,
		qa.EndpointError, qa.NoImages, qa.ToolFailure, qa.Cancelled,
	}
)
