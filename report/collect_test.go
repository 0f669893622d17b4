package report_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/report"
)

// A question's value is the mean over its repeats, n counts questions.
func TestRepeats(t *testing.T) {
	w := reporttest.World{Baseline: "rag", Model: "m", Scores: []qa.Score{
		reporttest.Score("a", 0, qa.Right), reporttest.Score("a", 1, qa.Right),
		reporttest.Score("b", 0, qa.Right), reporttest.Score("b", 1, qa.Wrong),
		reporttest.Score("c", 0, qa.Wrong), reporttest.Score("c", 1, qa.Unscored),
		reporttest.Score("d", 0, qa.Unscored), reporttest.Score("d", 1, qa.Unscored),
	}}
	row := reporttest.Collect(t, w, reporttest.Single("a", "b", "c", "d", "e"), report.Options{IncludePartial: true})
	if row.Scored != 3 || row.Partial != 0 || row.Unscored != 1 || row.Unfinished != 1 || row.Answers != 8 || row.UnscoredAnswers != 3 {
		t.Errorf("scored %d, partly %d, unscored %d, unfinished %d; %d of %d answers unscored",
			row.Scored, row.Partial, row.Unscored, row.Unfinished, row.UnscoredAnswers, row.Answers)
	}
	avg := row.Cells[len(row.Cells)-1]
	if avg.N != 3 || math.Abs(avg.Score-50) > 1e-9 {
		t.Errorf("AVG = %+v, want 50 of 3", avg)
	}
	first, second := 200.0/3, 50.0
	mean, spread := (first+second)/2, (first-second)/math.Sqrt2
	want := report.Repeats{
		K: 2, Each: []*float64{&first, &second}, Mean: &mean, Spread: &spread,
		Passes: []report.Pass{{K: 1, At: 50, Hat: 50, N: 3}, {K: 2, At: 100, Hat: 50, N: 2}},
	}
	if diff := cmp.Diff(want, row.Repeats, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("repeats (-want +got):\n%s", diff)
	}
}

