package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/report"
)

// texts are the printed values of a table's line.
func texts(l report.Line) []string {
	var list []string
	for _, v := range l.Values {
		list = append(list, v.Text)
	}
	return list
}

// Table 13 rounds as the paper does, and mentions estimates only if the endpoint reported no tokens.
func TestTable13(t *testing.T) {
	w := reporttest.World{
		Baseline: "rag", Model: "m", Price: &qa.Price{Prompt: 2, Cached: 1, Completion: 10},
		Episodes: []reporttest.Episode{reporttest.Answer("a", 0, 2), reporttest.Answer("b", 0, 1)},
		Scores:   []qa.Score{reporttest.Score("a", 0, qa.Right), reporttest.Score("b", 0, qa.Right)},
	}
	tables, err := report.Build([]report.Row{reporttest.Collect(t, w, reporttest.Single("a", "b"), report.Options{})}, report.Options{Table: "13"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1.50", "1500", "150", "6.0", "3.0", "3.0", "0.0039", "2"}
	if diff := cmp.Diff(want, texts(tables[0].Lines[0])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if notes := strings.Join(tables[0].Notes, "\n"); strings.Contains(notes, "estimated by airqa") {
		t.Errorf("notes:\n%s", notes)
	}
}

// Seconds in the table of answers have three decimals.
func TestAnswersAreRounded(t *testing.T) {
	w := reporttest.World{
		Baseline: "rag", Model: "m", Episodes: []reporttest.Episode{reporttest.Answer("a", 0, 2)}, Scores: []qa.Score{reporttest.Score("a", 0, qa.Right)},
	}
	o := report.Options{Table: "answers"}
	tables, err := report.Build([]report.Row{reporttest.Collect(t, w, reporttest.Single("a"), o)}, o)
	if err != nil {
		t.Fatal(err)
	}
	if line := strings.Join(texts(tables[0].Lines[0]), " "); !strings.Contains(line, " 4.000 4.000 ") {
		t.Errorf("line %s", line)
	}
}

// Rows of the paper have a value for each column, including the intervals.
func TestPaperBesideIntervals(t *testing.T) {
	w := reporttest.World{Baseline: "rag", Model: "m", Scores: []qa.Score{reporttest.Score("a", 0, qa.Right), reporttest.Score("b", 0, qa.Wrong)}}
	o := report.Options{Table: "4", WithPaper: true, Intervals: report.WilsonIntervals}
	tables, err := report.Build([]report.Row{reporttest.Collect(t, w, reporttest.Single("a", "b"), o)}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range tables[0].Lines {
		if len(l.Values) != len(tables[0].Heads) {
			t.Errorf("%d values for %d columns: %v", len(l.Values), len(tables[0].Heads), texts(l))
		}
	}
}

// Tables of scores have the columns of the paper's table; Table 10 has the runs of its baselines only.
func TestScoreTables(t *testing.T) {
	var rows []report.Row
	for _, baseline := range []string{"rag", "agentic-hybrid", "agentic-hybrid-view"} {
		w := reporttest.World{Baseline: baseline, Model: "m", Scores: []qa.Score{reporttest.Score("a", 0, qa.Right)}}
		rows = append(rows, reporttest.Collect(t, w, reporttest.Single("a"), report.Options{}))
	}
	const types, all = "sgl. multi. retr. comp. AVG", "sgl. multi. retr. comp. text table image form. meta. obj. subj. AVG"
	for table, want := range map[string]struct {
		heads       string
		runs, paper int
	}{
		"6": {all, 3, 7}, "10": {"text table image form. meta. AVG", 2, 4}, "11": {types, 3, 3}, "12": {all, 3, 1},
	} {
		tables, err := report.Build(rows, report.Options{Table: table, WithPaper: true})
		if err != nil {
			t.Fatal(err)
		}
		var heads []string
		for _, h := range tables[0].Heads {
			heads = append(heads, h.Name)
		}
		runs, paper := 0, 0
		for _, l := range tables[0].Lines {
			if l.Paper {
				paper++
			} else {
				runs++
			}
			if strings.Contains(strings.Join(texts(l), " "), " - ") && l.Paper {
				t.Errorf("table %s: the paper's line %s, %s lacks a value: %v", table, l.Label, l.Section, texts(l))
			}
		}
		if got := strings.Join(heads, " "); got != want.heads || runs != want.runs || paper != want.paper {
			t.Errorf("table %s: %s, %d runs and %d lines of the paper", table, got, runs, paper)
		}
		if notes := strings.Join(tables[0].Notes, " "); strings.Contains(notes, "obj.") != strings.Contains(want.heads, "obj.") {
			t.Errorf("table %s: the notes are about other columns: %s", table, notes)
		}
	}
	if _, err := report.Build(rows[:1], report.Options{Table: "10"}); err == nil || !strings.Contains(err.Error(), "no run is of agentic-hybrid") {
		t.Errorf("Table 10 of rag: %v", err)
	}
}

// Scores have a column of intervals only if these were asked for.
func TestIntervalColumn(t *testing.T) {
	w := reporttest.World{Baseline: "rag", Model: "m", Scores: []qa.Score{reporttest.Score("a", 0, qa.Right), reporttest.Score("b", 0, qa.Wrong)}}
	for intervals, want := range map[string]string{"": "50.00", report.WilsonIntervals: "9.5–90.5"} {
		o := report.Options{Table: "4", Intervals: intervals}
		tables, err := report.Build([]report.Row{reporttest.Collect(t, w, reporttest.Single("a", "b"), o)}, o)
		if err != nil {
			t.Fatal(err)
		}
		line := texts(tables[0].Lines[0])
		if last := line[len(line)-1]; last != want {
			t.Errorf("intervals %q: the last value is %s, want %s", intervals, last, want)
		}
	}
}

// A question without an evaluator cannot be scored; one asked once has no pass@k.
func TestNoEvaluator(t *testing.T) {
	examples := reporttest.Single("a", "b")
	examples[1].Evaluator = qa.Evaluator{}
	w := reporttest.World{Baseline: "rag", Model: "m", Scores: []qa.Score{reporttest.Score("a", 0, qa.Right)}}
	row := reporttest.Collect(t, w, examples, report.Options{})
	if row.NoEvaluator != 1 || row.Repeats.Passes != nil {
		t.Errorf("%d questions without an evaluator, pass@k %v", row.NoEvaluator, row.Repeats.Passes)
	}
}

func TestOnePartlyScored(t *testing.T) {
	w := reporttest.World{Baseline: "rag", Model: "m", Scores: []qa.Score{
		reporttest.Score("a", 0, qa.Right), reporttest.Score("a", 1, qa.Unscored), reporttest.Score("b", 0, qa.Right), reporttest.Score("b", 1, qa.Right),
	}}
	notes := notesOf(t, reporttest.Collect(t, w, reporttest.Single("a", "b"), report.Options{}), report.Options{})
	if !strings.Contains(notes, "1 excluded as only partly scored") {
		t.Errorf("notes:\n%s", notes)
	}
}
