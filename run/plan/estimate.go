package plan

import (
	"math"
	"slices"

	"airqa/internal/terminal"
	"airqa/qa"
)

// Range is an expected value with its likely bounds. With bounds alone, Likely is nil.
type Range struct {
	Low    float64  `json:"low"`
	Likely *float64 `json:"likely"`
	High   float64  `json:"high"`
}

// Exactly is the range of a known number.
func Exactly(n int) Range { return Range{float64(n), new(float64(n)), float64(n)} }

// combine applies an operation to both bounds, and to the expected values if both ranges have one.
func (r Range) combine(o Range, op func(a, b float64) float64) Range {
	result := Range{Low: op(r.Low, o.Low), High: op(r.High, o.High)}
	if r.Likely != nil && o.Likely != nil {
		result.Likely = new(op(*r.Likely, *o.Likely))
	}
	return result
}

func (r Range) times(o Range) Range {
	return r.combine(o, func(a, b float64) float64 { return a * b })
}

// Plus adds two ranges.
func (r Range) Plus(o Range) Range {
	return r.combine(o, func(a, b float64) float64 { return a + b })
}

// atMost limits both bounds.
func (r Range) atMost(limit float64) Range {
	r.Low, r.High = min(r.Low, limit), min(r.High, limit)
	return r
}

// Text is "120 (90 to 150)", or "90 to 150" without an expected value.
func (r Range) Text(show func(float64) string) string {
	low, high := show(r.Low), show(r.High)
	switch {
	case low == high:
		return low
	case r.Likely == nil:
		return low + " to " + high
	}
	return show(*r.Likely) + " (" + low + " to " + high + ")"
}

// Cost is the effort of one unit.
type Cost struct {
	Calls int
	Usage qa.Usage
}

// Estimate is the total effort of some units.
type Estimate struct {
	// Basis is the source of the estimate: the name of a run, or "bounds".
	Basis string `json:"basis"`
	// Past is the number of finished units behind it; 0 for bounds.
	Past   int   `json:"past"`
	Calls  Range `json:"calls"`
	Tokens Range `json:"tokens"`
	// USD is nil if the price is unknown.
	USD *Range `json:"usd"`
}

// FewestPast is the minimum number of finished units for an estimate.
const FewestPast = 3

// EstimateFromPast estimates n units from at least [FewestPast] finished ones: n times their mean, 10th and 90th percentile.
func EstimateFromPast(basis string, past []Cost, n Range, price *qa.Price) *Estimate {
	e := &Estimate{Basis: basis, Past: len(past)}
	e.fill(n, price, func(of func(Cost) float64) Range {
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
	})
	return e
}

// EstimateFromBounds estimates n units from the least and the most that one can take.
func EstimateFromBounds(least, most Cost, n Range, price *qa.Price) *Estimate {
	e := &Estimate{Basis: "bounds"}
	e.fill(n, price, func(of func(Cost) float64) Range { return Range{Low: of(least), High: of(most)} })
	return e
}

// fill computes calls, tokens and cost from the range of one unit.
func (e *Estimate) fill(n Range, price *qa.Price, one func(of func(Cost) float64) Range) {
	e.Calls = one(func(c Cost) float64 { return float64(c.Calls) }).times(n)
	e.Tokens = one(func(c Cost) float64 { return float64(c.Usage.Prompt + c.Usage.Completion) }).times(n)
	if price != nil {
		e.USD = new(one(func(c Cost) float64 { return price.Of(c.Usage) }).times(n))
	}
}

// Add adds another estimate. What one of them does not know, the sum does not either.
func (e *Estimate) Add(o Estimate) {
	e.Calls, e.Tokens = e.Calls.Plus(o.Calls), e.Tokens.Plus(o.Tokens)
	if o.USD == nil {
		e.USD = nil
	}
	if e.USD != nil {
		e.USD = new(e.USD.Plus(*o.USD))
	}
}

// Text lists the numbers of an estimate.
func (e Estimate) Text() string {
	usd := "cost unknown"
	if e.USD != nil {
		usd = e.USD.Text(terminal.USD)
	}
	return e.Calls.Text(terminal.Compact) + " calls, " + e.Tokens.Text(terminal.Compact) + " tokens, " + usd
}
