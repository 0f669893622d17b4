package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"airqa/qa"
)

// Repeats identifies the repeats of a question: the episodes of one baseline and model, in any number of runs.
type Repeats struct{ UUID, Baseline, Model string }

// NoScore stands for the score of an episode that has none, and for the pass rate of a question without scored repeats.
// Readers of tables want a number.
const NoScore = -1

// PassRates counts the right answers among the scored repeats of questions.
type PassRates map[Repeats]*passes

type passes struct{ right, scored int }

// Add counts an answer, unless it was not scored.
func (p PassRates) Add(r Repeats, s *qa.Score) {
	if s == nil || s.Verdict == qa.Unscored {
		return
	}
	if p[r] == nil {
		p[r] = new(passes)
	}
	p[r].scored++
	if s.Verdict == qa.Right {
		p[r].right++
	}
}

// Of returns the share of right answers, from 0 to 1, or [NoScore].
func (p PassRates) Of(r Repeats) float64 {
	n := p[r]
	if n == nil {
		return NoScore
	}
	return float64(n.right) / float64(n.scored)
}

// rateRange are the pass rates to keep.
type rateRange struct{ low, high float64 }

// parseRange reads a range such as "0.2-0.8"; nil for none.
func parseRange(s string) (*rateRange, error) {
	if s == "" {
		return nil, nil
	}
	low, high, _ := strings.Cut(s, "-")
	var r rateRange
	var err1, err2 error
	r.low, err1 = strconv.ParseFloat(low, 64)
	r.high, err2 = strconv.ParseFloat(high, 64)
	if err1 != nil || err2 != nil || !(0 <= r.low && r.low <= r.high && r.high <= 1) {
		return nil, qa.Usagef("pass rate %q: want a range from 0 to 1, such as 0.2-0.8", s)
	}
	return &r, nil
}

// CheckRate returns the reason against an episode whose question has a pass rate, and its detail. The limits of the range
// are part of it; a rate of [NoScore] never is.
func (s *Selector) CheckRate(rate float64) (Reason, string) {
	if s.rates == nil {
		return "", ""
	}
	if rate == NoScore {
		return ByPassRate, "no scored repeat"
	}
	const rounding = 1e-9
	if rate < s.rates.low-rounding || rate > s.rates.high+rounding {
		return ByPassRate, fmt.Sprint(math.Round(rate*1e4) / 1e4)
	}
	return "", ""
}

// Ranked is a right episode with what it is compared by. Episodes with the same content share a place.
type Ranked struct {
	Repeats
	ID            string
	Score         *qa.Score
	Turns, Tokens int
	Content       string
}

// Beaten returns the ids of the episodes that are not among the n best of their question, with their places. Better is
// the higher score, then fewer turns, then fewer tokens, then what is earlier in the list.
func Beaten(list []Ranked, n int) map[string]string {
	beaten := make(map[string]string)
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y Ranked) int {
		return cmp.Or(cmp.Compare(value(y.Score), value(x.Score)), x.Turns-y.Turns, x.Tokens-y.Tokens)
	})
	places := make(map[Repeats]map[string]int)
	for _, x := range list {
		of := places[x.Repeats]
		if of == nil {
			of = make(map[string]int)
			places[x.Repeats] = of
		}
		if of[x.Content] == 0 {
			of[x.Content] = len(of) + 1
		}
		if place := of[x.Content]; place > n {
			beaten[x.ID] = fmt.Sprintf("place %d", place)
		}
	}
	return beaten
}
