package candidate

import (
	"cmp"
	"maps"
	"slices"

	"airqa/qa"
)

// History is the content of a ledger in the order in which it was written, without the products of the stages.
type History []Line

// ReadHistory reads the ledger of a directory. A missing ledger is empty.
func ReadHistory(dir string) (History, error) {
	var h History
	for line, err := range Lines(dir) {
		if err != nil {
			return nil, err
		}
		line.Data = nil
		h = append(h, line)
	}
	return h, nil
}

// LastLines returns the last line of each candidate and stage, in no order.
func (h History) LastLines() []Line {
	last := make(map[key]Line)
	for _, line := range h {
		last[key{line.Candidate, line.Stage}] = line
	}
	return slices.Collect(maps.Values(last))
}

// States returns the last line of each candidate, which has its state. One that has no such line is pending.
func (h History) States() map[string]Line {
	states := make(map[string]Line)
	for _, line := range h {
		if line.Stage != Accept {
			if states[line.Candidate].Stage == Accept {
				continue
			}
			line.Outcome, line.Reason = Pending, Interrupted
		}
		states[line.Candidate] = line
	}
	return states
}

// Tally counts the candidates of a ledger by their last lines.
type Tally struct {
	Candidates int `json:"candidates"`
	Accepted   int `json:"accepted"`
	Rejected   int `json:"rejected"`
	Failed     int `json:"failed"`
	Pending    int `json:"pending"`
}

// Add counts a candidate. An outcome that ends no candidate counts as pending.
func (t *Tally) Add(o Outcome) {
	t.Candidates++
	switch o {
	case Accepted:
		t.Accepted++
	case Rejected:
		t.Rejected++
	case Failed:
		t.Failed++
	default:
		t.Pending++
	}
}

// Spent is the cost of the calls of a ledger. Each reply counts once.
type Spent struct {
	Calls int      `json:"calls"`
	Usage qa.Usage `json:"usage"`
	// USD is nil if the price of a call is unknown.
	USD *float64 `json:"usd"`
}

// NewSpent returns the cost of no calls.
func NewSpent() Spent { return Spent{USD: new(float64)} }

// Add adds the calls of a line.
func (s *Spent) Add(line Line) {
	s.Calls += len(line.Calls)
	s.Usage = s.Usage.Add(line.Usage)
	switch {
	case s.USD == nil:
	case line.USD == nil:
		s.USD = nil
	default:
		*s.USD += *line.USD
	}
}

// Spent sums all calls.
func (h History) Spent() Spent {
	s := NewSpent()
	for _, line := range PaidOnce(h) {
		s.Add(line)
	}
	return s
}

// PaidOnce returns the lines with calls, each with the calls that no other line has and their share of its usage and cost.
// Stages share a reply if they sent the same request: a stage that was computed again, and candidates with the same
// question. It was paid for once. The order of the result depends on nothing but the lines.
func PaidOnce(lines []Line) []Line {
	sorted := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return len(l.Calls) == 0 })
	slices.SortStableFunc(sorted, func(a, b Line) int {
		// Longer lists come first: an interrupted stage has the first calls of a complete one.
		return cmp.Or(cmp.Compare(len(b.Calls), len(a.Calls)), cmp.Compare(a.Candidate, b.Candidate), cmp.Compare(a.Stage, b.Stage))
	})
	seen := make(map[string]bool)
	var paid []Line
	for _, line := range sorted {
		var fresh []string
		for _, call := range line.Calls {
			if !seen[call] {
				seen[call] = true
				fresh = append(fresh, call)
			}
		}
		if len(fresh) == 0 {
			continue
		}
		part, all := len(fresh), len(line.Calls)
		line.Calls = fresh
		for _, n := range []*int{&line.Usage.Prompt, &line.Usage.Completion, &line.Usage.Cached, &line.Usage.Reasoning} {
			*n = *n * part / all
		}
		if line.USD != nil && part < all {
			line.USD = new(*line.USD * float64(part) / float64(all))
		}
		paid = append(paid, line)
	}
	return paid
}
