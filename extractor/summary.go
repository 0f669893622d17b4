package extractor

import (
	"maps"
	"path/filepath"
	"slices"

	"airqa/extractor/candidate"
	"airqa/internal/files"
	"airqa/qa"
	"airqa/qa/dataset"
)

// Summary is the result of a run.
type Summary struct {
	candidate.Tally
	// Categories has the candidates of each category, in order. Drafts are pending as [candidate.NotTracked].
	Categories []CategoryYield
	// Spent is the cost of all candidates in the ledger.
	Spent candidate.Spent
	// Suspended is why a budget stopped the run, Failure the first failed call; empty if there was none.
	Suspended, Failure string
	// Stopped means that the run ended before the quotas were filled or the candidates ran out.
	Stopped bool
}

// Missing returns the categories with fewer rows, or drafts, than asked for.
func (s Summary) Missing() []CategoryYield {
	return slices.DeleteFunc(slices.Clone(s.Categories), func(c CategoryYield) bool {
		return c.Accepted+c.Reasons[candidate.NotTracked] >= c.Wanted
	})
}

// finish ends the unfinished candidates, counts all of them, and writes the accepted questions.
func (p *Pipeline) finish(s *schedule) (Summary, error) {
	sum := Summary{Suspended: p.suspended, Failure: p.failure}
	var quotas []candidate.Quota
	for _, l := range s.lanes {
		sum.Stopped = sum.Stopped || !l.closed()
		quotas = append(quotas, l.Quota)
	}
	history, err := candidate.ReadHistory(p.c.Dir)
	if err != nil {
		return sum, err
	}
	states := history.States()
	outcome, reason := candidate.Rejected, candidate.Surplus
	switch {
	case sum.Stopped && p.suspended != "":
		outcome, reason = candidate.Pending, candidate.Budget
	case sum.Stopped:
		outcome, reason = candidate.Pending, candidate.Interrupted
	}
	if err := p.endUndecided(s, states, outcome, reason); err != nil {
		return sum, err
	}
	sum.Tally, sum.Categories = count(states, quotas)
	sum.Spent = history.Spent()
	var rows []qa.Example
	for _, id := range slices.SortedFunc(maps.Keys(p.rows), candidate.Compare) {
		rows = append(rows, p.rows[id])
	}
	text, err := dataset.Lines(rows)
	if err != nil {
		return sum, err
	}
	return sum, files.WriteFile(filepath.Join(p.c.Dir, candidate.QuestionsFile), text)
}

// endUndecided writes the last lines of candidates that are not decided: those that were started, and those of earlier runs
// that this one does not need, because their quota was larger. A run that stopped early leaves both pending, since it may
// still need them.
func (p *Pipeline) endUndecided(s *schedule, states map[string]candidate.Line, o candidate.Outcome, reason candidate.Reason) error {
	var undecided []candidate.Line
	started := make(map[string]bool)
	for _, l := range s.lanes {
		for i := range l.started {
			id := candidate.ID{Category: l.Category, Index: i}
			started[id.String()] = true
			if i < l.commit {
				continue
			}
			line, known := states[id.String()]
			if !known {
				line = p.identity(id)
			}
			undecided = append(undecided, line)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		last := states[name]
		if open := last.Outcome == candidate.Accepted || last.Outcome == candidate.Pending; open && !started[name] && !p.c.Preview {
			undecided = append(undecided, last)
		}
	}
	for i := range undecided {
		line := undecided[i].Identity()
		line.Stage, line.Outcome, line.Reason = candidate.Accept, o, reason
		undecided[i], states[line.Candidate] = line, line
	}
	return p.c.Ledger.Add(undecided...)
}
