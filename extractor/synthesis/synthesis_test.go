package synthesis_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/env"
	"airqa/env/paperdb"
	"airqa/extractor/candidate"
	"airqa/extractor/synthesis"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/scoring"
	"airqa/run/session"
)

// newConfig configures a synthesis of two questions about the metadata of four invented papers, with the offline model.
func newConfig(t *testing.T) synthesis.Config {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	w, err := env.OpenWriter(t.Context(), env.WriterConfig{Dir: data})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"Otter", "Heron", "Badger", "Lapwing"} {
		p := paperdb.Paper{
			Metadata: paperdb.Metadata{
				PaperID: qa.PaperUUID(name, ""), Title: name + ": Counting Things by Example", NumPages: 11 + i, Year: 2031,
				Authors: []string{"Ada " + name, "Bo Writer"}, Abstract: "We present " + name + ", a device that counts.",
			},
			File: paperdb.File{SHA256: "sha of " + name, Parser: "1"},
		}
		if err := w.Put(t.Context(), p, []byte("%PDF of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Finish(t.Context()), w.Close()); err != nil {
		t.Fatal(err)
	}
	world, err := env.Open(t.Context(), env.Config{Dir: data, NoSearch: true, QueryInProcess: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = world.Close() })
	same := func(b []byte) []byte { return b }
	return synthesis.Config{
		Common: synthesis.Common{
			Session: session.Session{
				Notify: func(terminal.Notice) {}, Log: slog.New(slog.DiscardHandler),
				Now: time.Now, Getenv: func(string) string { return "" }, Redact: same, RedactKeys: same, Program: "airqa test",
				Interrupts: func() (context.Context, <-chan struct{}, func()) {
					return context.Background(), make(chan struct{}), func() {}
				},
			},
			World: world, Data: data, Dir: filepath.Join(dir, "syn"), Model: "offline",
		},
		Questions: synthesis.Questions{Count: 2, Categories: []string{"single-metadata"}, DrawSeed: 7, SolveAgain: 1, Workers: 2},
		Resume:    "if-possible",
	}
}

// synthesize makes the questions of a configuration.
func synthesize(t *testing.T, c synthesis.Config) {
	t.Helper()
	sum, err := synthesis.Make(t.Context(), c)
	if err != nil || sum.Accepted != c.Count || sum.Stopped {
		t.Fatalf("%+v, %v", sum, err)
	}
}

func read(t *testing.T, c synthesis.Config, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(c.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// An estimate writes nothing. Exploring first and repeating the same synthesis change no question, and nothing is redone.
func TestMake(t *testing.T) {
	c := newConfig(t)
	e, err := synthesis.Estimate(t.Context(), c)
	if err != nil || e.Total.Past != 0 || e.Rows != 2 {
		t.Errorf("estimate %+v, %v", e, err)
	}
	if _, err := os.Stat(c.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the estimate made %s: %v", c.Dir, err)
	}
	drafts := c
	drafts.ExploreOnly = true
	sum, err := synthesis.Make(t.Context(), drafts)
	if err != nil || len(sum.Missing()) > 0 || sum.Accepted != 0 || sum.Pending != 2 {
		t.Errorf("drafts %+v, %v", sum, err)
	}
	synthesize(t, c)
	questions, ledger := read(t, c, candidate.QuestionsFile), read(t, c, candidate.LedgerFile)
	synthesize(t, c)
	if read(t, c, candidate.QuestionsFile) != questions || read(t, c, candidate.LedgerFile) != ledger {
		t.Error("the same synthesis changed its files")
	}
	if e, err = synthesis.Estimate(t.Context(), c); err != nil || e.Total.Past == 0 || e.Rows != 0 {
		t.Errorf("estimate of a complete synthesis %+v, %v", e, err)
	}
}

// Settings that contradict an existing synthesis, or that are wrong, are refused before anything is asked.
func TestRefused(t *testing.T) {
	c := newConfig(t)
	synthesize(t, c)
	tests := []struct {
		name   string
		change func(*synthesis.Config)
		want   string
	}{
		{"another seed", func(c *synthesis.Config) { c.DrawSeed = 8 }, "belongs to another synthesis:\n  seed: 7, now 8"},
		{"not to be resumed", func(c *synthesis.Config) { c.Resume = "never" }, "already has a synthesis"},
		{"a preview", func(c *synthesis.Config) { c.Preview = 1 }, "more than a preview already"},
		{"an unknown gate", func(c *synthesis.Config) { c.Gates = []string{"!zeal"} }, `unknown gate "zeal"`},
		{"an unknown category", func(c *synthesis.Config) { c.Categories = []string{"video"} }, `unknown category "video"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := c
			tt.change(&c)
			_, err := synthesis.Make(t.Context(), c)
			var use *qa.UsageError
			if !errors.As(err, &use) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want wrong use with %q", err, tt.want)
			}
		})
	}
	c.DrawSeed, c.Resume = 8, "always"
	if sum, err := synthesis.Make(t.Context(), c); err != nil || sum.Accepted != 2 {
		t.Errorf("another seed, resumed on purpose: %+v, %v", sum, err)
	}
}

// The actor answers the questions within what is left of the budget, and each trajectory is in the ledger once.
func TestAct(t *testing.T) {
	c := newConfig(t)
	act := synthesis.ActConfig{
		Common: c.Common, Settings: qa.DefaultSettings(),
		Baselines: []string{"question-only"}, Repeats: 1, Workers: 2, Judges: scoring.Judges{Concurrency: 1},
	}
	if _, err := synthesis.Act(t.Context(), act); !errors.Is(err, candidate.ErrNoSynthesis) {
		t.Errorf("without a synthesis: %v", err)
	}
	synthesize(t, c)
	poor := act
	poor.Limits = budget.Limits{Tokens: 10}
	var suspended *qa.SuspendedError
	if _, err := synthesis.Act(t.Context(), poor); !errors.As(err, &suspended) {
		t.Errorf("with a spent budget: %v", err)
	}
	for range 2 {
		h, err := synthesis.Act(t.Context(), act)
		if err != nil || len(h) != 1 || h[0].Episodes != 2 || h[0].Replies != 2 {
			t.Fatalf("%+v, %v", h, err)
		}
		if text := h.Text(0); !strings.Contains(text, "question-only@offline-") || !strings.Contains(text, "described calls") {
			t.Errorf("text:\n%s", text)
		}
	}
	if n := strings.Count(read(t, c, candidate.LedgerFile), `"stage":"act"`); n != 2 {
		t.Errorf("%d trajectories in the ledger", n)
	}
}
