package review

import (
	"maps"
	"slices"
	"time"

	"airqa/extractor/candidate"
	"airqa/internal/stats"
)

// Summary counts the reviews of a synthesis. The last review of a candidate counts.
type Summary struct {
	Reviewed int `json:"reviewed"`
	Decisions
	// Agreement is the share of reviewed rows that were accepted as they are, with its 95 % Wilson interval.
	Agreement float64        `json:"agreement"`
	Interval  stats.Interval `json:"interval"`
	// Reviewers are sorted by name.
	Reviewers []Reviewer `json:"reviewers"`
	// Twice counts the candidates with reviews of several people, Same those of them on which all agree.
	Twice int `json:"twice"`
	Same  int `json:"same"`
}

// Decisions counts the decisions of reviewers.
type Decisions struct {
	Accepted int `json:"accepted"`
	Fixed    int `json:"fixed"`
	Rejected int `json:"rejected"`
}

func (d *Decisions) count(decision candidate.Decision) {
	switch decision {
	case candidate.Keep:
		d.Accepted++
	case candidate.Fix:
		d.Fixed++
	case candidate.Reject:
		d.Rejected++
	}
}

// Reviewer is a person's work. The last decision about a candidate counts.
type Reviewer struct {
	Name     string    `json:"name"`
	Reviewed int       `json:"reviewed"`
	Accepted int       `json:"accepted"`
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
}

// Summarize reads the reviews of a synthesis.
func Summarize(dir string) (Summary, error) {
	var s Summary
	past, err := readHistory(dir)
	if err != nil {
		return s, err
	}
	people := map[string]*Reviewer{}
	for id, reviews := range past.reviews {
		s.Reviewed++
		s.count(past.last(id).Decision)
		said := map[string]candidate.Decision{}
		for _, r := range reviews {
			said[r.Reviewer] = r.Decision
			if people[r.Reviewer] == nil {
				people[r.Reviewer] = &Reviewer{Name: r.Reviewer, First: r.Time, Last: r.Time}
			}
			if p := people[r.Reviewer]; r.Time.Before(p.First) {
				p.First = r.Time
			} else if r.Time.After(p.Last) {
				p.Last = r.Time
			}
		}
		s.agree(people, said)
	}
	for _, name := range slices.Sorted(maps.Keys(people)) {
		s.Reviewers = append(s.Reviewers, *people[name])
	}
	if s.Reviewed > 0 {
		s.Agreement = float64(s.Accepted) / float64(s.Reviewed)
		s.Interval = stats.Wilson(s.Accepted, s.Reviewed, 0.95)
	}
	return s, nil
}

// agree counts the decisions of several people about one candidate.
func (s *Summary) agree(people map[string]*Reviewer, said map[string]candidate.Decision) {
	decisions := map[candidate.Decision]bool{}
	for name, d := range said {
		decisions[d] = true
		people[name].Reviewed++
		if d == candidate.Keep {
			people[name].Accepted++
		}
	}
	if len(said) > 1 {
		s.Twice++
		if len(decisions) == 1 {
			s.Same++
		}
	}
}
