package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"airqa/qa"
	"airqa/runlog"
)

// screen collects what a terminal receives.
type screen struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// onTerminal runs airqa trace on a terminal of 80 columns, presses q when it shows a text, and returns what it showed.
func onTerminal(t *testing.T, args, until string) string {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminal: %v", err)
	}
	defer func() { _ = keyboard.Close() }()
	if err := pty.Setsize(keyboard, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	a := testApp()
	a.ctx, a.in, a.out, a.screen, a.errs, a.width = t.Context(), tty, tty, tty, os.Stderr, 80
	a.getenv = func(name string) string { return map[string]string{"PAGER": "sed s/^/paged:/"}[name] }
	var shown screen
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(&shown, keyboard)
	}()
	ended := make(chan error, 1)
	go func() { ended <- parsed(t, "trace", args).(traceCmd).Run(a) }()
	for range 1000 {
		if strings.Contains(shown.String(), until) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	_, _ = keyboard.WriteString("q")
	if err := <-ended; err != nil {
		t.Fatalf("airqa trace run %s: %v", args, err)
	}
	_ = tty.Close()
	<-read
	if !strings.Contains(shown.String(), until) {
		t.Fatalf("airqa trace run %s: no %q in\n%s", args, until, shown.String())
	}
	return shown.String()
}

// On a terminal, airqa trace opens the browser unless a filter, a format, a uuid or --no-browse is given, and shows a
// trajectory in the pager.
func TestBrowse(t *testing.T) {
	inFolderWithRun(t)
	question := `{"uuid": "11111111", "question": "Q?", "answer_format": "", "anchor_pdf": [], "evaluator": {"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 8}}}`
	if err := os.WriteFile("run/questions.jsonl", []byte(question+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := runlog.OpenWriter("run", runlog.WriterConfig{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := w.Begin("11111111", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.End(qa.Trajectory{Outcome: qa.TurnLimit}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const full = "\x1b[?1049h" // the alternate screen of full-screen programs
	for _, tt := range []struct {
		args    []string
		until   string
		browser bool
	}{
		{nil, "1 of 1 episode", true},
		{[]string{"--browse", "--outcome=turn_limit"}, "--outcome=turn_limit", true},
		{[]string{"--browse", "--outcome=answered"}, "No episode matches the filter", true},
		{[]string{"--outcome=turn_limit"}, "1 of 1 episode", false},
		{[]string{"--no-browse"}, "1 of 1 episode", false},
		{[]string{"--format=csv"}, "question", false},
		{[]string{"11111111"}, "paged:── end: turn_limit", false},
		{[]string{"11111111", "--no-pager"}, "\n── end: turn_limit", false},
	} {
		text := onTerminal(t, strings.Join(tt.args, " "), tt.until)
		if got := strings.Contains(text, full); got != tt.browser {
			t.Errorf("airqa trace run %s: browser %t, want %t:\n%s", tt.args, got, tt.browser, text)
		}
	}
}
