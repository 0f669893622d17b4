package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/report"
)

// notesOf returns all lines under a table of a row.
func notesOf(t *testing.T, row report.Row, o report.Options) string {
	t.Helper()
	tables, err := report.Build([]report.Row{row}, o)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(append(tables[0].Notes, report.Notes([]report.Row{row})...), "\n")
}

// Answers that lost their verdict, here right ones, must not lower the score: a question is excluded with all of its
// repeats or counted with all of them.
func TestPartlyScored(t *testing.T) {
	var uuids []string
	var w reporttest.World
	for i := range 40 {
		uuids = append(uuids, fmt.Sprintf("q%02d", i))
		for repeat := range 3 {
			v := qa.Wrong
			if (i+repeat)%2 == 0 {
				v = qa.Right
			}
			if i < 8 && v == qa.Right {
				v = qa.Unscored
			}
			w.Scores = append(w.Scores, reporttest.Score(uuids[i], repeat, v))
		}
	}
	examples := reporttest.Single(uuids...)
	row := reporttest.Collect(t, w, examples, report.Options{})
	if row.Scored != 32 || row.Partial != 8 || row.UnscoredAnswers != 12 || row.Answers != 120 {
		t.Errorf("scored %d, partly %d; %d of %d answers unscored", row.Scored, row.Partial, row.UnscoredAnswers, row.Answers)
	}
	if c := row.Cell(report.Average); c.N != 32 || math.Abs(c.Score-50) > 1e-9 || c.Unscored != 8 {
		t.Errorf("AVG = %+v, want 50 of 32", c)
	}
	for i, each := range row.Repeats.Each {
		if *each != 50 {
			t.Errorf("repeat %d = %v, want 50", i, *each)
		}
	}
	if p := row.Repeats.Passes[0]; p.N != 32 || p.At != 50 {
		t.Errorf("pass@1 = %+v", p)
	}
	if f := row.Functions[0]; f.Accuracy.N != 32 || f.Unscored != 12 {
		t.Errorf("function %+v", f)
	}
	notes := notesOf(t, row, report.Options{})
	for _, want := range []string{"32 of 40 questions counted", "8 excluded as only partly scored", "12 of 120 answers have no verdict"} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q is not in the notes:\n%s", want, notes)
		}
	}
	biased := reporttest.Collect(t, w, examples, report.Options{IncludePartial: true})
	if c := biased.Cell(report.Average); c.N != 40 || math.Abs(c.Score-40) > 1e-9 {
		t.Errorf("AVG of all = %+v, want 40 of 40", c)
	}
}

// An endpoint failure in one repeat is not a verdict either.
func TestFailedRepeat(t *testing.T) {
	w := reporttest.World{
		Episodes: []reporttest.Episode{reporttest.Answer("a", 0, 1), {UUID: "a", Repeat: 1, Outcome: qa.EndpointError}, reporttest.Answer("b", 0, 1)},
		Scores:   []qa.Score{reporttest.Score("a", 0, qa.Right), reporttest.Score("a", 1, qa.Unscored), reporttest.Score("b", 0, qa.Wrong)},
	}
	// The second repeat of b has not run yet, so b still counts.
	row := reporttest.Collect(t, w, reporttest.Single("a", "b"), report.Options{})
	if c := row.Cell(report.Average); c.N != 1 || c.Score != 0 || row.Partial != 1 {
		t.Errorf("AVG = %+v, partly scored %d", c, row.Partial)
	}
}

