package syndir

import (
	"fmt"

	"airqa/extractor/candidate"
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
