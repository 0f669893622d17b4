package syndir

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/extractor/candidate"
	"airqa/qa"
)

// Tally counts the candidates of a ledger by their last lines.
type Tally struct {
	Candidates int `json:"candidates"`
	Accepted   int `json:"accepted"`
	Rejected   int `json:"rejected"`
	Failed     int `json:"failed"`
	Pending    int `json:"pending"`
}

// Add counts a candidate. An outcome that ends no candidate counts as pending.
func (t *Tally) Add(o candidate.Outcome) {
	t.Candidates++
	switch o {
	case candidate.Accepted:
		t.Accepted++
	case candidate.Rejected:
		t.Rejected++
	case candidate.Failed:
		t.Failed++
	default:
		t.Pending++
	}
}

// Check verifies that every candidate has exactly one outcome.
func (t Tally) Check() error {
	if sum := t.Accepted + t.Rejected + t.Failed + t.Pending; sum != t.Candidates {
		return fmt.Errorf("%d candidates, but %d outcomes (%d accepted, %d rejected, %d failed, %d pending)",
			t.Candidates, sum, t.Accepted, t.Rejected, t.Failed, t.Pending)
	}
	return nil
}

// State is the state of a candidate.
type State struct {
	Category candidate.Category
	Outcome  candidate.Outcome
	Reason   candidate.Reason
}

// States returns the state of each candidate; one without a last line is pending.
func States(dir string) (map[string]State, error) {
	states := make(map[string]State)
	for line, err := range Lines(dir) {
		if err != nil {
			return nil, err
		}
		switch _, known := states[line.Candidate]; {
		case line.Stage == candidate.Accept:
			states[line.Candidate] = State{line.Category, line.Outcome, line.Reason}
		case !known:
			states[line.Candidate] = State{line.Category, candidate.Pending, candidate.Interrupted}
		}
	}
	return states, nil
}

// Spent is the cost of the calls of a ledger, each counted once.
type Spent struct {
	Calls int      `json:"calls"`
	Usage qa.Usage `json:"usage"`
	// USD is nil if the price of a call is unknown.
	USD *float64 `json:"usd"`
}

// SpentIn sums the calls of a directory's ledger. A stage that was computed again from the same replies counts once.
func SpentIn(dir string) (Spent, error) {
	lines := make(map[string]candidate.Line)
	for line, err := range Lines(dir) {
		if err != nil {
			return Spent{}, err
		}
		if len(line.Calls) > 0 {
			line.Data = nil
			lines[strings.Join(append([]string{line.Candidate, line.Stage}, line.Calls...), " ")] = line
		}
	}
	var s Spent
	usd, known := 0.0, true
	for _, key := range slices.Sorted(maps.Keys(lines)) { // sums of floats depend on the order
		line := lines[key]
		s.Calls += len(line.Calls)
		s.Usage = s.Usage.Add(line.Usage)
		if known = known && line.USD != nil; known {
			usd += *line.USD
		}
	}
	if known {
		s.USD = &usd
	}
	return s, nil
}
