package terminal_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"airqa/internal/testkit/golden"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
	"airqa/trace"
	"airqa/trace/cause"
	browser "airqa/viewer/terminal"
)

var clock = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

// question makes a question; every fifth one is hostile to a terminal.
func question(n int) qa.Example {
	text := fmt.Sprintf("Which window size does paper %d use?", n)
	if n%5 == 4 {
		text = fmt.Sprintf("\x1b[2J\x1b[31m\u202eWhich\rline %d?\x00", n)
	}
	return qa.Example{
		UUID: fmt.Sprintf("%08d-4680-53b5-a367-a094eca14ec8", n), Question: text, Tags: []string{"single", "text", "objective"},
		Evaluator: qa.Evaluator{Func: "eval_int_exact_match", Kwargs: fmt.Appendf(nil, `{"gold": %d}`, n)},
	}
}

// steps are a search, a failed query and the answer.
func steps() []qa.Step {
	passage := `{"score": 0.608, "text": "AnchorWeave uses a window of 384 tokens\nand a stride of 128.", "pdf_id": "p1", "page_number": 2}` + "\n(1 row)"
	step := func(n int, a qa.Action, o *qa.Observation) qa.Step {
		return qa.Step{
			N: n, By: qa.ByModel, Reply: &qa.Reply{Text: "[Thought]: look\n[Action]: " + a.Text, Usage: qa.Usage{Prompt: 1000, Completion: 20}},
			ThoughtAt: qa.Span{First: 11, End: 15}, Action: &a, Observation: o, Started: clock, Acted: clock, Ended: clock.Add(time.Second),
		}
	}
	return []qa.Step{
		step(1, qa.Action{Name: "Retrieve", Text: "Retrieve(query='window', limit=5)"}, &qa.Observation{
			Status: qa.StatusOK, Text: passage, Hits: []qa.Hit{{Rank: 1, ID: "i1", PaperID: "p1", Page: 2, Score: 0.608}},
		}),
		step(2, qa.Action{Name: "Query", Args: map[string]any{"sql": "SELECT x"}, Text: "Query(sql='SELECT x')"}, &qa.Observation{Status: qa.StatusError, Text: "[Error]: no column x\x1b[2J"}),
		step(3, qa.Action{Name: "Answer", Text: "Answer(answer=1)"}, nil),
	}
}

