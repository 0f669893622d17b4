package synthesis

import (
	"context"
	"fmt"

	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/internal/terminal"
	"airqa/internal/tokens"
	"airqa/qa"
	"airqa/run/plan"
)

// Forecast is what the missing rows will take: the number of candidates times the calls and tokens of one.
type Forecast struct {
	Rows       int
	Candidates plan.Range
	Total      plan.Estimate
}

// Text prints the forecast.
func (f Forecast) Text() string {
	basis := "bounds from the sizes of the prompts; --preview measures more"
	if f.Total.Past > 0 {
		basis = fmt.Sprintf("from %d candidates in the ledger", f.Total.Past)
	}
	return fmt.Sprintf("%s to make, from %s candidates: %s (%s)",
		terminal.Plural(f.Rows, "row"), f.Candidates.Text(terminal.Compact), f.Total.Text(), basis)
}

// Estimate predicts what the missing questions will take. It writes nothing and calls no model.
func Estimate(ctx context.Context, c Config) (Forecast, error) {
	c.Calls.NoCalls = true
	inv, err := open(ctx, c)
	if err != nil {
		return Forecast{}, err
	}
	measured, err := readMeasured(c.Dir, c.TrackerModel != "")
	if err != nil {
		return Forecast{}, err
	}
	none := plan.Exactly(0)
	total := Forecast{Candidates: none, Total: *plan.EstimateFromBounds(plan.Cost{}, plan.Cost{}, none, inv.pipeline.Model.Price)}
	for _, q := range inv.pipeline.Quotas {
		f, err := inv.forecast(ctx, q, measured)
		if err != nil {
			return Forecast{}, err
		}
		total.Rows += f.Rows
		total.Candidates = total.Candidates.Plus(f.Candidates)
		total.Total.Add(f.Total)
	}
	total.Total.Past = len(measured.costs)
	return total, nil
}

// measured is what the ledger has about decided candidates.
type measured struct {
	accepted, decided map[candidate.Category]int
	// costs are the costs of candidates; tracked are the parts of them that a tracker of its own has.
	costs, tracked []plan.Cost
}

// readMeasured reads the ledger. It leaves out candidates for which the quota had no place or whose calls failed, since they
// show nothing about later ones. The costs of the tracker are apart if it has its own model.
func readMeasured(dir string, ownTracker bool) (m measured, err error) {
	history, err := candidate.ReadHistory(dir)
	if err != nil {
		return m, err
	}
	spent, tracked := make(map[string]plan.Cost), make(map[string]plan.Cost)
	for _, line := range candidate.PaidOnce(history.LastLines()) {
		by := spent
		if ownTracker && line.Stage == candidate.Track {
			by = tracked
		}
		if line.Stage != candidate.Act {
			c := by[line.Candidate]
			by[line.Candidate] = plan.Cost{Calls: c.Calls + len(line.Calls), Usage: c.Usage.Add(line.Usage)}
		}
	}
	m.accepted, m.decided = make(map[candidate.Category]int), make(map[candidate.Category]int)
	for id, state := range history.States() {
		isAccepted := state.Outcome == candidate.Accepted
		if !isAccepted && state.Outcome != candidate.Rejected || state.Reason == candidate.Surplus {
			continue
		}
		m.decided[state.Category]++
		if isAccepted {
			m.accepted[state.Category]++
		}
		if state.Category.Type() != candidate.Multiple {
			m.costs, m.tracked = append(m.costs, spent[id]), append(m.tracked, tracked[id])
		}
	}
	return m, nil
}

// forecast estimates the missing rows of a category: at least one candidate for each, at most all that the quota allows, and
// as many as the share of accepted ones in the ledger suggests.
func (inv *invocation) forecast(ctx context.Context, q candidate.Quota, m measured) (f Forecast, err error) {
	accepted, decided := m.accepted[q.Category], m.decided[q.Category]
	f.Rows = max(q.Count-accepted, 0)
	f.Candidates = plan.Range{Low: float64(f.Rows), High: float64(max(q.Most-decided, f.Rows))}
	if f.Rows == 0 {
		f.Candidates = plan.Exactly(0)
	} else if accepted > 0 {
		f.Candidates.Likely = new(min(float64(f.Rows*decided)/float64(accepted), f.Candidates.High))
	}
	var least, most, tracked plan.Cost
	if q.Category.Type() != candidate.Multiple { // which are merged by rule
		if len(m.costs) >= plan.FewestPast {
			f.Total = *plan.EstimateFromPast(inv.Dir, m.costs, f.Candidates, inv.pipeline.Model.Price)
			if inv.TrackerModel != "" {
				f.Total.Add(*plan.EstimateFromPast(inv.Dir, m.tracked, f.Candidates, inv.pipeline.Tracker.Price))
			}
			return f, nil
		}
		if least, most, tracked, err = inv.bounds(ctx, q.Category); err != nil {
			return f, err
		}
	}
	f.Total = *plan.EstimateFromBounds(least, most, f.Candidates, inv.pipeline.Model.Price)
	f.Total.Add(*plan.EstimateFromBounds(plan.Cost{}, tracked, f.Candidates, inv.pipeline.Tracker.Price))
	return f, nil
}

// bounds returns the least and the most that one candidate takes: from one call of the explorer to a call in each stage, every
// prompt with the material and every reply of the maximum length. The call of the tracker is the last result.
func (inv *invocation) bounds(ctx context.Context, c candidate.Category) (least, most, tracked plan.Cost, err error) {
	m, ok, err := inv.pipeline.Draw.Load(ctx, candidate.ID{Category: c})
	if err != nil || !ok {
		return least, most, tracked, err
	}
	message, err := m.Request(inv.Prompts)
	if err != nil {
		return least, most, tracked, err
	}
	track, err := candidate.Draft{}.TrackRequest(inv.Prompts)
	if err != nil {
		return least, most, tracked, err
	}
	prompt := tokens.Count(message.Text)
	calls := 1 // of the explorer
	for _, g := range inv.pipeline.Gates {
		calls += map[string]int{gate.ClosedBook: 1, gate.SolvedAgain: inv.SolveAgain}[g.Name]
	}
	least = plan.Cost{Calls: 1, Usage: qa.Usage{Prompt: prompt}}
	most = plan.Cost{Calls: calls, Usage: qa.Usage{Prompt: calls * prompt, Completion: calls * inv.pipeline.Model.MaxReply}}
	tracked = plan.Cost{Calls: 1, Usage: qa.Usage{Prompt: tokens.Count(track.Text), Completion: inv.pipeline.Tracker.MaxReply}}
	return least, most, tracked, nil
}
