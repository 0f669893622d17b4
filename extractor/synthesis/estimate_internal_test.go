package synthesis

import (
	"fmt"
	"testing"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/models"
)

// A forecast is the missing rows divided by the yield, times the cost of a candidate. Surplus candidates and failed calls do
// not count.
func TestForecastFromLedger(t *testing.T) {
	inv := &invocation{Config: Config{Common: Common{Dir: t.TempDir()}}, pipeline: extractor.Config{Model: models.Model{Price: &qa.Price{Prompt: 500}}}}
	l, err := candidate.OpenLedger(inv.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	add := func(i int, o candidate.Outcome, reason candidate.Reason) {
		id := candidate.ID{Category: "single-text", Index: i}
		call := candidate.Line{
			Candidate: id.String(), Category: id.Category, Stage: candidate.Explore, Outcome: candidate.Done,
			Calls: []string{fmt.Sprint("a", i), fmt.Sprint("b", i)}, Usage: qa.Usage{Prompt: 2000},
		}
		last := candidate.Line{Candidate: id.String(), Category: id.Category, Stage: candidate.Accept, Outcome: o, Reason: reason}
		if err := l.Add(call); err != nil {
			t.Fatal(err)
		}
		if err := l.Add(last); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 {
		add(i, candidate.Accepted, "")
		add(2+i, candidate.Rejected, candidate.NotSolved)
	}
	add(4, candidate.Rejected, candidate.Surplus)
	add(5, candidate.Failed, candidate.CallFailed)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := readMeasured(inv.Dir, false)
	if err != nil {
		t.Fatal(err)
	}
	f, err := inv.forecast(t.Context(), candidate.Quota{Category: "single-text", Count: 6, Most: 30}, m)
	if err != nil || f.Rows != 4 || f.Candidates.Low != 4 || *f.Candidates.Likely != 8 || f.Candidates.High != 26 {
		t.Errorf("%+v, %v", f, err)
	}
	if f.Total.Past != 4 || *f.Total.Calls.Likely != 16 || f.Total.Tokens.High != 52_000 || *f.Total.USD.Likely != 8 {
		t.Errorf("total %+v", f.Total)
	}
	if f, err = inv.forecast(t.Context(), candidate.Quota{Category: "single-text", Count: 2, Most: 30}, m); err != nil || f.Total.Calls.High != 0 {
		t.Errorf("nothing is missing: %+v, %v", f, err)
	}
}

// A tracker of its own is estimated and charged at its own price.
func TestTrackerPrice(t *testing.T) {
	inv := &invocation{
		Config: Config{Common: Common{Dir: t.TempDir()}, Questions: Questions{TrackerModel: "test:small"}},
		pipeline: extractor.Config{
			Model:   models.Model{Described: map[string]any{"provider": "test", "model": "large"}, Price: &qa.Price{Prompt: 500}},
			Tracker: models.Model{Described: map[string]any{"provider": "test", "model": "small"}, Price: &qa.Price{Prompt: 20}},
		},
	}
	l, err := candidate.OpenLedger(inv.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		id := candidate.ID{Category: "single-text", Index: i}
		for _, line := range []candidate.Line{
			{Stage: candidate.Explore, Outcome: candidate.Done, Calls: []string{fmt.Sprint("a", i)}, Usage: qa.Usage{Prompt: 2000}},
			{Stage: candidate.Track, Outcome: candidate.Done, Calls: []string{fmt.Sprint("b", i)}, Usage: qa.Usage{Prompt: 5000}},
			{Stage: candidate.Accept, Outcome: candidate.Accepted},
		} {
			line.Candidate, line.Category = id.String(), id.Category
			if err := l.Add(line); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := readMeasured(inv.Dir, true)
	if err != nil {
		t.Fatal(err)
	}
	f, err := inv.forecast(t.Context(), candidate.Quota{Category: "single-text", Count: 5, Most: 25}, m)
	if err != nil || *f.Total.Calls.Likely != 4 || *f.Total.USD.Likely < 2.199 || *f.Total.USD.Likely > 2.201 {
		t.Errorf("%+v, %v", f, err)
	}
	spent := inv.spent([]cache.Held{{Model: inv.pipeline.Model.Name(), Prompt: 1_000_000}, {Model: inv.pipeline.Tracker.Name(), Prompt: 1_000_000}})
	if spent.USD != 520 || spent.Usage.Prompt != 2_000_000 || inv.pipeline.Model.Name() == inv.pipeline.Tracker.Name() {
		t.Errorf("%+v", spent)
	}
}
