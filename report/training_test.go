package report_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/report"
	"airqa/runlog"
)

// Runs of a model are pooled by question; other baselines, models and scorings stay apart.
func TestTrained(t *testing.T) {
	o := report.Options{Intervals: report.WilsonIntervals, TrainingSizes: map[string]int{"openai:m": 2000, "openai:base": 0, "openai:large": 10000}}
	examples := reporttest.Single("a", "b", "c")
	row := func(o report.Options, baseline, model, mode string, verdicts map[string]qa.Verdict) report.Row {
		w := reporttest.World{Baseline: baseline, Model: model, Scoring: runlog.Scoring{Mode: mode, Judge: "offline"}}
		for _, ex := range examples {
			if v := verdicts[ex.UUID]; v != "" {
				w.Scores, w.Episodes = append(w.Scores, reporttest.Score(ex.UUID, 0, v)), append(w.Episodes, reporttest.Answer(ex.UUID, 0, 1))
			}
		}
		return reporttest.Collect(t, w, examples, o)
	}
	all := func(a, b, c qa.Verdict) map[string]qa.Verdict { return map[string]qa.Verdict{"a": a, "b": b, "c": c} }
	tests := []struct {
		name string
		o    func(*report.Options)
		rows func(report.Options) []report.Row
		want []string // trajectories, model and baseline, episodes, AVG, questions counted and all, times asked
	}{
		{"repeated runs", nil, func(o report.Options) []report.Row {
			return []report.Row{
				row(o, "rag", "m", "fixed", all(qa.Right, qa.Right, qa.Wrong)), row(o, "rag", "m", "fixed", all(qa.Right, qa.Wrong, qa.Wrong)),
				row(o, "rag", "m", "fixed", all(qa.Right, qa.Wrong, qa.Wrong)),
			}
		}, []string{"2000 openai:m rag: 9 episodes, 44.44 of 3/3, 3 times"}},
		{"parts of the questions", nil, func(o report.Options) []report.Row {
			return []report.Row{row(o, "rag", "m", "fixed", all(qa.Right, "", "")), row(o, "rag", "m", "fixed", all("", qa.Wrong, ""))}
		}, []string{"2000 openai:m rag: 2 episodes, 50.00 of 2/3, 2 times"}},
		{"a verdict is missing in one run", nil, func(o report.Options) []report.Row {
			return []report.Row{row(o, "rag", "m", "fixed", all(qa.Right, qa.Unscored, qa.Wrong)), row(o, "rag", "m", "fixed", all(qa.Right, qa.Right, qa.Wrong))}
		}, []string{"2000 openai:m rag: 6 episodes, 50.00 of 2/3, 2 times"}},
		{"and counts", func(o *report.Options) { o.IncludePartial = true }, func(o report.Options) []report.Row {
			return []report.Row{row(o, "rag", "m", "fixed", all(qa.Right, qa.Unscored, qa.Wrong)), row(o, "rag", "m", "fixed", all(qa.Right, qa.Right, qa.Wrong))}
		}, []string{"2000 openai:m rag: 6 episodes, 66.67 of 3/3, 2 times"}},
		{"by amount", nil, func(o report.Options) []report.Row {
			one := all(qa.Right, qa.Wrong, qa.Wrong)
			return []report.Row{
				row(o, "rag", "large", "fixed", one), row(o, "rag", "unknown", "fixed", one), row(o, "rag", "m", "fixed", one), row(o, "agentic-rag", "m", "fixed", one),
				row(o, "rag", "m", "reference", one), row(o, "rag", "base", "fixed", one),
			}
		}, []string{
			"0 openai:base rag: 3 episodes, 33.33 of 3/3, 1 times", "2000 openai:m rag: 3 episodes, 33.33 of 3/3, 1 times",
			"2000 openai:m agentic-rag: 3 episodes, 33.33 of 3/3, 1 times", "2000 openai:m rag: 3 episodes, 33.33 of 3/3, 1 times",
			"10000 openai:large rag: 3 episodes, 33.33 of 3/3, 1 times",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := o
			if tt.o != nil {
				tt.o(&o)
			}
			rows := tt.rows(o)
			for range 2 { // the rows are not changed
				var got []string
				for _, r := range report.Trained(rows, o) {
					avg := r.Cell(report.Average)
					if avg.Interval == nil {
						t.Errorf("%s has no interval", r.Model)
					}
					got = append(got, fmt.Sprintf("%d %s %s: %d episodes, %.2f of %d/%d, %d times", o.TrainingSizes[r.Model], r.Model, r.Baseline,
						r.Effort.Episodes, avg.Score, avg.N, r.Questions, r.Repeats.K))
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}
