package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"airqa/internal/golden"
	"airqa/qa"
	"airqa/report"
	"airqa/run/runlog"
)

var clock = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

func examples() []qa.Example {
	tags := func(uuid string, tags ...string) qa.Example {
		return qa.Example{UUID: uuid, Question: "Q " + uuid + "?", Tags: tags}
	}
	return []qa.Example{
		tags("a", "single", "text", "objective"),
		tags("b", "single", "text", "table", "objective"),
		tags("c", "multiple", "image", "formula", "subjective"),
		tags("d", "retrieval", "text", "objective"),
		tags("e", "comprehensive", "metadata", "objective"),
		tags("f", "single", "figure", "subjective"),
		tags("g", "retrieval", "text", "objective"),
	}
}

// makeRun writes a run with one finished episode and scores for all but g.
func makeRun(t *testing.T) *runlog.Run {
	t.Helper()
	dir := t.TempDir()
	err := runlog.Create(dir, runlog.Config{Shape: runlog.Shape{Baseline: "rag", Model: map[string]any{"provider": "offline"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.Begin("a", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		e.Message(qa.Message{Role: qa.System, Text: "be brief"}),
		e.Message(qa.Message{Role: qa.User, Text: "[Question]: Q\x1b[31m"}),
		e.Call(step()), e.Observation(step()),
		e.Call(qa.Step{N: 2, Reply: &qa.Reply{Text: "hm"}, Kept: 2, ParseError: &qa.ParseError{Reason: "no action"}, Started: clock, Ended: clock}),
		e.End(qa.Trajectory{Outcome: qa.TurnLimit, Reason: "no answer in 2 turns", Steps: []qa.Step{step()}}),
		w.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	score := func(uuid string, v qa.Verdict, value float64) qa.Score {
		return qa.Score{UUID: uuid, Verdict: v, Value: value, Func: "eval_int_exact_match"}
	}
	err = runlog.WriteScores(dir, runlog.Scoring{Mode: "reference", Judge: "offline", Created: clock}, []qa.Score{
		score("a", qa.Right, 1), score("b", qa.Wrong, 0), score("c", qa.Unscored, 0), score("d", qa.Right, 1),
		score("e", qa.Unparseable, 0), score("f", qa.Right, 1),
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func step() qa.Step {
	return qa.Step{
		N: 1, By: qa.ByModel, Shown: []qa.Span{{First: 0, End: 2}},
		Reply: &qa.Reply{Text: "[Thought]: look\n[Action]: Query(sql='S')", Usage: qa.Usage{Prompt: 30, Completion: 4}},
		Kept:  40, ThoughtAt: qa.Span{First: 11, End: 15},
		Action:      &qa.Action{Name: "Query", Text: "Query(sql='S')"},
		Observation: &qa.Observation{Status: qa.StatusOK, Text: "{\"n\": 1}\n(1 row)"},
		Started:     clock, Ended: clock.Add(1500 * time.Millisecond),
	}
}

func TestColumns(t *testing.T) {
	row, err := report.Collect(makeRun(t), examples(), report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	row.Dir = "RUN"
	if row.Scored != 5 || row.Unscored != 1 || row.Unfinished != 1 || row.Effort.Turns != 2 {
		t.Errorf("row = %+v", row)
	}
	for _, format := range report.Formats() {
		if format == "html" {
			continue // TestPage
		}
		var b bytes.Buffer
		if err := report.Write(&b, []report.Row{row}, report.Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "table."+format, b.String())
	}
	if err := report.Write(&bytes.Buffer{}, nil, report.Options{Format: "pdf"}); err == nil || !strings.Contains(err.Error(), "text, md, csv, latex, json, html") {
		t.Errorf("unknown format: %v", err)
	}
}

// On a narrow terminal no line of the table wraps.
func TestNarrow(t *testing.T) {
	row, err := report.Collect(makeRun(t), examples(), report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.Write(&b, []report.Row{row}, report.Options{Format: "text", Width: 60}); err != nil {
		t.Fatal(err)
	}
	tables, _, _ := strings.Cut(b.String(), "Scores in per cent")
	for line := range strings.Lines(tables) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 60 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	if strings.Count(tables, "66.67") != 1 || strings.Count(tables, "60.00") != 1 {
		t.Errorf("a cell is missing or doubled:\n%s", tables)
	}
}

func TestTrace(t *testing.T) {
	r := makeRun(t)
	rec, err := r.Episode("a", 0)
	if err != nil {
		t.Fatal(err)
	}
	score := &qa.Score{UUID: "a", Verdict: qa.Right, Value: 1, Func: "eval_int_exact_match"}
	traced := report.NewTraced(examples()[0], rec, score)
	var b bytes.Buffer
	for _, err := range []error{traced.Write(&b), traced.WriteLine(&b), traced.WriteJSON(&b)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if strings.ContainsRune(b.String(), '\x1b') {
		t.Error("a control character of a question reaches the terminal")
	}
	golden.Check(t, "trace.txt", b.String())
}