func TestOutcomes(t *testing.T) {
	w := reporttest.World{
		Baseline: "rag", Model: "m",
		Episodes: []reporttest.Episode{
			reporttest.Answer("right", 0, 1), reporttest.Answer("wrong", 0, 1), reporttest.Answer("odd", 0, 1), reporttest.Answer("judge", 0, 1), reporttest.Answer("later", 0, 1),
			{UUID: "turns", Outcome: qa.TurnLimit},
			{UUID: "time", Outcome: qa.TimeLimit},
			{UUID: "down", Outcome: qa.EndpointError},
			{UUID: "tool", Outcome: qa.ToolFailure},
			{UUID: "begun"},
		},
		Scores: []qa.Score{
			reporttest.Score("right", 0, qa.Right), reporttest.Score("wrong", 0, qa.Wrong), reporttest.Score("odd", 0, qa.Unparseable), reporttest.Score("judge", 0, qa.Unscored),
			reporttest.Score("turns", 0, qa.Wrong), reporttest.Score("time", 0, qa.Wrong), reporttest.Score("down", 0, qa.Unscored), reporttest.Score("tool", 0, qa.Unscored),
		},
	}
	row := reporttest.Collect(t, w, reporttest.Single("right", "wrong", "odd", "judge", "later", "turns", "time", "down", "tool", "begun", "never"), report.Options{})
	got, counted := make(map[string]int), 0
	for _, o := range row.Outcomes {
		if o.Episodes > 0 {
			got[o.Name] = o.Episodes
		}
		if o.Counted {
			counted += o.Episodes
		}
	}
	want := map[string]int{
		"right": 1, "wrong": 1, "unparseable": 1, "turn_limit": 1, "time_limit": 1,
		"endpoint_error": 1, "tool_failure": 1, "judge_error": 1, "not_scored": 1, "not_run": 2,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	if notes := strings.Join(report.Notes([]report.Row{row}), "\n"); !strings.Contains(notes, "1 episodes ended after these scores were made") {
		t.Errorf("notes: %s", notes)
	}
	if counted != row.Scored {
		t.Errorf("%d episodes in the accuracy, %d questions scored", counted, row.Scored)
	}
}

func TestEffort(t *testing.T) {
	usage := &qa.Usage{Prompt: 1_000_000}
	episodes := []reporttest.Episode{
		{UUID: "a", Outcome: qa.Answered, Steps: []qa.Step{
			reporttest.Call(1, "", qa.StatusOK), reporttest.Call(2, qa.ErrSyntax, qa.StatusParse), reporttest.Call(3, "", qa.StatusError), reporttest.Call(4, "", ""),
		}},
		{
			UUID: "b", Outcome: qa.TurnLimit, Steps: []qa.Step{reporttest.Call(1, qa.ErrNoAction, qa.StatusParse), reporttest.Call(2, "", qa.StatusEmpty)},
			Failed: []qa.Attempt{{Seconds: 1, Wait: 3, Error: "network", Charged: usage}},
		},
		{UUID: "c", Outcome: qa.EndpointError, Steps: []qa.Step{reporttest.Call(1, "", qa.StatusOK)}},
	}
	price := &qa.Price{Prompt: 2, Cached: 1, Completion: 10}
	// A call costs (600*2 + 400*1 + 100*10) / 1e6; the charged request 2.
	cost := (6*2600.0/1e6 + 2) / 2
	asked := ""
	list := func(model string) (qa.Price, bool) { asked = model; return *price, model == "openai:m" }
	tests := []struct {
		name  string
		price *qa.Price
		list  report.Price
		want  *float64
	}{
		{"the run's own", price, nil, &cost},
		{"asked", nil, list, &cost},
		{"unknown", nil, nil, nil},
		{"not in the list", nil, func(string) (qa.Price, bool) { return qa.Price{}, false }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := reporttest.World{Baseline: "rag", Model: "m", Price: tt.price, Episodes: episodes, Scores: []qa.Score{reporttest.Score("a", 0, qa.Right), reporttest.Score("b", 0, qa.Wrong)}}
			row := reporttest.Collect(t, w, reporttest.Single("a", "b", "c"), report.Options{Price: tt.list})
			// Six calls took 2 s each and waited 2 s, five actions 1 s; the last request of b failed.
			want := report.Effort{
				Episodes: 2, Turns: 3, Prompt: 3000, Cached: 1200, Completion: 300, Working: (6*2 + 5*1 + 1) / 2.0, Waiting: (6*2 + 3) / 2.0, Cost: tt.want,
			}
			if diff := cmp.Diff(want, row.Effort, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Errorf("effort (-want +got):\n%s", diff)
			}
			actions := report.Actions{Actions: 7, Unreadable: 2, ToolErrors: 1, Errors: 3, Kinds: map[string]int{qa.ErrSyntax: 1, qa.ErrNoAction: 1, "tool_error": 1}}
			if diff := cmp.Diff(actions, row.Actions); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
			if rate := row.Actions.Rate(row.Actions.Unreadable); rate == nil || math.Abs(*rate-200.0/7) > 1e-9 {
				t.Errorf("rate = %v", rate)
			}
		})
	}
	if asked != "openai:m" {
		t.Errorf("asked for the price of %q", asked)
	}
	if (report.Actions{}).Rate(0) != nil {
		t.Error("no actions have an error rate")
	}
}

// A model in process makes no requests: its time is that from the start of a step to its action.
func TestEffortWithoutRequests(t *testing.T) {
	whole, waiting := reporttest.Call(1, "", qa.StatusOK), reporttest.Call(2, "", "")
	whole.Reply.Attempts, waiting.Reply.Attempts = nil, nil
	waiting.Acted, waiting.Ended = time.Time{}, reporttest.Clock.Add(3*time.Second)
	w := reporttest.World{Baseline: "rag", Model: "m", Episodes: []reporttest.Episode{{UUID: "a", Outcome: qa.Answered, Steps: []qa.Step{whole, waiting}}}}
	w.Scores = []qa.Score{reporttest.Score("a", 0, qa.Right)}
	row := reporttest.Collect(t, w, reporttest.Single("a"), report.Options{})
	// Four seconds of the model and one of the tool, then three of the model.
	if row.Effort.Working != 8 || row.Effort.Waiting != 0 {
		t.Errorf("working %v s, waiting %v s, want 8 and 0", row.Effort.Working, row.Effort.Waiting)
	}
}

