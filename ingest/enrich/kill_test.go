package enrich_test

import (
	"os"
	"os/exec"
	"testing"

	"airqa/ingest/enrich"
	"airqa/internal/testkit/openaitest"
)

// Environment variables of a child process that calls Ask and is killed.
const childDir, childURL = "AIRQA_TEST_ENRICH_DIR", "AIRQA_TEST_ENRICH_URL"

// TestChild is the process that TestKill kills; on its own it does nothing.
func TestChild(t *testing.T) {
	if dir := os.Getenv(childDir); dir != "" {
		run(t.Context(), t, dir, os.Getenv(childURL), enrich.Config{Workers: 2})
	}
}

// A killed run pays for nothing twice: all replies are stored, except those of calls in flight.
func TestKill(t *testing.T) {
	dir := library(t, 4)
	asked := make(chan struct{}, 100)
	s := endpoint(t, openaitest.Config{})
	for range 7 {
		s.Fail(nil)
	}
	hang := openaitest.Hang(func() { asked <- struct{}{} })
	s.Fail(hang, hang)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	child.Env = append(os.Environ(), childDir+"="+dir, childURL+"="+s.URL())
	check(t, child.Start())
	<-asked
	<-asked
	check(t, child.Process.Kill())
	if err := child.Wait(); err == nil {
		t.Fatal("the process ended by itself")
	}
	w := run(t.Context(), t, dir, s.URL(), enrich.Config{})
	if w.err != nil || w.asked.Known != 7 || w.applied.Open != 0 || s.Calls() != 4*perPaper+2 {
		t.Errorf("%+v after %d calls", w, s.Calls())
	}
}
