package estimate

import (
	"math"
	"slices"

	"airqa/qa"
)

// Sizes are the minimum, median and maximum of some token counts.
type Sizes struct {
	Min    int `json:"min"`
	Median int `json:"median"`
	Max    int `json:"max"`
	// Of is the number of counts.
	Of int `json:"of"`
}

// Measure summarizes token counts; nil if there are none.
func Measure(tokens []int) *Sizes {
	if len(tokens) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(tokens))
	return &Sizes{sorted[0], sorted[(len(sorted)-1)/2], sorted[len(sorted)-1], len(sorted)}
}

// Range is an expected value with its likely bounds. With bounds alone, Likely is nil.
type Range struct {
	Low    float64  `json:"low"`
	Likely *float64 `json:"likely"`
	High   float64  `json:"high"`
}

// times scales a range.
func (r Range) times(n float64) Range {
	r.Low, r.High = r.Low*n, r.High*n
	if r.Likely != nil {
		r.Likely = new(*r.Likely * n)
	}
	return r
}

// Add adds two ranges. If one has no expected value, neither has the sum.
func (r Range) Add(o Range) Range {
	sum := Range{Low: r.Low + o.Low, High: r.High + o.High}
	if r.Likely != nil && o.Likely != nil {
		sum.Likely = new(*r.Likely + *o.Likely)
	}
	return sum
}

// Estimate is the total effort of some episodes.
type Estimate struct {
	// Basis is the source of the estimate: the name of a run, or "bounds".
	Basis string `json:"basis"`
	// Past is the number of episodes behind it; 0 for bounds.
	Past   int   `json:"past"`
	Calls  Range `json:"calls"`
	Tokens Range `json:"tokens"`
	// USD is nil if the price is unknown.
	USD *Range `json:"usd"`
	// Seconds is the time without concurrency; nil if unknown.
	Seconds *Range `json:"seconds"`
}

// FewestPast is the minimum number of finished episodes for an estimate.
const FewestPast = 3

// FromPast estimates n episodes from past ones: the mean, and n times their 10th and 90th percentiles. It returns nil
// if there are too few.
func FromPast(basis string, past []Cost, n int, price *qa.Price) *Estimate {
	if len(past) < FewestPast {
		return nil
	}
	all := float64(n)
	e := &Estimate{
		Basis: basis, Past: len(past),
		Calls:  spread(past, func(c Cost) float64 { return float64(c.Calls) }).times(all),
		Tokens: spread(past, func(c Cost) float64 { return float64(c.Usage.Prompt + c.Usage.Completion) }).times(all),
	}
	if price != nil {
		e.USD = new(spread(past, func(c Cost) float64 { return price.Of(c.Usage) }).times(all))
	}
	timed := slices.DeleteFunc(slices.Clone(past), func(c Cost) bool { return c.Seconds <= 0 })
	if len(timed) >= FewestPast {
		e.Seconds = new(spread(timed, func(c Cost) float64 { return c.Seconds }).times(all))
	}
	return e
}

// spread is the mean with the 10th and 90th percentiles.
func spread(past []Cost, of func(Cost) float64) Range {
	var all []float64
	sum := 0.0
	for _, c := range past {
		all = append(all, of(c))
		sum += of(c)
	}
	slices.Sort(all)
	mean := sum / float64(len(all))
	// A few outliers can lift the mean above the 90th percentile.
	point := func(share float64) float64 { return all[int(math.Round(share*float64(len(all)-1)))] }
	return Range{Low: min(point(0.1), mean), Likely: &mean, High: max(point(0.9), mean)}
}

// Bounds are the limits of one episode, used if there are no past episodes.
type Bounds struct {
	// Calls is the maximum number of calls.
	Calls int
	// Window is the number of earlier turns shown to a call.
	Window int
	// Reply and Observation are their maximum tokens.
	Reply, Observation int
	// Tokens and USD limit the whole episode; 0 means unlimited.
	Tokens int
	USD    float64
}

// FromBounds estimates n episodes: from one call each on the shortest prompt to all calls with a full window after the
// longest.
func FromBounds(b Bounds, first Sizes, n int, price *qa.Price) *Estimate {
	most := qa.Usage{Completion: b.Calls * b.Reply}
	for i := range b.Calls {
		most.Prompt += first.Max + min(i, b.Window)*(b.Reply+b.Observation)
	}
	least := qa.Usage{Prompt: first.Min}
	high := float64(most.Prompt + most.Completion)
	if b.Tokens > 0 {
		high = min(high, float64(b.Tokens))
	}
	e := &Estimate{
		Basis:  "bounds",
		Calls:  Range{Low: 1, High: float64(b.Calls)}.times(float64(n)),
		Tokens: Range{Low: min(float64(least.Prompt), high), High: high}.times(float64(n)),
	}
	if price != nil {
		usd := price.Of(most)
		if b.USD > 0 {
			usd = min(usd, b.USD)
		}
		e.USD = new(Range{Low: min(price.Of(least), usd), High: usd}.times(float64(n)))
	}
	return e
}

// Add adds another estimate. What one of them does not know, the sum does not either.
func (e *Estimate) Add(o Estimate) {
	e.Calls, e.Tokens = e.Calls.Add(o.Calls), e.Tokens.Add(o.Tokens)
	e.USD, e.Seconds = addBoth(e.USD, o.USD), addBoth(e.Seconds, o.Seconds)
}

func addBoth(a, b *Range) *Range {
	if a == nil || b == nil {
		return nil
	}
	return new(a.Add(*b))
}
