package estimate_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/run/estimate"
	"airqa/runlog"
)

func TestRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if past, err := estimate.Read(dir); err != nil || len(past.States) > 0 {
		t.Errorf("no run: %+v, %v", past, err)
	}
	if err := runlog.Create(dir, runlog.Config{}, nil); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	step := qa.Step{N: 1, By: qa.ByModel, Reply: &qa.Reply{Usage: qa.Usage{Prompt: 100, Completion: 10}}}
	for uuid, outcome := range map[string]qa.Outcome{"done": qa.Answered, "failed": qa.EndpointError, "begun": ""} {
		e, err := w.Begin(uuid, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		now = now.Add(4 * time.Second)
		if outcome == "" {
			continue
		}
		if err := e.End(qa.Trajectory{Outcome: outcome, Steps: []qa.Step{step, step}}); err != nil {
			t.Fatal(err)
		}
	}
	past, err := estimate.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := estimate.Past{
		States: map[string]estimate.State{"done#1": estimate.Done, "failed#1": estimate.Failed, "begun#1": estimate.Begun},
		Costs:  []estimate.Cost{{Calls: 2, Usage: qa.Usage{Prompt: 200, Completion: 20}, Seconds: 4}},
	}
	if diff := cmp.Diff(want, past); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func span(low, likely, high float64) estimate.Range {
	return estimate.Range{Low: low, Likely: &likely, High: high}
}

func TestFromPast(t *testing.T) {
	var past []estimate.Cost
	for i := range 11 {
		past = append(past, estimate.Cost{Calls: i, Usage: qa.Usage{Prompt: 1000 * i, Completion: 100 * i}, Seconds: float64(i)})
	}
	if e := estimate.FromPast("run", past[:2], 4, nil); e != nil {
		t.Errorf("two episodes are enough: %+v", e)
	}
	usd, seconds := span(8, 40, 72), span(8, 22, 36)
	want := &estimate.Estimate{Basis: "run", Past: 11, Calls: span(4, 20, 36), Tokens: span(4400, 22000, 39600), USD: &usd, Seconds: &seconds}
	// 1000 prompt tokens cost 1, 100 reply tokens cost 1. An episode without a time is ignored.
	got := estimate.FromPast("run", past, 4, &qa.Price{Prompt: 1000, Completion: 10_000, Cached: 1000})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// One outlier lifts the mean above nine in ten.
	odd := append(make([]estimate.Cost, 20), estimate.Cost{Calls: 210})
	if e := estimate.FromPast("run", odd, 1, nil); *e.Calls.Likely != 10 || e.Calls.High != 10 || e.USD != nil || e.Seconds != nil {
		t.Errorf("%+v", e)
	}
}

func TestFromBounds(t *testing.T) {
	first := estimate.Sizes{Min: 50, Max: 100}
	tests := []struct {
		name   string
		bounds estimate.Bounds
		tokens estimate.Range
		usd    estimate.Range
	}{
		{"one call", estimate.Bounds{Calls: 1, Reply: 10}, estimate.Range{Low: 100, High: 220}, estimate.Range{Low: 100, High: 220}},
		// 100, 115, 130, 130 tokens of prompts and 10 of each reply.
		{"a window of two", estimate.Bounds{Calls: 4, Window: 2, Reply: 10, Observation: 5}, estimate.Range{Low: 100, High: 2 * 515}, estimate.Range{Low: 100, High: 2 * 515}},
		{"budgets", estimate.Bounds{Calls: 4, Window: 2, Reply: 10, Observation: 5, Tokens: 300, USD: 200}, estimate.Range{Low: 100, High: 600}, estimate.Range{Low: 100, High: 400}},
		{"less than one prompt", estimate.Bounds{Calls: 4, Tokens: 20, USD: 30}, estimate.Range{Low: 40, High: 40}, estimate.Range{Low: 60, High: 60}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := estimate.FromBounds(tt.bounds, first, 2, &qa.Price{Prompt: 1e6, Completion: 1e6})
			if diff := cmp.Diff(tt.tokens, e.Tokens); diff != "" {
				t.Errorf("tokens (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.usd, *e.USD); diff != "" {
				t.Errorf("USD (-want +got):\n%s", diff)
			}
		})
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

func TestMeasure(t *testing.T) {
	if estimate.Measure(nil) != nil {
		t.Error("nothing has a size")
	}
	if diff := cmp.Diff(&estimate.Sizes{Min: 1, Median: 3, Max: 9, Of: 4}, estimate.Measure([]int{9, 3, 1, 4})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
