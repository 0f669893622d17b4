package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/run/plan"
)

func span(low, likely, high float64) plan.Range {
	return plan.Range{Low: low, Likely: &likely, High: high}
}

func TestFromPast(t *testing.T) {
	var past []plan.Cost
	for i := range 11 {
		past = append(past, plan.Cost{Calls: i, Usage: qa.Usage{Prompt: 1000 * i, Completion: 100 * i}})
	}
	usd := span(8, 40, 72)
	want := &plan.Estimate{Basis: "run", Past: 11, Calls: span(4, 20, 36), Tokens: span(4400, 22000, 39600), USD: &usd}
	// 1000 prompt tokens cost 1, 100 reply tokens cost 1.
	price := &qa.Price{Prompt: 1000, Completion: 10_000, Cached: 1000}
	if diff := cmp.Diff(want, plan.EstimateFromPast("run", past, plan.Exactly(4), price)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// One outlier lifts the mean above nine in ten.
	odd := append(make([]plan.Cost, 20), plan.Cost{Calls: 210})
	if e := plan.EstimateFromPast("run", odd, plan.Exactly(1), nil); *e.Calls.Likely != 10 || e.Calls.High != 10 || e.USD != nil {
		t.Errorf("%+v", e)
	}
	// The number of units may be a range, too.
	if got := plan.EstimateFromPast("run", past, plan.Range{Low: 1, High: 10}, nil).Calls; got.Low != 1 || got.Likely != nil || got.High != 90 {
		t.Errorf("%+v", got)
	}
}

func TestFromBounds(t *testing.T) {
	least := plan.Cost{Calls: 1, Usage: qa.Usage{Prompt: 50}}
	most := plan.Cost{Calls: 4, Usage: qa.Usage{Prompt: 400, Completion: 40}}
	e := plan.EstimateFromBounds(least, most, plan.Exactly(2), &qa.Price{Prompt: 1e6, Completion: 1e6})
	usd := plan.Range{Low: 100, High: 880}
	want := &plan.Estimate{Basis: "bounds", Calls: plan.Range{Low: 2, High: 8}, Tokens: usd, USD: &usd}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAdd(t *testing.T) {
	known, bound := span(1, 2, 3), plan.Range{Low: 1, High: 9}
	e := plan.Estimate{Calls: known, Tokens: known, USD: &known}
	e.Add(plan.Estimate{Calls: known, Tokens: bound})
	want := plan.Estimate{Calls: span(2, 4, 6), Tokens: plan.Range{Low: 2, High: 12}}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
