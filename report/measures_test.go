package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/eval"
	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/report"
	"airqa/runlog"
)

// Runs of companion benchmarks have their measures as columns: each has its mean over the questions that have it. A
// question with repeats counts once. A question whose score is not defined keeps its other measures, a failed one has none.
func TestMeasures(t *testing.T) {
	measured := func(uuid string, repeat int, v qa.Verdict, m map[string]float64) qa.Score {
		return qa.Score{UUID: uuid, Repeat: repeat, Verdict: v, Value: m["F1"], Measures: m, Func: eval.Companion("x")}
	}
	undefined, failed := measured("c", 0, qa.Unscored, map[string]float64{"recall": 0}), measured("d", 0, qa.Unscored, nil)
	undefined.Reason, failed.Reason = "F1"+eval.Undefined, "endpoint_error: HTTP 500"
	w := reporttest.World{Baseline: "rag", Model: "m", Scoring: runlog.Scoring{Mode: "reference", Judge: "none"}, Scores: []qa.Score{
		measured("a", 0, qa.Right, map[string]float64{"F1": 1, "recall": 1}), measured("a", 1, qa.Wrong, map[string]float64{"F1": 0}),
		measured("b", 0, qa.Right, map[string]float64{"F1": 0.2, "recall": 0.4}), undefined, failed,
	}}
	row := reporttest.Collect(t, w, reporttest.Single("a", "b", "c", "d"), report.Options{IncludePartial: true})
	want := []report.Measure{{Name: "F1", Mean: 35, N: 2}, {Name: "recall", Mean: 100 * (1 + 0.4 + 0) / 3, N: 3}}
	if diff := cmp.Diff(want, row.Measures); diff != "" {
		t.Errorf("measures (-want +got)\n%s", diff)
	}
	// Only the failed question may still get a score.
	c := row.Cell(report.Average)
	if b := c.Bounds; c.Score != 35 || c.N != 2 || row.Unscored != 2 || b == nil || math.Abs(b.Low-70./3) > 1e-9 || math.Abs(b.High-170./3) > 1e-9 {
		t.Errorf("average %+v, bounds %+v, %d unscored", c, b, row.Unscored)
	}
	tables, err := report.Build([]report.Row{row}, report.Options{})
	if err != nil || len(tables) != 1 || tables[0].Name != "measures" {
		t.Fatalf("%v, %v", tables, err)
	}
	var heads, values []string
	for i, h := range tables[0].Heads {
		heads, values = append(heads, h.Name), append(values, tables[0].Lines[0].Values[i].Text)
	}
	if got := strings.Join(heads, "|") + " " + strings.Join(values, "|"); got != "AVG|F1|recall 35.00|35.00 (2)|46.67 (3)" {
		t.Error(got)
	}

	// A run of AirQA beside it has no measures, and the usual table has all runs.
	airqa := reporttest.Collect(t, reporttest.World{Baseline: "rag", Model: "n", Scores: []qa.Score{reporttest.Score("a", 0, qa.Right)}}, reporttest.Single("a"), report.Options{})
	tables, err = report.Build([]report.Row{row, airqa}, report.Options{})
	if err != nil || airqa.Measures != nil || tables[0].Name != "4" {
		t.Errorf("%v, %v", tables, err)
	}
	tables, err = report.Build([]report.Row{row, airqa}, report.Options{Table: "measures"})
	if err != nil || tables[0].Lines[1].Values[1].Text != "-" {
		t.Errorf("%v, %v", tables, err)
	}
}
