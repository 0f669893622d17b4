// Package recordtest records run directories for tests: a scripted model with a seed answers questions over an invented
// world, makes the mistakes that models make, and is interrupted and resumed. Start with [Make]; [Fork] branches off one of its
// episodes.
package recordtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"airqa/agent"
	"airqa/baselines"
	"airqa/qa"
	"airqa/runlog"
	"airqa/tools"
)

// Config describes the run.
type Config struct {
	Dir      string
	Baseline string
	Settings qa.Settings
	// Questions and Repeats are 4 and 1 by default.
	Questions, Repeats int
	Seed               uint64
	// Thinking puts <think> blocks into replies and returns reasoning.
	Thinking bool
	// Interrupt ends the context after some replies, and resumes.
	Interrupt bool
	// Note is written to run.json.
	Note runlog.Note
	// Text, if not empty, is part of every observation.
	Text string
	// Private, if not empty, is put into replies: before and inside the thought, into arguments, and after the action.
	// Redact removes it, as in a run; nil removes nothing.
	Private string
	Redact  func([]byte) []byte
	// Shared is the number of first steps in which all repeats of a question reply alike.
	Shared int
	// Scored writes scores: 42 is right.
	Scored bool
}

// Key identifies a request.
type Key struct {
	UUID         string
	Repeat, Step int
}

// Made is a recorded run.
type Made struct {
	Run *runlog.Run
	// Requests are the requests that were answered, as the model received them.
	Requests map[Key]qa.Request
	// Examples are the questions.
	Examples []qa.Example
}

// Make records a run.
func Make(t testing.TB, c Config) Made {
	t.Helper()
	if c.Questions == 0 {
		c.Questions = 4
	}
	if c.Repeats == 0 {
		c.Repeats = 1
	}
	if c.Settings.Turns == 0 {
		c.Settings = qa.DefaultSettings()
	}
	s, m := c.solver(t)
	made := Made{Requests: m.requests, Examples: c.examples()}
	c.create(t, s, made.Examples)
	for i := range c.Questions * c.Repeats {
		c.solve(t, s, m, made.Examples[i/c.Repeats], i%c.Repeats)
	}
	var err error
	made.Run, err = runlog.Open(c.Dir)
	check(t, err)
	if c.Scored {
		score(t, made)
	}
	return made
}

// solver returns the solver of the baseline, with its model.
func (c Config) solver(t testing.TB) (*baselines.Solver, *model) {
	t.Helper()
	b, err := baselines.Find(c.Baseline)
	check(t, err)
	m := &model{Config: c, requests: make(map[Key]qa.Request)}
	w := world{text: c.Text}
	return baselines.New(b, baselines.World{Library: w, Sources: tools.Sources{Retriever: w, Querier: w, Viewer: w}, Schema: "CREATE TABLE metadata (title VARCHAR);"}, m, c.Settings), m
}

// score writes the scores of a run.
func score(t testing.TB, made Made) {
	t.Helper()
	var scores []qa.Score
	for rec, err := range made.Run.Episodes() {
		check(t, err)
		s := qa.Score{UUID: rec.UUID, Repeat: rec.Repeat, Verdict: qa.Wrong, Func: "eval_int_exact_match"}
		if rec.Answer.Text == "42" {
			s.Verdict, s.Value = qa.Right, 1
		}
		scores = append(scores, s)
	}
	check(t, runlog.WriteScores(made.Run.Dir, runlog.Scoring{Mode: "reference", Judge: "none", Created: clock}, scores, nil))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (c Config) examples() []qa.Example {
	var list []qa.Example
	for i := range c.Questions {
		list = append(list, qa.Example{
			UUID: fmt.Sprintf("question-%d", i), Question: fmt.Sprintf("What is number %d?", i), AnswerFormat: "Your answer should be an integer.",
			AnchorPDF: []string{fmt.Sprintf("paper-%d", i/2)}, Tags: []string{"text", "objective"},
			Evaluator: qa.Evaluator{Func: "eval_int_exact_match", Kwargs: json.RawMessage(`{"gold":42}`)},
		})
	}
	return list
}

// create writes run.json, the questions and the texts.
func (c Config) create(t testing.TB, s *baselines.Solver, examples []qa.Example) {
	t.Helper()
	hashes, texts, err := s.Texts("")
	check(t, err)
	note := c.Note
	if note.Tools == nil {
		b, err := baselines.Find(c.Baseline)
		check(t, err)
		note.Tools = b.Tools
	}
	sums := make(map[string]string)
	for name, text := range texts {
		sums[name] = runlog.Hash(text)
	}
	var lines []byte
	for _, ex := range examples {
		raw, err := json.Marshal(ex)
		check(t, err)
		lines = append(append(lines, raw...), '\n')
	}
	check(t, runlog.Create(c.Dir, runlog.Config{
		Program: "airqa test", Created: clock, Note: note,
		Shape: runlog.Shape{
			Baseline: c.Baseline, Model: map[string]any{"provider": "test", "model": fmt.Sprintf("policy-%d", c.Seed)},
			Settings: c.Settings.Record(), Prompts: hashes, Tools: sums,
		},
	}, lines))
	w, err := runlog.OpenWriter(c.Dir, runlog.WriterConfig{Now: now, Redact: c.Redact})
	check(t, err)
	check(t, w.KeepTexts(texts))
	check(t, w.Close())
}

var clock = time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC)

func now() time.Time { return clock }

// solve answers a question, in several invocations if the configuration says so.
func (c Config) solve(t testing.TB, s *baselines.Solver, m *model, ex qa.Example, repeat int) {
	t.Helper()
	random := rand.New(rand.NewPCG(c.Seed, uint64(repeat)))
	for {
		ctx, cancel := context.WithCancel(t.Context())
		m.stop = nil
		if c.Interrupt && random.IntN(2) == 0 {
			m.left, m.stop = random.IntN(4), cancel
		}
		done := c.invoke(t, ctx, s, ex, repeat)
		cancel()
		if done {
			return
		}
	}
}

// invoke runs or resumes an episode and reports whether it ended.
func (c Config) invoke(t testing.TB, ctx context.Context, s *baselines.Solver, ex qa.Example, repeat int) bool {
	t.Helper()
	r, err := runlog.Open(c.Dir)
	check(t, err)
	prior, err := r.Episode(ex.UUID, repeat)
	if err != nil && !errors.Is(err, runlog.ErrNoEpisode) {
		t.Fatal(err)
	}
	check(t, r.LoadImages(&prior))
	w, err := runlog.OpenWriter(c.Dir, runlog.WriterConfig{Now: now, Redact: c.Redact})
	check(t, err)
	log, err := w.Begin(ex.UUID, repeat, &prior)
	check(t, err)
	_, err = s.Solve(ctx, ex, agent.Setup{UUID: ex.UUID, Repeat: repeat, Log: log, Now: now, Redact: w.Redact, Prior: prior.Trajectory})
	if err != nil && ctx.Err() == nil {
		t.Fatal(err)
	}
	check(t, w.Close())
	return err == nil
}

// Dir is a run directory in a test's temporary folder.
func Dir(t testing.TB, name string) string { return filepath.Join(t.TempDir(), name) }

// model makes replies from a seed.
type model struct {
	Config
	mu       sync.Mutex
	requests map[Key]qa.Request
	// left is the number of replies until stop is called.
	left int
	stop func()
}
