package main

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"airqa/fixtures"
	"airqa/runlog"
)

// send sends signals one after another, so far apart that none of them merges with the one before.
func send(t *testing.T, c *exec.Cmd, signals ...syscall.Signal) {
	t.Helper()
	for _, s := range signals {
		if err := c.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// A scheduler sends SIGTERM, sometimes more than once: calls in flight may finish within the grace period, no other call
// starts, and calls that take longer are recorded.
func TestGrace(t *testing.T) {
	t.Parallel()
	const term, hup, interrupt, notice = syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGUSR1
	tests := []struct {
		name, baseline string
		grace          string
		signals        []syscall.Signal
		answered       bool // the endpoint answers after the signals
		calls, lost    int
		within         time.Duration
	}{
		{"once", "question-only", "1h", []syscall.Signal{term}, true, 2, 0, soon},
		{"three times", "question-only", "1h", []syscall.Signal{term, term, term}, true, 2, 0, soon},
		{"a closed terminal", "question-only", "1h", []syscall.Signal{hup, hup}, true, 2, 0, soon},
		{"after Ctrl-C", "question-only", "1h", []syscall.Signal{interrupt, term, term}, true, 2, 0, soon},
		{"Ctrl-C after it", "question-only", "1h", []syscall.Signal{term, interrupt, term}, true, 2, 0, soon},
		{"within an episode of several calls", "agentic-hybrid", "1h", []syscall.Signal{term, term}, true, 2, 0, soon},
		{"the period ends", "question-only", "300ms", []syscall.Signal{term}, false, 0, 2, soon},
		{"the period ends after several", "agentic-hybrid", "300ms", []syscall.Signal{term, hup, term}, false, 0, 2, soon},
		{"Ctrl-C twice ends it", "question-only", "1h", []syscall.Signal{term, interrupt, interrupt}, false, 0, 2, soon},
		{"the time limit is near", "question-only", "300ms", []syscall.Signal{notice}, true, 2, 0, soon},
		{"the time limit is reached", "question-only", "300ms", []syscall.Signal{notice, notice, term}, false, 0, 2, soon},
		{"no period", "question-only", "0s", []syscall.Signal{term}, false, 0, 2, soon},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.signals[0] == hup && signal.Ignored(hup) {
				return // the tests run under nohup
			}
			data, dir := ingested(t), t.TempDir()
			server := newSlow(t)
			program := interruptible(t, dir, data, server.URL())
			program.Args[slices.Index(program.Args, "question-only")] = tt.baseline
			program.Args = append(program.Args, "--grace", tt.grace)
			c, errs := started(t, program)
			<-server.asked
			<-server.asked
			began := time.Now()
			send(t, c, tt.signals...)
			if tt.answered {
				server.letGo()
			}
			if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != exitInterrupted || time.Since(began) > tt.within {
				t.Errorf("%v after %s\n%s", err, time.Since(began), errs)
			}
			raw, err := os.ReadFile(filepath.Join(dir, "run", runlog.LogFile))
			if err != nil {
				t.Fatal(err)
			}
			log := string(raw)
			calls, lost := strings.Count(log, `"type":"call"`), strings.Count(log, `"type":"lost"`)
			if calls != tt.calls || lost != tt.lost || server.Calls() != 2 {
				t.Errorf("%d calls and %d lost calls in the log, of %d; want %d and %d\n%s", calls, lost, server.Calls(), tt.calls, tt.lost, errs)
			}
		})
	}
}

// The papers that were read are indexed, and the same command adds the rest.
func TestGraceIngest(t *testing.T) {
	t.Parallel()
	data, pdfs := filepath.Join(t.TempDir(), "data"), t.TempDir()
	if err := os.CopyFS(pdfs, fixtures.Papers()); err != nil {
		t.Fatal(err)
	}
	ingest := []string{"ingest", "--data", data, "-j", "1", "--grace", "1h", pdfs}
	c, errs := started(t, airqaCommand(t, ingest...))
	waitFor(t, func() bool { _, err := os.Stat(data); return err == nil })
	send(t, c, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM)
	err := c.Wait()
	if code := c.ProcessState.ExitCode(); err != nil && code != exitInterrupted || strings.Contains(errs.String(), "stopped before everything was indexed") {
		t.Errorf("%v\n%s", err, errs)
	}
	if raw, err := airqaCommand(t, ingest...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, raw)
	}
}

// Other commands do not wait for a call: what they have is on disk.
func TestTermEndsOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	labels := filepath.Join(dir, "labels.jsonl")
	if err := os.WriteFile(labels, []byte(labelled(4)), 0o600); err != nil {
		t.Fatal(err)
	}
	judge := newSlow(t)
	c, errs := started(t, judged(t, judge.URL(), "bench", "judge-check", labels, "--verdicts", filepath.Join(dir, "v.jsonl")))
	<-judge.asked
	began := time.Now()
	send(t, c, syscall.SIGTERM)
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != exitInterrupted || time.Since(began) > soon {
		t.Errorf("%v after %s\n%s", err, time.Since(began), errs)
	}
}