// While a judge is down, only answers that need none remain, and they are wrong.
func TestJudgeOutage(t *testing.T) {
	var w reporttest.World
	examples := reporttest.Single("o0", "o1", "o2", "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7")
	for i := range examples {
		uuid := examples[i].UUID
		told, v := reporttest.Answer(uuid, 0, 1), qa.Right
		if uuid[0] == 's' {
			examples[i].Tags = []string{"single", "formula", "subjective"}
			examples[i].Evaluator = qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: []byte(`{"reference_answer": "x", "question": "y"}`)}
			v = qa.Unscored
			if i < 6 {
				told.Outcome, v = qa.TurnLimit, qa.Wrong
			}
		}
		w.Episodes, w.Scores = append(w.Episodes, told), append(w.Scores, reporttest.Score(uuid, 0, v))
	}
	row := reporttest.Collect(t, w, examples, report.Options{Intervals: report.WilsonIntervals})
	subjective := row.Cell("subj.")
	if subjective.N != 3 || subjective.Unjudged != 5 || subjective.Shown() || subjective.Bounds.Low != 0 || subjective.Bounds.High != 62.5 {
		t.Errorf("subj. = %+v, bounds %+v", subjective, subjective.Bounds)
	}
	if avg := row.Cell(report.Average); avg.Unjudged != 5 || !avg.Shown() || !avg.Incomplete() {
		t.Errorf("AVG = %+v", avg)
	}
	if objective := row.Cell("obj."); objective.Incomplete() || objective.Score != 100 {
		t.Errorf("obj. = %+v", objective)
	}
	o := report.Options{Intervals: report.WilsonIntervals}
	if notes := notesOf(t, row, o); !strings.Contains(notes, "incomplete and biased") || !strings.Contains(notes, "subj. 5 (0.00 to 62.50)") {
		t.Errorf("notes:\n%s", notes)
	}
	tables, err := report.Build([]report.Row{row}, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range tables[0].Heads {
		v := tables[0].Lines[0].Values[i]
		switch h.Name {
		case "subj.":
			if v.Marked() != "-†" || v.Span() != "" {
				t.Errorf("subj. is printed as %q, %q", v.Marked(), v.Span())
			}
		case "obj.":
			if v.Marked() != "100.00" {
				t.Errorf("obj. is printed as %q", v.Marked())
			}
		}
	}
}

// A judge that fails on right answers must not make the report print a score that no verdict could bring about.
func TestScoreRuledOut(t *testing.T) {
	var w reporttest.World
	var uuids []string
	for i := range 40 {
		uuids = append(uuids, fmt.Sprintf("q%02d", i))
		for repeat := range 3 {
			v := qa.Wrong
			switch {
			case i < 7 && (repeat == 0 || repeat == 1 && i < 2): // nine failures, in questions that are right otherwise
				v = qa.Unscored
			case i < 7 || i == 7 && repeat < 2 || i == 8 && repeat < 2: // 12 + 4
				v = qa.Right
			}
			w.Scores = append(w.Scores, reporttest.Score(uuids[i], repeat, v))
		}
	}
	examples := reporttest.Single(uuids...)
	for i := range examples {
		examples[i].Evaluator = qa.Evaluator{Func: "eval_reference_answer_with_llm", Kwargs: []byte(`{"reference_answer": "x", "question": "y"}`)}
	}
	o := report.Options{Intervals: report.WilsonIntervals, Table: report.AllTables}
	row := reporttest.Collect(t, w, examples, o)
	c := row.Cell(report.Average)
	if c.Bounds == nil || math.Abs(c.Bounds.Low-40./3) > 1e-9 || math.Abs(c.Bounds.High-125./6) > 1e-9 || c.N != 33 || c.Shown() {
		t.Errorf("AVG = %+v, bounds %+v, want 13.33 to 20.83", c, c.Bounds)
	}
	raw, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(raw), `"score":null`) || strings.Contains(string(raw), `"interval"`) {
		t.Errorf("%s, %v", raw, err)
	}
	if row.Repeats.Mean != nil || row.Repeats.Spread != nil || row.Repeats.Passes[0].N != 0 || row.Within != nil {
		t.Errorf("repeats %+v, within %v", row.Repeats, row.Within)
	}
	tables, err := report.Build([]report.Row{row}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		for _, l := range table.Lines {
			for _, v := range l.Values {
				if strings.HasPrefix(v.Text, "4.0") || v.Cell != nil && v.Cell.N == 33 && (v.Text != "-" || v.Marked() != "13.33–20.83†") {
					t.Errorf("table %s prints %q, %q", table.Name, v.Text, v.Marked())
				}
			}
		}
	}
	if notes := notesOf(t, row, report.Options{}); !strings.Contains(notes, "AVG 7 (13.33 to 20.83)") || !strings.Contains(notes, "A range: ") {
		t.Errorf("notes:\n%s", notes)
	}
	// The mean of the scored repeats is always possible.
	all := reporttest.Collect(t, w, examples, report.Options{IncludePartial: true}).Cell(report.Average)
	if !all.Shown() || math.Abs(all.Score-100*(7+4./3)/40) > 1e-9 || all.Bounds == nil || *all.Bounds != *c.Bounds {
		t.Errorf("with all: %+v, bounds %v", all, all.Bounds)
	}
}
