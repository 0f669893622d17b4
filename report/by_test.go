package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/report"
)

func TestBy(t *testing.T) {
	examples := reporttest.Single("a", "b", "c", "d")
	examples[0].Conference, examples[1].Conference = []string{"acl2023", "iclr2024"}, []string{"acl2023"}
	examples[0].AnchorPDF, examples[1].AnchorPDF = []string{"p", "q"}, []string{"p"}
	examples[1].Tags = append(examples[1].Tags, "formula")
	examples[2].Annotator = "10"
	examples[3].Annotator = "9"
	examples[0].State = map[string]bool{"gpt-4o": true, "o1": false}
	examples[3].Extra = map[string]json.RawMessage{"difficulty": json.RawMessage(`3`)}
	w := reporttest.World{Baseline: "rag", Model: "m", Scores: []qa.Score{
		reporttest.Score("a", 0, qa.Right), reporttest.Score("b", 0, qa.Wrong), reporttest.Score("c", 0, qa.Right), reporttest.Score("d", 0, qa.Unscored),
	}}
	type part struct {
		Value                  string
		N                      int
		Right, Wrong, Unscored int
	}
	tests := []struct {
		by   string
		want []part
	}{
		{"conference", []part{{"acl2023", 2, 1, 1, 0}, {"iclr2024", 1, 1, 0, 0}, {"(none)", 1, 1, 0, 1}}},
		{"papers", []part{{"0", 1, 1, 0, 1}, {"1", 1, 0, 1, 0}, {"2", 1, 1, 0, 0}}},
		{"annotator", []part{{"9", 0, 0, 0, 1}, {"10", 1, 1, 0, 0}, {"(none)", 2, 1, 1, 0}}},
		{"formula", []part{{"formula", 1, 0, 1, 0}, {"not formula", 2, 2, 0, 1}}},
		{"state", []part{{"gpt-4o", 1, 1, 0, 0}, {"(none)", 2, 1, 1, 1}}},
		{"difficulty", []part{{"3", 0, 0, 0, 1}, {"(none)", 3, 2, 1, 0}}},
	}
	for _, tt := range tests {
		t.Run(tt.by, func(t *testing.T) {
			o := report.Options{By: tt.by}
			row := reporttest.Collect(t, w, examples, o)
			var got []part
			for _, p := range row.By {
				got = append(got, part{p.Value, p.Accuracy.N, p.Right, p.Wrong, p.Unscored})
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tables, err := report.Build([]report.Row{row}, o); err != nil || len(tables[0].Lines) != len(tt.want) {
				t.Errorf("table: %v, %v", tables, err)
			}
		})
	}
	_, err := report.Collect(w.Run(t), examples, report.Options{By: "venue"})
	if err == nil || !strings.Contains(err.Error(), `"venue"`) || !strings.Contains(err.Error(), "annotator, ") || !strings.Contains(err.Error(), "tags: formula, objective, single, text") {
		t.Errorf("unknown field: %v", err)
	}
}

// Answers that are wrong only in format have a count of their own.
func TestFormatOnly(t *testing.T) {
	wrapped, odd := reporttest.Score("b", 0, qa.Wrong), reporttest.Score("c", 0, qa.Unparseable)
	wrapped.FormatOnly, odd.FormatOnly = true, true
	w := reporttest.World{
		Baseline: "rag", Model: "m", Episodes: []reporttest.Episode{reporttest.Answer("b", 0, 1)},
		Scores: []qa.Score{reporttest.Score("a", 0, qa.Right), wrapped, odd, reporttest.Score("d", 0, qa.Wrong)},
	}
	o := report.Options{Table: "functions"}
	row := reporttest.Collect(t, w, reporttest.Single("a", "b", "c", "d"), o)
	if f := row.Functions[0]; f.Right != 1 || f.Wrong != 1 || f.Unparseable != 0 || f.FormatOnly != 2 || f.Accuracy.Score != 25 {
		t.Errorf("function %+v", f)
	}
	for _, outcome := range row.Outcomes {
		if want := map[string]int{"right": 1, "wrong": 1, "format_only": 2}[outcome.Name]; outcome.Episodes != want {
			t.Errorf("%d %s, want %d", outcome.Episodes, outcome.Name, want)
		}
	}
	if notes := notesOf(t, row, o); !strings.Contains(notes, "2 wrong answers would be right without their wrapping") {
		t.Errorf("notes:\n%s", notes)
	}
}

// The best run comes first, whatever its model; equal scores share a rank, and a run without a score has none.
func TestLeaderboard(t *testing.T) {
	run := func(model string, verdicts ...qa.Verdict) report.Row {
		w := reporttest.World{Baseline: "rag", Model: model}
		uuids := []string{"a", "b", "c", "d"}
		for i, v := range verdicts {
			w.Scores = append(w.Scores, reporttest.Score(uuids[i], 0, v))
		}
		return reporttest.Collect(t, w, reporttest.Single(uuids...), report.Options{})
	}
	rows := []report.Row{
		run("half", qa.Right, qa.Wrong), run("none", qa.Unscored), run("best", qa.Right, qa.Right), run("half too", qa.Wrong, qa.Right), run("worst", qa.Wrong, qa.Wrong),
	}
	for _, withPaper := range []bool{false, true} {
		tables, err := report.Build(rows, report.Options{Table: "leaderboard", WithPaper: withPaper})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range tables[0].Lines {
			if !l.Paper {
				got = append(got, l.Values[0].Text+" "+l.Section)
			}
		}
		want := []string{"1 openai:best", "2 openai:half", "2 openai:half too", "4 openai:worst", "- openai:none"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("with paper %v (-want +got):\n%s", withPaper, diff)
		}
		if first := tables[0].Lines[0]; first.Paper || len(tables[0].Lines) != len(want)+map[bool]int{true: 16}[withPaper] {
			t.Errorf("with paper %v: %d lines, %+v first", withPaper, len(tables[0].Lines), first)
		}
	}
}

// The leaderboard shows the effort per example, if there are episodes.
func TestLeaderboardValues(t *testing.T) {
	w := reporttest.World{
		Baseline: "rag", Model: "m", Price: &qa.Price{Prompt: 2, Cached: 1, Completion: 10},
		Episodes: []reporttest.Episode{reporttest.Answer("a", 0, 2), reporttest.Answer("b", 0, 1)},
		Scores:   []qa.Score{reporttest.Score("a", 0, qa.Right), reporttest.Score("b", 0, qa.Right)},
	}
	scoresOnly := w
	scoresOnly.Model, scoresOnly.Episodes, scoresOnly.Scores = "n", nil, w.Scores[:1]
	examples := reporttest.Single("a", "b")
	rows := []report.Row{reporttest.Collect(t, w, examples, report.Options{}), reporttest.Collect(t, scoresOnly, examples, report.Options{})}
	tables, err := report.Build(rows, report.Options{Table: "leaderboard"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"1.50", "1650", "0.0039"}, {"-", "-", "-"}} {
		if diff := cmp.Diff(want, texts(tables[0].Lines[i])[6:]); diff != "" {
			t.Errorf("line %d (-want +got):\n%s", i+1, diff)
		}
	}
}

func TestAnswers(t *testing.T) {
	w := reporttest.World{
		Baseline: "rag", Model: "m", Price: &qa.Price{Prompt: 2, Cached: 1, Completion: 10},
		Episodes: []reporttest.Episode{reporttest.Answer("a", 0, 2), {UUID: "a", Repeat: 1, Outcome: qa.EndpointError}},
		Scores:   []qa.Score{reporttest.Score("a", 0, qa.Right), reporttest.Score("a", 1, qa.Unscored), reporttest.Score("b", 0, qa.Wrong)},
	}
	o := report.Options{Table: "answers"}
	row := reporttest.Collect(t, w, reporttest.Single("a", "b"), o)
	one, zero, cost := 1.0, 0.0, 2*2600/1e6
	tags := []string{"single", "text", "objective"}
	want := []report.Answer{
		{
			UUID: "a", Function: "eval_int_exact_match", Verdict: qa.Right, Score: &one, Outcome: "right", Turns: 2,
			Prompt: 2000, Completion: 200, Working: 4, Waiting: 4, Cost: &cost, Tags: tags,
		},
		{UUID: "a", Repeat: 1, Function: "eval_int_exact_match", Verdict: qa.Unscored, Outcome: "endpoint_error", Cost: &zero, Tags: tags},
		{UUID: "b", Function: "eval_int_exact_match", Verdict: qa.Wrong, Score: &zero, Counted: true, Outcome: "wrong", Tags: tags},
		{UUID: "b", Repeat: 1, Function: "eval_int_exact_match", Outcome: "not_run", Tags: tags},
	}
	if diff := cmp.Diff(want, row.Each); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	tables, err := report.Build([]report.Row{row}, o)
	if err != nil || len(tables[0].Lines) != 4 || len(tables[0].Lines[0].Values) != len(tables[0].Heads) {
		t.Errorf("table: %+v, %v", tables, err)
	}
	if reporttest.Collect(t, w, reporttest.Single("a"), report.Options{}).Each != nil {
		t.Error("answers that no table asks for")
	}
}

// The numbers of the tables of outcomes, evaluation functions and repeats: four questions, two episodes each. A
// question with an unscored episode is in no accuracy.
func TestTallies(t *testing.T) {
	examples := reporttest.Single("a", "b", "c", "d")
	examples[2].Evaluator.Func = "eval_string_exact_match"
	formatOnly := reporttest.Score("b", 1, qa.Wrong)
	formatOnly.FormatOnly = true
	w := reporttest.World{Baseline: "rag", Model: "m", Episodes: []reporttest.Episode{
		reporttest.Answer("a", 0, 1), reporttest.Answer("a", 1, 1), reporttest.Answer("b", 0, 1), reporttest.Answer("b", 1, 1),
		{UUID: "c", Outcome: qa.TurnLimit},
		{UUID: "c", Repeat: 1, Outcome: qa.EndpointError},
		reporttest.Answer("d", 0, 1), reporttest.Answer("d", 1, 1),
	}, Scores: []qa.Score{
		reporttest.Score("a", 0, qa.Right), reporttest.Score("a", 1, qa.Right), reporttest.Score("b", 0, qa.Unparseable), formatOnly,
		reporttest.Score("c", 0, qa.Wrong), reporttest.Score("c", 1, qa.Unscored),
		reporttest.Score("d", 0, qa.Right), reporttest.Score("d", 1, qa.Wrong),
	}}
	row := reporttest.Collect(t, w, examples, report.Options{})
	tests := []struct {
		table string
		heads []string
		lines [][]string
	}{
		{
			"outcomes",
			[]string{"right", "wrong", "unparseable", "format only", "turn limit", "endpoint error"},
			[][]string{{"rag", "3", "1", "1", "1", "1", "1"}},
		},
		{
			"functions",
			[]string{"n", "right", "wrong", "unparseable", "format only", "unscored", "accuracy", "95 %"},
			[][]string{
				{"eval_int_exact_match", "3", "3", "1", "1", "1", "0", "50.00", "-"},
				{"eval_string_exact_match", "0", "0", "1", "0", "0", "1", "-", "-"},
			},
		},
		{"repeats", []string{"k", "mean", "spread", "pass@2", "pass^2"}, [][]string{{"rag", "2", "50.00", "23.57", "66.67", "33.33"}}},
	}
	for _, tt := range tests {
		t.Run(tt.table, func(t *testing.T) {
			tables, err := report.Build([]report.Row{row}, report.Options{Table: tt.table})
			if err != nil {
				t.Fatal(err)
			}
			var heads []string
			for _, h := range tables[0].Heads {
				heads = append(heads, h.Name)
			}
			var lines [][]string
			for _, l := range tables[0].Lines {
				line := []string{l.Label}
				for _, v := range l.Values {
					line = append(line, v.Text)
				}
				lines = append(lines, line)
			}
			if diff := cmp.Diff(tt.heads, heads); diff != "" {
				t.Errorf("heads (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.lines, lines); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

// All non-empty tables: Table 5 of one model would repeat Table 4, and one run needs no leaderboard.
func TestAllTables(t *testing.T) {
	run := func(model string) report.Row {
		return reporttest.Collect(t, reporttest.World{Baseline: "rag", Model: model, Scores: []qa.Score{reporttest.Score("a", 0, qa.Right)}}, reporttest.Single("a"), report.Options{})
	}
	tests := []struct {
		name string
		rows []report.Row
		want string
	}{
		{"one run", []report.Row{run("m")}, "4 7 13 outcomes functions"},
		{"one model", []report.Row{run("m"), run("m")}, "4 7 13 outcomes functions leaderboard"},
		{"two models", []report.Row{run("m"), run("n")}, "4 5 7 13 outcomes functions leaderboard"},
	}
	tests = append(tests, struct {
		name string
		rows []report.Row
		want string
	}{"with the paper's rows", []report.Row{run("m")}, "4 5 6 7 11 12 13 outcomes functions"})
	for _, tt := range tests {
		tables, err := report.Build(tt.rows, report.Options{Table: report.AllTables, WithPaper: strings.HasPrefix(tt.name, "with")})
		var names []string
		for _, b := range tables {
			names = append(names, b.Name)
		}
		if got := strings.Join(names, " "); err != nil || got != tt.want {
			t.Errorf("%s: tables %s (%v), want %s", tt.name, got, err, tt.want)
		}
	}
	for table, want := range map[string]string{"repeats": "each question was asked once", "judges": "a single judge", "by": "--by", "nine": "unknown table"} {
		if _, err := report.Build([]report.Row{run("m")}, report.Options{Table: table}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("table %s: error %v, want %q", table, err, want)
		}
	}
}