// record appends episodes to a run; without an outcome they are unfinished.
func record(t *testing.T, w *runlog.Writer, outcome qa.Outcome, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		e, err := w.Begin(question(n).UUID, 0, nil)
		check(t, err)
		check(t, e.Message(qa.Message{Role: qa.User, Text: "[Question]: " + question(n).Question}))
		for _, s := range steps() {
			check(t, e.Call(s))
			if s.Observation != nil {
				check(t, e.Observation(s))
			}
		}
		if outcome != "" {
			check(t, e.End(qa.Trajectory{Outcome: outcome, Answer: qa.Answer{Given: true, Text: fmt.Sprint(n + 1), Literal: fmt.Sprint(n + 1)}}))
		}
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world makes a run in the folder "run" below a new working directory: right answers first, then wrong ones.
func world(t *testing.T, right, wrong int) *runlog.Writer {
	t.Helper()
	t.Chdir(t.TempDir())
	var examples []qa.Example
	var scores []qa.Score
	var numbers []int
	for n := range right + wrong {
		ex := question(n)
		examples, numbers = append(examples, ex), append(numbers, n)
		s := qa.Score{UUID: ex.UUID, Verdict: qa.Right, Value: 1, Func: ex.Evaluator.Func}
		if n >= right {
			s.Verdict, s.Value = qa.Wrong, 0
		}
		scores = append(scores, s)
	}
	examples = append(examples, question(right+wrong), question(right+wrong+1))
	lines, err := dataset.Lines(examples)
	check(t, err)
	check(t, runlog.Create("run", runlog.Config{Shape: runlog.Shape{Baseline: "b", Model: map[string]any{"provider": "p", "model": "m"}}}, lines))
	w, err := runlog.OpenWriter("run", runlog.WriterConfig{Now: func() time.Time { return clock }})
	check(t, err)
	record(t, w, qa.Answered, numbers...)
	check(t, runlog.WriteScores("run", runlog.Scoring{Mode: "reference", Judge: "none", Created: clock}, scores, nil))
	return w
}

// session is a browser in which keys are typed.
type session struct {
	t     *testing.T
	keys  io.WriteCloser
	ended chan error
	typed int

	mu     sync.Mutex
	screen string
}

// start runs the browser as on a terminal. The screen is drawn again with each message, so at least each few milliseconds.
func start(t *testing.T, width, height int, paths ...string) *session {
	t.Helper()
	lib, err := trace.Open(t.Context(), paths, trace.Choice{})
	check(t, err)
	in, keys := io.Pipe()
	s := &session{t: t, keys: keys, ended: make(chan error, 1)}
	watch := func(m tea.Model, msg tea.Msg) tea.Msg {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.screen = m.View().Content
		return msg
	}
	c := browser.Config{
		Library: lib, Paths: paths, Author: "ada", Refresh: 5 * time.Millisecond, In: in, Out: io.Discard,
		Options: []tea.ProgramOption{tea.WithWindowSize(width, height), tea.WithFilter(watch), tea.WithoutSignals()},
	}
	go func() { s.ended <- browser.Run(t.Context(), c) }()
	return s
}

// press types keys, as the bytes that a terminal sends.
func (s *session) press(keys ...string) {
	s.t.Helper()
	named := map[string]string{"enter": "\r", "right": "\x1b[C", "left": "\x1b[D", "down": "\x1b[B"}
	for _, k := range keys {
		if named[k] != "" {
			k = named[k]
		}
		s.typed++
		_, err := io.WriteString(s.keys, k)
		check(s.t, err)
	}
}

// see waits until the screen has all texts, and returns it.
func (s *session) see(texts ...string) string {
	s.t.Helper()
	var screen string
	for range 3000 {
		s.mu.Lock()
		screen = s.screen
		s.mu.Unlock()
		missing := false
		for _, text := range texts {
			missing = missing || !strings.Contains(screen, text)
		}
		if !missing {
			return screen
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatalf("no %q on the screen:\n%s", texts, screen)
	return ""
}

// quit leaves the browser.
func (s *session) quit() {
	s.t.Helper()
	s.press("q")
	check(s.t, <-s.ended)
	check(s.t, s.keys.Close())
}

// The screens on a usual and on a small terminal.
func TestScreens(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {40, 20}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			testdata, err := filepath.Abs("testdata")
			check(t, err)
			check(t, world(t, 3, 4).Close())
			check(t, os.MkdirAll(testdata, 0o755))
			check(t, os.Symlink(testdata, "testdata"))
			s := start(t, size.width, size.height, "run")
			var all strings.Builder
			shot := func(name string, texts ...string) {
				fmt.Fprintf(&all, "=== %s\n%s\n", name, s.see(texts...))
			}
			shot("list", "> 00000000")
			s.press("j", "down", "j", "enter")
			shot("episode", "00000003, wrong, step 0 of 3")
			s.press("l")
			shot("step", "step 1 of 3", "AnchorWeave")
			s.press("]")
			shot("mark", "step 2 of 3", "no column")
			s.press("0", "/", "s", "t", "r", "i", "d", "e", "enter")
			shot("search", "stride", "step 1 of 3; ")
			s.press("?")
			shot("help", "Esc closes the help", "next step")
			s.press("?", "\x7f", "t")
			shot("queue", "0 of 4 decided")
			s.press("q")
			check(t, <-s.ended)
			golden.Check(t, fmt.Sprintf("%d.txt", size.width), all.String())
		})
	}
}