// Right answers accumulate by number of calls.
func TestWithin(t *testing.T) {
	w := reporttest.World{
		Baseline: "rag", Model: "m",
		Episodes: []reporttest.Episode{reporttest.Answer("a", 0, 1), reporttest.Answer("b", 0, 3), reporttest.Answer("c", 0, 4), reporttest.Answer("d", 0, 2)},
		Scores:   []qa.Score{reporttest.Score("a", 0, qa.Right), reporttest.Score("b", 0, qa.Right), reporttest.Score("c", 0, qa.Wrong), reporttest.Score("d", 0, qa.Unscored)},
	}
	third := 100.0 / 3
	want := []float64{third, third, 2 * third, 2 * third}
	row := reporttest.Collect(t, w, reporttest.Single("a", "b", "c", "d"), report.Options{})
	if diff := cmp.Diff(want, row.Within, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("within (-want +got):\n%s", diff)
	}
}

func TestPanel(t *testing.T) {
	vote := func(judge string, right bool) qa.Vote { return qa.Vote{Judge: judge, Right: right} }
	judged := func(uuid string, votes ...qa.Vote) qa.Score {
		s := reporttest.Score(uuid, 0, qa.Wrong)
		s.Votes = votes
		return s
	}
	failed := qa.Vote{Judge: "C", Failed: "503"}
	w := reporttest.World{Baseline: "rag", Model: "m", Scores: []qa.Score{
		judged("a", vote("A", true), vote("B", true), vote("C", true)),
		judged("b", vote("A", false), vote("B", false), failed),
		// Two questions of one evaluation.
		judged("c", vote("A", true), vote("B", false), vote("C", true), vote("A", false), vote("B", false), vote("C", false)),
		reporttest.Score("d", 0, qa.Right),
	}}
	row := reporttest.Collect(t, w, reporttest.Single("a", "b", "c", "d"), report.Options{})
	got := row.Panel
	if notes := notesOf(t, row, report.Options{Table: "judges"}); !strings.Contains(notes, "gives each item the same weight") {
		t.Errorf("the form of kappa is not named:\n%s", notes)
	}
	// By hand: items 3/3, 0/2, 2/3, 0/3 right; observed (1+1+1/3+1)/4, chance from the mean share (1+0+2/3+0)/4.
	share := (1 + 2.0/3) / 4
	chance := share*share + (1-share)*(1-share)
	kappa := ((3+1.0/3)/4 - chance) / (1 - chance)
	half, one, quarters, all, thirds := 0.5, 1.0, 75.0, 100.0, 200.0/3
	// B says right in one of three, C in two: chance 4/9.
	bc := (2.0/3 - 4.0/9) / (1 - 4.0/9)
	want := &report.Panel{
		Judges: []string{"A", "B", "C"}, Items: 4, Failed: []int{0, 0, 1}, Right: []int{2, 1, 2}, Kappa: &kappa,
		Pairs: []report.Pair{
			{A: "A", B: "B", Items: 4, Agreement: &quarters, Kappa: &half},
			{A: "A", B: "C", Items: 3, Agreement: &all, Kappa: &one},
			{A: "B", B: "C", Items: 3, Agreement: &thirds, Kappa: &bc},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Errorf("panel (-want +got):\n%s", diff)
	}
	w.Scores = w.Scores[3:]
	if p := reporttest.Collect(t, w, reporttest.Single("d"), report.Options{}).Panel; p != nil {
		t.Errorf("a panel without votes: %+v", p)
	}
}

func TestIntervals(t *testing.T) {
	examples := reporttest.Single("a", "b", "c", "d")
	for i := range examples {
		examples[i].AnchorPDF = []string{"P" + string(rune('0'+i/2))}
	}
	w := reporttest.World{Baseline: "rag", Model: "m", Scores: []qa.Score{
		reporttest.Score("a", 0, qa.Right), reporttest.Score("b", 0, qa.Right), reporttest.Score("c", 0, qa.Wrong), reporttest.Score("d", 0, qa.Wrong),
	}}
	avg := func(o report.Options) report.Cell {
		row := reporttest.Collect(t, w, examples, o)
		if row.Clusters != 2 {
			t.Errorf("%d clusters, want 2", row.Clusters)
		}
		return row.Cells[len(row.Cells)-1]
	}
	if c := avg(report.Options{}); c.Interval != nil {
		t.Errorf("an interval that nobody asked for: %+v", c)
	}
	// Wilson for 2 of 4: centre 0.5, half width z/(2 sqrt(n+z²)).
	z := 1.959963984540054
	half := 100 * z / (2 * math.Sqrt(4+z*z))
	if i := avg(report.Options{Intervals: report.WilsonIntervals}).Interval; math.Abs(i.Low-(50-half)) > 1e-6 || math.Abs(i.High-(50+half)) > 1e-6 {
		t.Errorf("wilson = %+v, want 50 ± %v", i, half)
	}
	// Two papers are too few to resample: Wilson for 1 of 2.
	half = 100 * z / (2 * math.Sqrt(2+z*z))
	c := avg(report.Options{Intervals: report.BootstrapIntervals, Seed: 1})
	if i := c.Interval; math.Abs(i.Low-(50-half)) > 1e-6 || math.Abs(i.High-(50+half)) > 1e-6 || c.Method != report.WilsonIntervals {
		t.Errorf("bootstrap of two papers = %+v by %s, want 50 ± %v by wilson", i, c.Method, half)
	}
}

// Whole papers are resampled: the interval is that of a paper's mean, not of a question's. If all papers are alike,
// there is nothing to resample.
func TestBootstrap(t *testing.T) {
	tests := []struct {
		name      string
		right     func(paper int) bool
		low, high float64 // in between are both ends
		method    string
	}{
		{"half of the papers", func(p int) bool { return p%2 == 0 }, 25, 75, report.BootstrapIntervals},
		{"no paper", func(int) bool { return false }, 0, 16.2, report.WilsonIntervals},
		{"every paper", func(int) bool { return true }, 83.8, 100, report.WilsonIntervals},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var w reporttest.World
			var examples []qa.Example
			for i := range 60 {
				ex := reporttest.Single(fmt.Sprint("q", i))[0]
				ex.AnchorPDF = []string{fmt.Sprint("P", i/3)}
				v := qa.Wrong
				if tt.right(i / 3) {
					v = qa.Right
				}
				examples, w.Scores = append(examples, ex), append(w.Scores, reporttest.Score(ex.UUID, 0, v))
			}
			c := reporttest.Collect(t, w, examples, report.Options{Intervals: report.BootstrapIntervals, Seed: 1}).Cell(report.Average)
			if c.Clusters != 20 || c.Method != tt.method || c.Interval.Low < tt.low || c.Interval.High > tt.high || !(c.Interval.Low < c.Interval.High) {
				t.Errorf("%d clusters, %+v by %s", c.Clusters, c.Interval, c.Method)
			}
			if tt.method == report.BootstrapIntervals && c.Interval.High-c.Interval.Low < 35 {
				t.Errorf("%+v: as if the questions of a paper were independent", c.Interval)
			}
		})
	}
}

// Notes common to several runs appear once.
func TestNotesOfSome(t *testing.T) {
	row := func(baseline, dir, scoring string) report.Row {
		return report.Row{System: report.System{Baseline: baseline, Scoring: scoring, Judge: "j"}, Dir: dir}
	}
	rows := []report.Row{row("rag", "a", "fixed"), row("hybrid", "b", "reference"), row("text2sql", "c", "fixed")}
	want := []string{
		"rag (a), text2sql (c): Scoring: fixed; judge of subjective answers: j.",
		"hybrid (b): Scoring: reference; judge of subjective answers: j.",
		"Warning: these scores use different rules and are not comparable. Choose one with --scoring and --judge.",
	}
	if diff := cmp.Diff(want, report.Notes(rows)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := report.Notes(slices.Concat(rows[:1], rows[2:])); !cmp.Equal(got, []string{"Scoring: fixed; judge of subjective answers: j."}) {
		t.Errorf("of one kind: %q", got)
	}
}
