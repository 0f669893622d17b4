package extractor

import (
	"maps"
	"slices"

	"airqa/extractor/candidate"
	"airqa/qa"
)

// Summary is the result of a run.
type Summary struct {
	candidate.Tally
	// Categories has the progress of each category, in order.
	Categories []Category
	// Spent is the cost of all candidates in the ledger.
	Spent candidate.Spent
	// Suspended is why a budget stopped the run, Failure the first failed call; empty if there was none.
	Suspended, Failure string
	// Stopped means that the run ended before the quotas were filled or the candidates ran out.
	Stopped bool
}

// Category is the result of one category.
type Category struct {
	candidate.Quota
	// Accepted counts rows, Drafts candidates that are explored only.
	Accepted, Drafts int
	// Reasons counts the candidates that were not accepted by reason.
	Reasons map[candidate.Reason]int
}

// Missing returns the categories with fewer rows, or drafts, than asked for.
func (s Summary) Missing() []Category {
	return slices.DeleteFunc(slices.Clone(s.Categories), func(c Category) bool { return c.Accepted+c.Drafts >= c.Count })
}

// finish writes the last lines of unfinished candidates and the accepted questions.
func (p *Pipeline) finish(schedules ...*schedule) (Summary, error) {
	sum := Summary{Suspended: p.suspended, Failure: p.failure}
	started := make(map[string]bool)
	for _, s := range schedules {
		sum.Stopped = sum.Stopped || len(s.pending()) > 0
		for _, l := range s.lanes {
			sum.Stopped = sum.Stopped || !l.closed()
			sum.Categories = append(sum.Categories, Category{
				Quota: l.Quota, Accepted: l.accepted, Drafts: l.hopeful, Reasons: make(map[candidate.Reason]int),
			})
			for i := range l.next {
				started[candidate.ID{Category: l.Category, Index: i}.String()] = true
			}
		}
		for _, id := range s.pending() {
			if err := p.writeUndecided(id, candidate.Pending, p.pendingReason()); err != nil {
				return sum, err
			}
		}
	}
	if err := p.dropSurplus(started, sum.Stopped); err != nil {
		return sum, err
	}
	if err := sum.countLedger(p.c.Dir); err != nil {
		return sum, err
	}
	rows := make([]qa.Example, 0, len(p.rows))
	for _, id := range slices.SortedFunc(maps.Keys(p.rows), candidate.Compare) {
		rows = append(rows, p.rows[id])
	}
	return sum, candidate.WriteQuestions(p.c.Dir, rows)
}

func (p *Pipeline) pendingReason() candidate.Reason {
	if p.suspended != "" {
		return candidate.Budget
	}
	return candidate.Interrupted
}

// writeUndecided writes the last line of a candidate that is not decided now.
func (p *Pipeline) writeUndecided(id candidate.ID, o candidate.Outcome, reason candidate.Reason) error {
	line := p.newWork(id).identity
	for _, stage := range []string{candidate.Accept, candidate.Track, candidate.Explore} {
		old, ok, err := p.c.Ledger.Get(line.Candidate, stage)
		if err != nil {
			return err
		}
		if ok {
			line = old.Identity()
			break
		}
	}
	line.Stage, line.Outcome, line.Reason = candidate.Accept, o, reason
	return p.write(line)
}

// dropSurplus ends the candidates of earlier runs that this one does not need: their quota was larger. A run that
// stopped early leaves them pending, since it may still need them.
func (p *Pipeline) dropSurplus(started map[string]bool, stopped bool) error {
	if p.c.Preview {
		return nil
	}
	outcome, reason := candidate.Rejected, candidate.Surplus
	if stopped {
		outcome, reason = candidate.Pending, p.pendingReason()
	}
	history, err := candidate.ReadHistory(p.c.Dir)
	if err != nil {
		return err
	}
	states := history.States()
	for _, name := range slices.Sorted(maps.Keys(states)) {
		id, err := candidate.ParseID(name)
		last := states[name].Outcome
		open := last == candidate.Accepted || last == candidate.Pending
		if err != nil || started[name] || !open {
			continue
		}
		if err := p.writeUndecided(id, outcome, reason); err != nil {
			return err
		}
	}
	return nil
}

// countLedger counts the candidates of the ledger and their cost.
func (s *Summary) countLedger(dir string) error {
	history, err := candidate.ReadHistory(dir)
	if err != nil {
		return err
	}
	at := make(map[candidate.Category]int)
	for i, c := range s.Categories {
		at[c.Category] = i
	}
	for _, state := range history.States() {
		s.Add(state.Outcome)
		if i, ok := at[state.Category]; ok && state.Outcome != candidate.Accepted {
			s.Categories[i].Reasons[state.Reason]++
		}
	}
	s.Spent = history.Spent()
	return nil
}
