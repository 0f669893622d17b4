package scoring_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"airqa/internal/stats"
	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/report"
	"airqa/run/scoring"
)

// brute is the range of the score over all that the missing verdicts could be.
func brute(scores []qa.Score) stats.Interval {
	sum, n, open := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, s := range scores {
		n[s.UUID]++
		sum[s.UUID] += s.Value
		if s.Verdict == qa.Unscored {
			open[s.UUID]++
		}
	}
	var i stats.Interval
	for uuid := range n {
		i.Low += 100 * sum[uuid] / n[uuid] / float64(len(n))
		i.High += 100 * (sum[uuid] + open[uuid]) / n[uuid] / float64(len(n))
	}
	return i
}

// airqa score and airqa report print the same score of the same scores, and none that the verdicts rule out.
func TestScoreIsReported(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ruledOut := 0
	for round := range 150 {
		var w reporttest.World
		var uuids []string
		for q := range 1 + random.IntN(8) {
			uuid := fmt.Sprintf("q%d", q)
			uuids = append(uuids, uuid)
			for repeat := range 1 + round%4 {
				v := []qa.Verdict{qa.Wrong, qa.Wrong, qa.Right, qa.Right, qa.Unparseable, qa.Unscored}[random.IntN(6)]
				if v == qa.Right && random.IntN(2) == 0 {
					v = qa.Unscored // failures follow right answers
				}
				w.Scores = append(w.Scores, reporttest.Score(uuid, repeat, v))
			}
		}
		row := reporttest.Collect(t, w, reporttest.Single(uuids...), report.Options{})
		total := scoring.Count(w.Scores, "reference", "none")
		var cell struct {
			Score  *float64
			Bounds *stats.Interval
		}
		raw, err := json.Marshal(row.Cell(report.Average))
		if err != nil || json.Unmarshal(raw, &cell) != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if (cell.Score == nil) != (total.Score == nil) || total.PartlyScored != row.Partial {
			t.Fatalf("round %d: report %+v, %d partly scored; score %+v", round, cell, row.Partial, total)
		}
		between := brute(w.Scores)
		inside := func(v float64) bool { return v >= between.Low-1e-9 && v <= between.High+1e-9 }
		if s := total.Score; s != nil && (math.Abs(*cell.Score-100**s) > 1e-9 || !inside(*cell.Score)) {
			t.Errorf("round %d: report %g, score %g, bounds %v", round, *cell.Score, *s, between)
		}
		if mean := row.Repeats.Mean; mean != nil && !inside(*mean) {
			t.Errorf("round %d: mean of the repeats %v, bounds %v", round, *mean, between)
		}
		if (cell.Bounds == nil) != (total.Bounds == nil) {
			t.Errorf("round %d: report %v, score %v", round, cell.Bounds, total.Bounds)
		}
		if b := cell.Bounds; b != nil {
			if math.Abs(b.Low-between.Low) > 1e-9 || math.Abs(b.High-between.High) > 1e-9 || math.Abs(100*total.Bounds.High-b.High) > 1e-9 {
				t.Errorf("round %d: report %v, score %v, want %v", round, b, total.Bounds, between)
			}
			if cell.Score == nil {
				ruledOut++
				want := fmt.Sprintf("score between %.2f%% and %.2f%%, %d scored, %d partly scored", b.Low, b.High, row.Scored, row.Partial)
				if text := total.Text(); !strings.Contains(text, want) {
					t.Errorf("round %d: want %q in %q", round, want, text)
				}
			}
		}
	}
	if ruledOut == 0 {
		t.Error("no round has a mean that the verdicts rule out")
	}
}
