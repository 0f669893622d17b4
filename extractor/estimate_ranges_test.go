package extractor_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/extractor/gate"
	"airqa/qa"
)

// outcome is a candidate in a test's ledger.
type outcome struct {
	category candidate.Category
	outcome  candidate.Outcome
	reason   candidate.Reason
	// stages have one call each.
	stages []string
}

// plan writes a ledger and returns a plan for six rows of each category in it.
func plan(t *testing.T, outcomes ...outcome) extractor.EstimatePlan {
	t.Helper()
	p := extractor.EstimatePlan{Dir: t.TempDir(), Gates: gate.All(), Price: &qa.Price{Prompt: 500}}
	l, err := candidate.OpenLedger(p.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	index := make(map[candidate.Category]int)
	for _, o := range outcomes {
		if index[o.category] == 0 {
			p.Quotas = append(p.Quotas, candidate.Quota{Category: o.category, Count: 6, Most: 30})
		}
		id := candidate.ID{Category: o.category, Index: index[o.category]}
		index[o.category]++
		for _, stage := range o.stages {
			line := candidate.Line{Candidate: id.String(), Category: o.category, Stage: stage, Outcome: candidate.Done, Calls: []string{id.String() + stage}, Usage: qa.Usage{Prompt: 1000}}
			if err := l.Add(line); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Add(candidate.Line{Candidate: id.String(), Category: o.category, Stage: candidate.Accept, Outcome: o.outcome, Reason: o.reason}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return p
}

func estimate(t *testing.T, p extractor.EstimatePlan) extractor.Estimate {
	t.Helper()
	e, err := p.Estimate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(e.Stages, e.Total) {
		for _, r := range []extractor.Range{f.Calls, f.Tokens, *f.USD} {
			if r.Low > r.Likely || r.Likely > r.High {
				t.Errorf("%s: %+v is not in order", f.Stage, r)
			}
		}
	}
	return e
}

func repeated(n int, o outcome) (list []outcome) {
	for range n {
		list = append(list, o)
	}
	return list
}

var (
	good = outcome{"single-text", candidate.Accepted, "", []string{candidate.Explore}}
	bad  = outcome{"single-text", candidate.Rejected, candidate.NotSolved, []string{candidate.Explore}}
)

// The estimate has the yield and the costs of the ledger.
func TestMeasured(t *testing.T) {
	e := estimate(t, plan(t, append(repeated(5, bad), repeated(5, good)...)...))
	if !e.Measured || e.Rows != 1 || e.Candidates.Likely < 1.5 || e.Candidates.Likely > 3.5 {
		t.Errorf("one row at a yield of a half: %+v", e)
	}
	if d := e.Total.USD.Likely - 0.5*e.Candidates.Likely; d > 1e-9 || d < -1e-9 || e.Total.Calls.Likely != e.Candidates.Likely {
		t.Errorf("%+v, $%+v", e.Total, e.Total.USD)
	}
	if text := e.Text(0); !strings.Contains(text, "1 row to make") || !strings.Contains(text, "total") {
		t.Errorf("text:\n%s", text)
	}
}

// More candidates in the ledger make the range narrower, a lower yield the estimate higher.
func TestYield(t *testing.T) {
	twenty := func(pairs int) extractor.Range {
		p := plan(t, append(repeated(pairs, good), repeated(pairs, bad)...)...)
		p.Quotas[0].Count, p.Quotas[0].Most = pairs+20, 500
		return estimate(t, p).Candidates
	}
	few, many := twenty(1), twenty(8)
	if few.High/few.Likely <= many.High/many.Likely {
		t.Errorf("twenty rows after two candidates: %+v, after sixteen: %+v", few, many)
	}
	best, worst := estimate(t, plan(t, repeated(4, good)...)).Candidates, estimate(t, plan(t, repeated(4, bad)...)).Candidates
	if best.Likely > 4 || worst.Likely < 12 || worst.High > 26 {
		t.Errorf("four good ones: %+v, four bad ones: %+v", best, worst)
	}
}

// Stages of gates that are switched off, surplus candidates, and failed calls are left out; drafts are not explored again.
func TestLeftOut(t *testing.T) {
	both := []string{candidate.Explore, candidate.GateStage(gate.ClosedBook)}
	p := plan(t, outcome{"single-text", candidate.Accepted, "", both}, outcome{"single-text", candidate.Rejected, candidate.Surplus, both},
		outcome{"single-text", candidate.Failed, candidate.CallFailed, both})
	p.Gates = nil
	e := estimate(t, p)
	var stages []string
	for _, s := range e.Stages {
		stages = append(stages, s.Stage)
	}
	if diff := cmp.Diff([]string{candidate.Explore}, stages); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	drafted := plan(t, append([]outcome{{"single-text", candidate.Accepted, "", both}}, repeated(5, outcome{"single-text", candidate.Pending, candidate.NotTracked, both[:1]})...)...)
	e = estimate(t, drafted)
	if explore := e.Stages[0]; explore.Calls.Likely > e.Candidates.Likely-4 {
		t.Errorf("%v calls of the explorer for %v candidates, of which five are drafts", explore.Calls.Likely, e.Candidates.Likely)
	}
}

// The same ledger gives the same estimate.
func TestSameEstimate(t *testing.T) {
	p := plan(t, append(repeated(2, good), outcome{"single-table", candidate.Accepted, "", []string{candidate.Explore, candidate.Track}}, bad)...)
	if diff := cmp.Diff(estimate(t, p), estimate(t, p)); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}
