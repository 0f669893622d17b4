package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"airqa/fixtures"
	"airqa/internal/testkit/openaitest"
)

// slow is an endpoint that answers only when it is let go.
type slow struct {
	*openaitest.Server
	asked chan struct{} // one for each request that came
	one   chan struct{} // answers one of them
	let   chan struct{} // closed to answer them all
	once  sync.Once
}

func newSlow(t *testing.T) *slow {
	t.Helper()
	s := &slow{asked: make(chan struct{}, 100), one: make(chan struct{}), let: make(chan struct{})}
	s.Server = openaitest.New(openaitest.Config{Reply: func([]openaitest.Message) string {
		s.asked <- struct{}{}
		select {
		case <-s.one:
		case <-s.let:
		}
		return "```txt\nTrue\n```"
	}})
	t.Cleanup(func() {
		s.letGo()
		s.Close()
	})
	return s
}

func (s *slow) letGo() { s.once.Do(func() { close(s.let) }) }

// interruptible is question-only on eight questions, two at once.
func interruptible(t *testing.T, dir, data, endpoint string) *exec.Cmd {
	t.Helper()
	questions := filepath.Join(dir, "questions.jsonl")
	lines := strings.SplitAfter(string(fixtures.Questions()), "\n")
	if err := os.WriteFile(questions, []byte(strings.Join(lines[:8], "")), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "run", "--data", data, "--questions", questions,
		"--baseline", "question-only", "--model", "openai:slow", "--base-url", endpoint, "--out", filepath.Join(dir, "run"), "-j", "2")
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// started starts a command and collects its standard error.
func started(t *testing.T, c *exec.Cmd) (*exec.Cmd, *output) {
	t.Helper()
	errs := &output{}
	c.Stderr = errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, errs
}

// output collects what a program writes while the test reads it.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// ctrlC sends what Ctrl-C sends.
func ctrlC(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
}

// Ctrl-C once: calls in flight finish and are logged, no others start.
func TestCtrlCOnce(t *testing.T) {
	data, dir := ingested(t), t.TempDir()
	server := newSlow(t)
	c, errs := started(t, interruptible(t, dir, data, server.URL()))
	<-server.asked
	<-server.asked
	ctrlC(t, c)
	waitFor(t, func() bool { return strings.Contains(errs.String(), "finishing calls in flight") })
	server.letGo()
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("exit code %d, want %d\n%s", c.ProcessState.ExitCode(), exitInterrupted, errs)
	}
	if !strings.Contains(errs.String(), "stopped with 6 of 8 questions left; the same command resumes the run") {
		t.Errorf("standard error:\n%s", errs)
	}
	if n := len(trajectories(t, filepath.Join(dir, "run"))); n != 2 || server.Calls() != 2 {
		t.Errorf("%d finished episodes and %d calls, want 2 and 2", n, server.Calls())
	}
}

// Ctrl-C twice: the program stops at once, and the same command resumes.
func TestCtrlCTwice(t *testing.T) {
	data, dir := ingested(t), t.TempDir()
	server := newSlow(t)
	c, errs := started(t, interruptible(t, dir, data, server.URL()))
	<-server.asked
	<-server.asked
	ctrlC(t, c)
	waitFor(t, func() bool { return strings.Contains(errs.String(), "finishing calls in flight") })
	ctrlC(t, c)
	if err := c.Wait(); err == nil || !strings.Contains(errs.String(), "stopped with 8 of 8 questions left") {
		t.Errorf("%v, standard error:\n%s", err, errs)
	}
	if code := c.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("exit code %d, want %d", code, exitInterrupted)
	}
	server.letGo()
	c, errs = started(t, interruptible(t, dir, data, server.URL()))
	if err := c.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	if n := len(trajectories(t, filepath.Join(dir, "run"))); n != 8 {
		t.Errorf("%d finished episodes after going on, want 8", n)
	}
}

// Ctrl-C ends a tee behind the program first: without a reader of standard error, calls in flight still finish and are logged.
func TestReaderIsGone(t *testing.T) {
	data, dir := ingested(t), t.TempDir()
	server := newSlow(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := interruptible(t, dir, data, server.URL())
	c.Stderr = write
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-server.asked
	<-server.asked
	if err := errors.Join(write.Close(), read.Close()); err != nil {
		t.Fatal(err)
	}
	ctrlC(t, c)
	// No output shows that the signal has arrived: replies trickle, so that questions are left when it does.
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for len(ended) == 0 {
		time.Sleep(200 * time.Millisecond)
		select {
		case server.one <- struct{}{}:
		default:
		}
	}
	if err := <-ended; err == nil || c.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v, want exit code %d", err, exitInterrupted)
	}
	if n := len(trajectories(t, filepath.Join(dir, "run"))); n != server.Calls() || n == 0 {
		t.Errorf("%d finished episodes of %d calls", n, server.Calls())
	}
}
