package models_test

import (
	"testing"
	"time"

	"airqa/llm/cache"
	"airqa/qa"
	"airqa/run/models"
	"airqa/runlog"
)

// A fork's model wrote only the replies after the changed message; the others are not added to the cache.
func TestFillFromFork(t *testing.T) {
	for _, tt := range []struct {
		fork *runlog.Fork
		want int
	}{{nil, 3}, {&runlog.Fork{Step: 1}, 2}} {
		dir := t.TempDir()
		if err := runlog.Create(dir, runlog.Config{Note: runlog.Note{Fork: tt.fork}}, nil); err != nil {
			t.Fatal(err)
		}
		record(t, dir)
		from, err := runlog.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		store, err := cache.Open(t.TempDir(), cache.Config{})
		if err != nil {
			t.Fatal(err)
		}
		m := models.Model{Described: map[string]any{"provider": "openai", "model": "m"}}
		for _, want := range []int{tt.want, 0} { // the second time, the cache has them
			if n, err := m.Fill(models.Requests{Cache: store}, from, nil); err != nil || n != want {
				t.Errorf("%+v: added %d, want %d, %v", tt.fork, n, want, err)
			}
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// record writes an episode of three calls.
func record(t *testing.T, dir string) {
	t.Helper()
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Message(qa.Message{Role: qa.User, Text: "q"}); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 3; n++ {
		step := qa.Step{
			N: n, By: qa.ByModel, Shown: []qa.Span{{First: 0, End: 2*n - 1}}, Kept: 1, Reply: &qa.Reply{Text: "r"},
			ParseError: &qa.ParseError{Kind: "syntax", Reason: "no action"}, Observation: &qa.Observation{Status: qa.StatusParse, Text: "try again"},
		}
		if err := e.Call(step); err != nil {
			t.Fatal(err)
		}
		if err := e.Observation(step); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
