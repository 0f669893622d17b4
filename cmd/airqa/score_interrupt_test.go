package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"airqa/runlog"
)

// judged is a command that asks a judge.
func judged(t *testing.T, endpoint string, args ...string) *exec.Cmd {
	t.Helper()
	settings := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(settings, []byte("score: {judge-concurrency: 2}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), os.Args[0], append(args, "--judge", "openai:slow", "--config", settings)...)
	c.Env = append(os.Environ(), asProgram+"=1", "AIRQA_JUDGE_BASE_URL="+endpoint)
	return c
}

// Ctrl-C once while a run is scored: the verdicts in flight are kept, and no other is asked for.
func TestCtrlCWhileScoring(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	if err := colourRun(run); err != nil {
		t.Fatal(err)
	}
	server := newSlow(t)
	c, errs := started(t, judged(t, server.URL(), "score", run))
	<-server.asked
	<-server.asked
	ctrlC(t, c)
	waitFor(t, func() bool { return strings.Contains(errs.String(), "Ctrl-C again stops now") })
	server.letGo()
	if err := c.Wait(); err == nil || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("%v, standard error:\n%s", err, errs)
	}
	kept, err := os.ReadFile(filepath.Join(run, runlog.VerdictsFile))
	if n := strings.Count(string(kept), "\n"); err != nil || n != server.Calls() || n > 4 {
		t.Errorf("%d verdicts of %d questions, %v", n, server.Calls(), err)
	}
	if half, _ := filepath.Glob(filepath.Join(run, "scores", "*.jsonl")); len(half) > 0 {
		t.Errorf("half a scoring is kept: %v", half)
	}
}

// Ctrl-C twice ends the program although the judge does not answer.
func TestCtrlCTwiceWhileScoring(t *testing.T) {
	run := filepath.Join(t.TempDir(), "run")
	if err := colourRun(run); err != nil {
		t.Fatal(err)
	}
	server := newSlow(t)
	c, errs := started(t, judged(t, server.URL(), "score", run))
	<-server.asked
	ctrlC(t, c)
	waitFor(t, func() bool { return strings.Contains(errs.String(), "Ctrl-C again stops now") })
	ctrlC(t, c)
	if err := c.Wait(); err == nil {
		t.Errorf("standard error:\n%s", errs)
	}
}

// A third Ctrl-C ends what cannot be interrupted: here the reading of a pipe that stays open.
func TestCtrlCThreeTimes(t *testing.T) {
	dir := t.TempDir()
	pipe, golds := filepath.Join(dir, "predictions.jsonl"), filepath.Join(dir, "run", runlog.QuestionsFile)
	if err := errors.Join(syscall.Mkfifo(pipe, 0o600), colourRun(filepath.Join(dir, "run"))); err != nil {
		t.Fatal(err)
	}
	answers, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answers.Close() }()
	c, errs := started(t, judged(t, "http://127.0.0.1:1/v1", "score", "--gold", golds, "--pred", pipe))
	// More than the pipe holds: it is read when this returns, and signals are watched for by then.
	if _, err := answers.WriteString(strings.Repeat("\n", 1<<17)); err != nil {
		t.Fatal(err)
	}
	for c.Process.Signal(syscall.SIGINT) == nil && !strings.Contains(errs.String(), "stopped immediately") {
		time.Sleep(10 * time.Millisecond) // two signals at once may count as one
	}
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v, want exit code %d; standard error:\n%s", err, exitInterrupted, errs)
	}
}

// Ctrl-C once while a judge is checked: the calls in flight end, their verdicts are kept, and the same command asks for the rest.
func TestCtrlCWhileChecking(t *testing.T) {
	dir := t.TempDir()
	labels, verdicts := filepath.Join(dir, "labels.jsonl"), filepath.Join(dir, "v.jsonl")
	if err := os.WriteFile(labels, []byte(labelled(12)), 0o600); err != nil {
		t.Fatal(err)
	}
	server := newSlow(t)
	c, errs := started(t, judged(t, server.URL(), "bench", "judge-check", labels, "--verdicts", verdicts))
	<-server.asked
	<-server.asked
	ctrlC(t, c)
	waitFor(t, func() bool { return strings.Contains(errs.String(), "Ctrl-C again stops now") })
	server.letGo()
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v, want exit code %d; standard error:\n%s", err, exitInterrupted, errs)
	}
	kept, err := os.ReadFile(verdicts)
	if n := strings.Count(string(kept), "\n"); err != nil || n != server.Calls() || n > 4 {
		t.Errorf("%d verdicts of %d questions, %v", n, server.Calls(), err)
	}
	c, errs = started(t, judged(t, server.URL(), "bench", "judge-check", labels, "--verdicts", verdicts))
	if err := c.Wait(); err != nil || server.Calls() != 12 {
		t.Errorf("%v after %d requests for 12 labels; standard error:\n%s", err, server.Calls(), errs)
	}
}

// labelled are n different answers to one question, all of them labelled right.
func labelled(n int) string {
	var lines []string
	for i := range n {
		lines = append(lines, `{"question":"q","eval_func":"eval_reference_answer_with_llm","eval_kwargs":{"reference_answer":"r"},"answer":"`+
			strings.Repeat("x", i)+`","label":true}`)
	}
	return strings.Join(lines, "\n")
}

// Two processes with one file of verdicts ask each question once. They begin at opposite ends.
func TestSharedVerdicts(t *testing.T) {
	dir := t.TempDir()
	lines := strings.Split(labelled(24), "\n")
	server := newSlow(t)
	var running []*exec.Cmd
	for _, name := range []string{"forwards.jsonl", "backwards.jsonl"} {
		labels := filepath.Join(dir, name)
		if err := os.WriteFile(labels, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(lines)
		c, _ := started(t, judged(t, server.URL(), "bench", "judge-check", labels, "--verdicts", filepath.Join(dir, "v.jsonl")))
		<-server.asked
		running = append(running, c)
	}
	server.letGo()
	for _, c := range running {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
	if n := server.Calls(); n != 24 {
		t.Errorf("%d requests for 24 questions", n)
	}
}

// SIGTERM ends a long scoring without a judge within a moment: the answers that wait are left.
func TestScoreStops(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	golds, predictions := filepath.Join(dir, "gold.jsonl"), filepath.Join(dir, "pred.jsonl")
	var gold, pred strings.Builder
	for i := range 20_000 {
		text := strings.Repeat(fmt.Sprintf("word%d other%d ", i, i%7), 40)
		fmt.Fprintf(&gold, `{"uuid":"u%d","question":"q","evaluator":{"eval_func":"eval_string_fuzzy_match","eval_kwargs":{"gold":%q,"fuzz_method":"WRatio"}}}`+"\n", i, text)
		fmt.Fprintf(&pred, `{"uuid":"u%d","answer":%q}`+"\n", i, strings.Repeat(text, 4)[9:])
	}
	if err := errors.Join(os.WriteFile(golds, []byte(gold.String()), 0o600), os.WriteFile(predictions, []byte(pred.String()), 0o600)); err != nil {
		t.Fatal(err)
	}
	program := exec.CommandContext(t.Context(), os.Args[0], "score", "--gold", golds, "--pred", predictions, "--json")
	program.Env = append(os.Environ(), asProgram+"=1")
	first := &output{}
	program.Stdout = first
	c, errs := started(t, program)
	waitFor(t, func() bool { return first.String() != "" })
	began := time.Now()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != exitInterrupted || time.Since(began) > soon {
		t.Errorf("%v after %s; standard error:\n%s", err, time.Since(began), errs)
	}
}