// 28 wrong answers are decided with at most four keys each; the second visit resumes where the first one was left.
func TestTriage(t *testing.T) {
	check(t, world(t, 2, 28).Close())
	s := start(t, 80, 24, "run")
	s.see("30 of 30")
	s.press("t")
	s.see("0 of 28 decided", "00000002, wrong")
	s.press("enter")
	s.see("1 of 28 decided", "00000003, wrong")
	s.press("7")
	s.see("2 of 28 decided", "00000004, wrong")
	s.press("u")
	s.see("1 of 28 decided", "00000003, wrong")
	s.press("L")
	s.see("1 of 28 decided", "00000004, wrong")
	s.press("H")
	s.see("00000003, wrong")
	first := s.typed
	s.quit()

	s = start(t, 80, 24, "run")
	s.see("30 of 30")
	s.press("t")
	for n := 1; n < 28; n++ {
		s.see(fmt.Sprintf("%d of 28 decided", n), fmt.Sprintf("%08d, wrong, step 0 of 3", n+2))
		s.press([]string{"enter", "1", "9"}[n%3])
	}
	s.see("all 28 wrong answers decided")
	if total := first + s.typed; total > 4*28 {
		t.Errorf("%d keys for 28 answers", total)
	}
	s.quit()
	f, err := trace.OpenNotes("run", trace.NoteConfig{})
	check(t, err)
	decided := f.Decisions()
	check(t, f.Close())
	if len(decided) != 28 {
		t.Errorf("%d decisions", len(decided))
	}
	for n, want := range map[int]cause.Code{6: cause.LackOfContext, 7: cause.Unknown} {
		if got := decided[question(n).UUID+"#0"]; got.Cause != want || got.Author != "ada" {
			t.Errorf("%d: %+v, want %s", n, got, want)
		}
	}
}

// New steps and episodes of a running run appear, and the position stays.
func TestGrowing(t *testing.T) {
	w := world(t, 2, 2)
	s := start(t, 80, 24, "run")
	s.see("> 00000000")
	s.press("j", "j")
	s.see("4 of 4 episodes, being written", "> 00000002")
	e, err := w.Begin(question(4).UUID, 0, nil)
	check(t, err)
	s.see("5 of 5 episodes", "> 00000002", "unfinished")
	s.press("$", "enter")
	s.see("unfinished, step 0 of 0")
	check(t, e.Call(steps()[0]))
	check(t, e.Observation(steps()[0]))
	s.see("step 0 of 1")
	s.press("l", "j")
	s.see("step 1 of 1", "1.0 s, 1000 + 20 tokens")
	second := steps()[1]
	check(t, e.Call(second))
	s.see("step 1 of 2", "1.0 s, 1000 + 20 tokens")
	check(t, e.Observation(second))
	check(t, w.Close())
	s.press("l")
	s.see("no column")
	s.quit()
}

// A torn last line and an unreadable one do not hide the other episodes.
func TestTornAndDamaged(t *testing.T) {
	check(t, world(t, 2, 2).Close())
	path := filepath.Join("run", runlog.LogFile)
	raw, err := os.ReadFile(path)
	check(t, err)
	lines := strings.SplitAfter(string(raw), "\n")
	lines[2] = strings.Replace(lines[2], `"type"`, `"ty`, 1)
	check(t, os.WriteFile(path, []byte(strings.Join(lines, "")+`{"type":"start","epis`), 0o600))
	s := start(t, 80, 24, "run")
	s.see("4 of 4 episodes", "problem", "damaged", "> 00000000")
	s.press("?")
	s.see("Esc closes the help")
	s.press(" ")
	s.see("Problems", "run: ")
	s.press("?", "enter")
	s.see("Damaged", "step 0 of")
	s.quit()
}

// The filter prompt takes the flags of airqa trace; three silences have texts of their own.
func TestFilter(t *testing.T) {
	check(t, world(t, 2, 2).Close())
	s := start(t, 80, 24, "run")
	s.see("4 of 4")
	s.press("f")
	s.see("filter: ")
	s.press("--status wrong --sort=-tokens\r")
	s.see("2 of 4 episodes", "airqa trace run --status=wrong --sort=-tokens")
	s.press("f")
	s.see("filter: --status=wrong --sort=-tokens")
	s.press("\x15", "--status nonsense\r")
	s.see("must be one of")
	s.press("\x15", "--status right --tag table\r")
	s.see("No episode matches the filter; there are 4.")
	s.press("f", "\x15", "\r")
	s.see("4 of 4 episodes")
	s.press("/", "window of 384", "\r")
	s.see("hits in 4 episodes")
	s.press("c", "d", "y", "s", "s")
	s.see("sorted by -tokens")
	s.quit()
}

