// Package reporttest makes small runs for the tests of reports. [World.Run] writes a given run, [Small] one with an
// episode and scores. Times are those of [Clock].
package reporttest

import (
	"testing"
	"time"

	"airqa/qa"
	"airqa/report"
	"airqa/runlog"
)

// Clock is the time of everything.
var Clock = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

// Episode describes an episode.
type Episode struct {
	UUID    string
	Repeat  int
	Steps   []qa.Step
	Outcome qa.Outcome
	Failed  []qa.Attempt
}

// World describes a run.
type World struct {
	Baseline, Model string
	Price           *qa.Price
	Episodes        []Episode
	Scoring         runlog.Scoring
	Scores          []qa.Score
}

// Run writes the run and opens it.
func (w World) Run(t *testing.T) *runlog.Run {
	t.Helper()
	dir := t.TempDir()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	shape := runlog.Shape{Baseline: w.Baseline, Model: map[string]any{"provider": "openai", "model": w.Model}}
	check(runlog.Create(dir, runlog.Config{Shape: shape, Note: runlog.Note{Price: w.Price}}, nil))
	log, err := runlog.OpenWriter(dir, runlog.WriterConfig{Now: func() time.Time { return Clock }})
	check(err)
	for _, told := range w.Episodes {
		e, err := log.Begin(told.UUID, told.Repeat, nil)
		check(err)
		for _, s := range told.Steps {
			check(e.Call(s))
			if s.Observation != nil {
				check(e.Observation(s))
			}
		}
		if told.Outcome != "" {
			check(e.End(qa.Trajectory{Outcome: told.Outcome, FailedAttempts: told.Failed}))
		}
	}
	check(log.Close())
	if w.Scores != nil {
		check(runlog.WriteScores(dir, w.Scoring, w.Scores, nil))
	}
	r, err := runlog.Open(dir)
	check(err)
	return r
}

// Call is a step with one request: an action, or the kind of its parse error, or a tool error.
func Call(n int, kind string, status qa.Status) qa.Step {
	s := qa.Step{
		N: n, By: qa.ByModel, Started: Clock, Acted: Clock.Add(4 * time.Second), Ended: Clock.Add(5 * time.Second),
		Reply: &qa.Reply{
			Text: "r", Usage: qa.Usage{Prompt: 1000, Cached: 400, Completion: 100},
			Attempts: []qa.Attempt{
				{Seconds: 0.5, Status: 429, Error: "rate_limit"},
				{Seconds: 1.5, Wait: 2, Status: 200},
			},
		},
	}
	if kind != "" {
		s.ParseError = &qa.ParseError{Kind: kind, Reason: "no"}
	} else {
		s.Action = &qa.Action{Name: "Query", Text: "Query(sql='S')"}
	}
	if status != "" {
		s.Observation = &qa.Observation{Status: status, Text: "x"}
	}
	return s
}

// Score is the score of a repeat.
func Score(uuid string, repeat int, v qa.Verdict) qa.Score {
	s := qa.Score{UUID: uuid, Repeat: repeat, Verdict: v, Func: "eval_int_exact_match"}
	if v == qa.Right {
		s.Value = 1
	}
	return s
}

// Answer is an answered episode with the given number of calls.
func Answer(uuid string, repeat, calls int) Episode {
	e := Episode{UUID: uuid, Repeat: repeat, Outcome: qa.Answered}
	for n := range calls {
		e.Steps = append(e.Steps, Call(n+1, "", ""))
	}
	return e
}

// Collect reads a run and renames its directory to RUN.
func Collect(t *testing.T, w World, examples []qa.Example, o report.Options) report.Row {
	t.Helper()
	row, err := report.Collect(w.Run(t), examples, o)
	if err != nil {
		t.Fatal(err)
	}
	row.Dir = "RUN"
	return row
}

// Single returns questions with the tags single, text and objective.
func Single(uuids ...string) []qa.Example {
	var list []qa.Example
	for _, uuid := range uuids {
		list = append(list, qa.Example{
			UUID: uuid, Tags: []string{"single", "text", "objective"}, Evaluator: qa.Evaluator{Func: "eval_int_exact_match"},
		})
	}
	return list
}

// Questions are the seven questions of [Small], with most tags.
func Questions() []qa.Example {
	tags := func(uuid string, tags ...string) qa.Example {
		return qa.Example{UUID: uuid, Question: "Q " + uuid + "?", Tags: tags, Evaluator: qa.Evaluator{Func: "eval_int_exact_match"}}
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

// Small writes a run with one finished episode and scores for all questions but g.
func Small(t *testing.T) *runlog.Run {
	t.Helper()
	dir := t.TempDir()
	err := runlog.Create(dir, runlog.Config{Shape: runlog.Shape{Baseline: "rag", Model: map[string]any{"provider": "offline"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Now: func() time.Time { return Clock }})
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
		e.Call(Step()), e.Observation(Step()),
		e.Call(qa.Step{N: 2, Reply: &qa.Reply{Text: "hm"}, Kept: 2, ParseError: &qa.ParseError{Reason: "no action"}, Started: Clock, Ended: Clock}),
		e.End(qa.Trajectory{Outcome: qa.TurnLimit, Reason: "no answer in 2 turns", Steps: []qa.Step{Step()}}),
		w.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	score := func(uuid string, v qa.Verdict, value float64) qa.Score {
		return qa.Score{UUID: uuid, Verdict: v, Value: value, Func: "eval_int_exact_match"}
	}
	err = runlog.WriteScores(dir, runlog.Scoring{Mode: "reference", Judge: "offline", Created: Clock}, []qa.Score{
		score("a", qa.Right, 1), score("b", qa.Wrong, 0), score("c", qa.Unscored, 0), score("d", qa.Right, 1),
		score("e", qa.Unparseable, 0), score("f", qa.Right, 1),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Step is the first step of the episode of [Small].
func Step() qa.Step {
	return qa.Step{
		N: 1, By: qa.ByModel, Shown: []qa.Span{{First: 0, End: 2}},
		Reply: &qa.Reply{Text: "[Thought]: look\n[Action]: Query(sql='S')", Usage: qa.Usage{Prompt: 30, Completion: 4}},
		Kept:  40, ThoughtAt: qa.Span{First: 11, End: 15},
		Action:      &qa.Action{Name: "Query", Text: "Query(sql='S')"},
		Observation: &qa.Observation{Status: qa.StatusOK, Text: "{\"n\": 1}\n(1 row)"},
		Started:     Clock, Ended: Clock.Add(1500 * time.Millisecond),
	}
}
