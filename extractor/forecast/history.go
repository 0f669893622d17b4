package forecast

import (
	"maps"
	"slices"

	"airqa/extractor/candidate"
	"airqa/extractor/syndir"
	"airqa/qa"
)

// cost is the effort of one candidate, or of some, in a stage.
type cost struct{ calls, prompt, cached, completion float64 }

func costOf(l candidate.Line) cost {
	return cost{float64(len(l.Calls)), float64(l.Usage.Prompt), float64(l.Usage.Cached), float64(l.Usage.Completion)}
}

// plus returns c and n times o.
func (c cost) plus(o cost, n float64) cost {
	return cost{c.calls + n*o.calls, c.prompt + n*o.prompt, c.cached + n*o.cached, c.completion + n*o.completion}
}

func (c cost) usd(p qa.Price) float64 {
	return ((c.prompt-c.cached)*p.Prompt + c.cached*p.Cached + c.completion*p.Completion) / 1e6
}

// costs are those of a candidate by stage.
type costs map[string]cost

// trial is a candidate that was accepted or rejected.
type trial struct {
	id       candidate.ID
	round    int // number of earlier candidates about the same elements
	accepted bool
	costs    costs
}

// past is what the ledger has about a category.
type past struct {
	// trials are ordered by index.
	trials []trial
	// drafts are the costs of candidates that are explored only.
	drafts []costs
}

// fresh counts the candidates about new elements, and the accepted ones of them.
func (p past) fresh() (accepted, all float64) {
	for _, t := range p.trials {
		if t.round == 0 {
			all++
		}
		if t.round == 0 && t.accepted {
			accepted++
		}
	}
	return accepted, all
}

// accepted counts the accepted candidates.
func (p past) accepted() int {
	n := 0
	for _, t := range p.trials {
		if t.accepted {
			n++
		}
	}
	return n
}

// history is the content of a ledger.
type history struct {
	categories map[candidate.Category]past
	// order has the categories in a fixed order.
	order []candidate.Category
}

// history reads the ledger.
func (p Plan) history() (history, error) {
	h := history{categories: make(map[candidate.Category]past)}
	states, err := syndir.States(p.Dir)
	if err != nil {
		return h, err
	}
	spent, err := p.spent()
	if err != nil {
		return h, err
	}
	ids := make([]candidate.ID, 0, len(states))
	for name := range states {
		id, err := candidate.ParseID(name)
		if err != nil {
			return h, err
		}
		ids = append(ids, id)
	}
	slices.SortFunc(ids, candidate.Compare)
	for _, id := range ids {
		h.add(p, id, states[id.String()], spent[id.String()])
	}
	h.order = slices.DeleteFunc(candidate.Categories(), func(c candidate.Category) bool {
		_, known := h.categories[c]
		return !known
	})
	return h, nil
}

// add adds a candidate. One that the quota had no place for, or whose calls failed, shows nothing about later ones.
func (h history) add(p Plan, id candidate.ID, s syndir.State, c costs) {
	old := h.categories[id.Category]
	switch {
	case s.Reason == candidate.Surplus:
	case s.Outcome == candidate.Accepted, s.Outcome == candidate.Rejected:
		round := 0
		if p.Draw != nil {
			round = p.Draw.Round(id)
		}
		old.trials = append(old.trials, trial{id, round, s.Outcome == candidate.Accepted, c})
	case s.Reason == candidate.NotTracked:
		old.drafts = append(old.drafts, c)
	}
	h.categories[id.Category] = old
}

// spent returns the costs of each candidate. Gates that are switched off now cost nothing.
func (p Plan) spent() (map[string]costs, error) {
	last := make(map[[2]string]candidate.Line)
	for line, err := range syndir.Lines(p.Dir) {
		if err != nil {
			return nil, err
		}
		line.Data = nil
		last[[2]string{line.Candidate, line.Stage}] = line
	}
	spent := make(map[string]costs)
	for _, line := range syndir.PaidOnce(slices.Collect(maps.Values(last))) {
		name, isGate := candidate.GateOf(line.Stage)
		if line.Stage == candidate.Act || isGate && !p.has(name) {
			continue
		}
		if spent[line.Candidate] == nil {
			spent[line.Candidate] = make(costs)
		}
		spent[line.Candidate][line.Stage] = costOf(line)
	}
	return spent, nil
}
