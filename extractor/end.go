package extractor

import (
	"maps"
	"slices"

	"airqa/extractor/candidate"
	"airqa/extractor/syndir"
	"airqa/qa"
)

// Ended is the result of a run.
type Ended struct {
	syndir.Tally
	// Categories has the progress of each category, in order.
	Categories []Category
	// Spent is the cost of all candidates in the ledger.
	Spent syndir.Spent
	// Suspended is why a budget stopped the run, Failure the first failed call; empty if there was none.
	Suspended, Failure string
	// Stopped means that the run ended before the quotas were filled or the candidates ran out.
	Stopped bool
}

// Category is the result of one category.
type Category struct {
	syndir.Quota
	// Accepted counts rows, Drafts candidates that are explored only.
	Accepted, Drafts int
	// Reasons counts the candidates that were not accepted by reason.
	Reasons map[candidate.Reason]int
}

// Missing returns the categories with fewer rows, or drafts, than asked for.
func (e Ended) Missing() []Category {
	return slices.DeleteFunc(slices.Clone(e.Categories), func(c Category) bool { return c.Accepted+c.Drafts >= c.Count })
}

// end writes the last lines of unfinished candidates and the accepted questions.
func (p *Pipeline) end(schedules ...*schedule) (Ended, error) {
	e := Ended{Suspended: p.suspended, Failure: p.failure}
	started := make(map[string]bool)
	for _, s := range schedules {
		e.Stopped = e.Stopped || len(s.pending()) > 0
		for _, l := range s.lanes {
			e.Stopped = e.Stopped || !l.closed()
			e.Categories = append(e.Categories, Category{Quota: l.Quota, Accepted: l.accepted, Drafts: l.hopeful, Reasons: make(map[candidate.Reason]int)})
			for i := range l.next {
				started[candidate.ID{Category: l.Category, Index: i}.String()] = true
			}
		}
		for _, id := range s.pending() {
			if err := p.leave(id, candidate.Pending, p.why()); err != nil {
				return e, err
			}
		}
	}
	if err := p.dropSurplus(started, e.Stopped); err != nil {
		return e, err
	}
	if err := e.read(p.c.Dir); err != nil {
		return e, err
	}
	return e, syndir.WriteQuestions(p.c.Dir, p.accepted())
}

// why is the reason of pending candidates.
func (p *Pipeline) why() candidate.Reason {
	if p.suspended != "" {
		return candidate.Budget
	}
	return candidate.Interrupted
}

// leave writes the last line of a candidate that is not decided now.
func (p *Pipeline) leave(id candidate.ID, o candidate.Outcome, reason candidate.Reason) error {
	line := p.identity(id)
	for _, stage := range []string{candidate.Accept, candidate.Track, candidate.Explore} {
		old, ok, err := p.c.Ledger.Get(line.Candidate, stage)
		if err != nil {
			return err
		}
		if ok {
			line = bare(old)
			break
		}
	}
	line.Stage, line.Outcome, line.Reason = candidate.Accept, o, reason
	return p.put(line)
}

// dropSurplus ends the candidates of earlier runs that this one does not need: their quota was larger. A run that
// stopped early leaves them pending, since it may still need them.
func (p *Pipeline) dropSurplus(started map[string]bool, stopped bool) error {
	if p.c.Preview {
		return nil
	}
	outcome, reason := candidate.Rejected, candidate.Surplus
	if stopped {
		outcome, reason = candidate.Pending, p.why()
	}
	last, err := syndir.States(p.c.Dir)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(last)) {
		id, err := candidate.ParseID(name)
		was := last[name].Outcome
		open := was == candidate.Accepted || was == candidate.Pending && !p.c.ReviewOnly
		if err != nil || started[name] || !open {
			continue
		}
		if err := p.leave(id, outcome, reason); err != nil {
			return err
		}
	}
	return nil
}

// read counts the candidates of the ledger.
func (e *Ended) read(dir string) error {
	states, err := syndir.States(dir)
	if err != nil {
		return err
	}
	at := make(map[candidate.Category]int)
	for i, c := range e.Categories {
		at[c.Category] = i
	}
	for _, s := range states {
		e.Add(s.Outcome)
		if i, ok := at[s.Category]; ok && s.Outcome != candidate.Accepted {
			e.Categories[i].Reasons[s.Reason]++
		}
	}
	e.Spent, err = syndir.SpentIn(dir)
	return err
}

// accepted returns the accepted rows by category and index.
func (p *Pipeline) accepted() []qa.Example {
	rows := make([]qa.Example, 0, len(p.rows))
	for _, id := range slices.SortedFunc(maps.Keys(p.rows), candidate.Compare) {
		rows = append(rows, p.rows[id])
	}
	return rows
}
