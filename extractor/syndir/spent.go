package syndir

import (
	"cmp"
	"slices"

	"airqa/extractor/candidate"
	"airqa/qa"
)

// Spent is the cost of the calls of a ledger. Each reply counts once.
type Spent struct {
	Calls int      `json:"calls"`
	Usage qa.Usage `json:"usage"`
	// USD is nil if the price of a call is unknown.
	USD *float64 `json:"usd"`
}

// SpentIn sums the calls of a directory's ledger.
func SpentIn(dir string) (Spent, error) {
	var lines []candidate.Line
	for line, err := range Lines(dir) {
		if err != nil {
			return Spent{}, err
		}
		line.Data = nil
		lines = append(lines, line)
	}
	usd, known := 0.0, true
	var s Spent
	for _, line := range PaidOnce(lines) {
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

// PaidOnce returns the lines with calls, each with the calls, usage and cost that no other line has. Stages share a reply
// if they sent the same request: a stage that was computed again, and candidates with the same question. It was paid for
// once. The order of the result depends on nothing but the lines.
func PaidOnce(lines []candidate.Line) []candidate.Line {
	sorted := slices.DeleteFunc(slices.Clone(lines), func(l candidate.Line) bool { return len(l.Calls) == 0 })
	slices.SortStableFunc(sorted, func(a, b candidate.Line) int {
		// Longer lists come first: an interrupted stage has the first calls of a complete one.
		return cmp.Or(cmp.Compare(len(b.Calls), len(a.Calls)), cmp.Compare(a.Candidate, b.Candidate), cmp.Compare(a.Stage, b.Stage))
	})
	seen := make(map[string]bool)
	var paid []candidate.Line
	for _, line := range sorted {
		var fresh []string
		for _, call := range line.Calls {
			if !seen[call] {
				seen[call] = true
				fresh = append(fresh, call)
			}
		}
		if len(fresh) > 0 {
			paid = append(paid, share(line, fresh))
		}
	}
	return paid
}

// share returns a line with some of its calls, and their share of its usage and cost.
func share(line candidate.Line, calls []string) candidate.Line {
	part, all := len(calls), len(line.Calls)
	line.Calls = calls
	if part == all {
		return line
	}
	u := &line.Usage
	for _, n := range []*int{&u.Prompt, &u.Completion, &u.Cached, &u.Reasoning} {
		*n = *n * part / all
	}
	if line.USD != nil {
		line.USD = new(*line.USD * float64(part) / float64(all))
	}
	return line
}
