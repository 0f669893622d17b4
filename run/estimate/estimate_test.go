package estimate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/run/estimate"
)

func span(low, likely, high float64) estimate.Range {
	return estimate.Range{Low: low, Likely: &likely, High: high}
}

func TestFromPast(t *testing.T) {
	var past []estimate.Cost
	for i := range 11 {
		past = append(past, estimate.Cost{Calls: i, Usage: qa.Usage{Prompt: 1000 * i, Completion: 100 * i}})
	}
	usd := span(8, 40, 72)
	want := &estimate.Estimate{Basis: "run", Past: 11, Calls: span(4, 20, 36), Tokens: span(4400, 22000, 39600), USD: &usd}
	// 1000 prompt tokens cost 1, 100 reply tokens cost 1.
	price := &qa.Price{Prompt: 1000, Completion: 10_000, Cached: 1000}
	if diff := cmp.Diff(want, estimate.FromPast("run", past, estimate.Exactly(4), price)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// One outlier lifts the mean above nine in ten.
	odd := append(make([]estimate.Cost, 20), estimate.Cost{Calls: 210})
	if e := estimate.FromPast("run", odd, estimate.Exactly(1), nil); *e.Calls.Likely != 10 || e.Calls.High != 10 || e.USD != nil {
		t.Errorf("%+v", e)
	}
	// The number of units may be a range, too.
	if got := estimate.FromPast("run", past, estimate.Range{Low: 1, High: 10}, nil).Calls; got.Low != 1 || got.Likely != nil || got.High != 90 {
		t.Errorf("%+v", got)
	}
}

func TestFromBounds(t *testing.T) {
	least := estimate.Cost{Calls: 1, Usage: qa.Usage{Prompt: 50}}
	most := estimate.Cost{Calls: 4, Usage: qa.Usage{Prompt: 400, Completion: 40}}
	e := estimate.FromBounds(least, most, estimate.Exactly(2), &qa.Price{Prompt: 1e6, Completion: 1e6})
	usd := estimate.Range{Low: 100, High: 880}
	want := &estimate.Estimate{Basis: "bounds", Calls: estimate.Range{Low: 2, High: 8}, Tokens: usd, USD: &usd}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAdd(t *testing.T) {
	known, bound := span(1, 2, 3), estimate.Range{Low: 1, High: 9}
	e := estimate.Estimate{Calls: known, Tokens: known, USD: &known}
	e.Add(estimate.Estimate{Calls: known, Tokens: bound})
	want := estimate.Estimate{Calls: span(2, 4, 6), Tokens: estimate.Range{Low: 2, High: 12}}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