// A decision is shown in the list, and the same question of another run opens at the same step.
func TestSeveralRuns(t *testing.T) {
	check(t, world(t, 1, 1).Close())
	check(t, os.CopyFS("other", os.DirFS("run")))
	s := start(t, 120, 24, "run", "other")
	s.see("4 of 4 episodes in 2 runs", "> 00000000")
	s.press("j", "t")
	s.see("0 of 2 decided")
	s.press("8")
	s.see("1 of 2 decided")
	s.press("\x7f")
	s.see("✓ wrong scorer", "> 00000001")
	s.press("0", "enter")
	s.see("step 0 of 3", "airqa trace run '0")
	s.press("l", "d")
	s.see("00000000, part 0 of 1: A run #0, B other #0", "airqa diff run other '0")
	s.press("enter")
	s.see("step 1 of 3", "airqa trace other '0")
	s.press("l")
	s.see("step 2 of 3", "airqa trace other '0")
	s.quit()
}

// The same question of other runs is aligned with the open episode, fitted to the screen; Esc returns to its step.
func TestComparison(t *testing.T) {
	for _, size := range []struct{ width, height int }{{120, 30}, {80, 24}, {40, 20}} {
		t.Run(fmt.Sprint(size.width), func(t *testing.T) {
			testdata, err := filepath.Abs("testdata")
			check(t, err)
			check(t, world(t, 1, 1).Close())
			check(t, os.Symlink(testdata, "testdata"))
			check(t, os.CopyFS("other", os.DirFS("run")))
			check(t, os.CopyFS("same", os.DirFS("run")))
			log := filepath.Join("other", runlog.LogFile)
			raw, err := os.ReadFile(log)
			check(t, err)
			check(t, os.WriteFile(log, []byte(strings.ReplaceAll(string(raw), "SELECT x", "SELECT title, abstract FROM metadata")), 0o600))

			s := start(t, size.width, size.height, "run", "other", "same")
			s.see("> 00000000")
			s.press("j", "enter")
			s.see("step 0 of 3")
			s.press("l", "d")
			var all strings.Builder
			fmt.Fprintf(&all, "=== comparison\n%s\n", s.see("part 0 of 3: A run #0", "airqa diff run other"))
			s.press("l", "l")
			fmt.Fprintf(&all, "=== a step that differs\n%s\n", s.see("part 2 of 3", "different sql"))
			s.press("/", "a", "b", "s", "t", "r", "a", "c", "t", "enter")
			s.see("abstract", "airqa diff run other")
			s.press("\x7f", "d")
			s.see("part 0 of 1: A run #0", "airqa diff run same")
			s.press("d")
			s.see("part 0 of 3: A run #0")
			s.press("\x7f")
			s.see("00000001, wrong, step 1 of 3", "airqa trace run")
			s.press("t")
			s.see("0 of 3 decided", "00000001, wrong")
			s.press("d")
			s.see("part 0 of 3: A run #0")
			s.press("\x7f")
			s.see("0 of 3 decided", "00000001, wrong")
			s.quit()
			golden.Check(t, fmt.Sprintf("diff.%d.txt", size.width), all.String())
		})
	}
}

// A comparison with a damaged episode says so, and the open episode stays.
func TestComparisonOfDamaged(t *testing.T) {
	check(t, world(t, 1, 0).Close())
	check(t, os.CopyFS("other", os.DirFS("run")))
	log := filepath.Join("other", runlog.LogFile)
	raw, err := os.ReadFile(log)
	check(t, err)
	lines := strings.SplitAfter(string(raw), "\n")
	lines[2] = strings.Replace(lines[2], `"type"`, `"ty`, 1)
	check(t, os.WriteFile(log, []byte(strings.Join(lines, "")), 0o600))
	s := start(t, 120, 24, "run", "other")
	s.see("> 00000000")
	s.press("enter")
	s.see("step 0 of 3")
	s.press("d")
	s.see("00000000, right, step 0 of 3", "other: 00000000-")
	s.quit()
}

// A comment is kept with its step.
func TestComment(t *testing.T) {
	check(t, world(t, 1, 1).Close())
	s := start(t, 80, 24, "run")
	s.see("2 of 2")
	s.press("enter")
	s.see("step 0 of 3")
	s.press("l", "c")
	s.see("comment: ")
	s.press("look \x1bhere", "enter")
	s.see("# look", "(ada)")
	s.press("d")
	s.see("no other episode")
	s.press("y")
	s.see("copied as Markdown")
	s.quit()
	f, err := trace.OpenNotes("run", trace.NoteConfig{})
	check(t, err)
	all := f.All()
	check(t, f.Close())
	if len(all) != 1 || all[0].Step != 1 || all[0].Author != "ada" {
		t.Errorf("notes %+v", all)
	}
}
