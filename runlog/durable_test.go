package runlog_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/qa"
	"airqa/runlog"
)

// A log of 1 MiB has an index, a shorter one has none; indexed lines are not parsed again.
func TestIndexSavesParsing(t *testing.T) {
	dir := create(t)
	log, index := filepath.Join(dir, runlog.LogFile), filepath.Join(dir, "log.idx")
	lines := manyLines(0, 90)
	filler := `{"type":"later","episode":"u1#0","seq":9,"pad":"`
	pad := func(size int) string {
		return lines + filler + strings.Repeat("x", size-len(lines)-len(filler)-len("\"}\n")) + "\"}\n"
	}
	for _, size := range []int{1<<20 - 1, 1 << 20} {
		if err := os.WriteFile(log, []byte(pad(size)), 0o600); err != nil {
			t.Fatal(err)
		}
		seen(t, dir)
		if _, err := os.Stat(index); (err == nil) != (size == 1<<20) {
			t.Errorf("a log of %d bytes: index %v", size, err)
		}
	}
	damaged := strings.Replace(pad(1<<20), `{"type":"start","episode":"u40#0"`, `["type":"start","episode":"u40#0"`, 1)
	if err := os.WriteFile(log, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := runlog.Open(dir); err != nil || len(r.BadLines) != 0 {
		t.Errorf("the index was not used: %v, bad lines %v", err, r.BadLines)
	}
}

// Texts and a log that cannot be written or read are errors.
func TestUnusableFiles(t *testing.T) {
	dir := create(t)
	if err := os.WriteFile(filepath.Join(dir, "texts"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := writer(t, dir, nil).Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Message(qa.Message{Role: qa.System, Text: strings.Repeat(long, 20)}); err == nil {
		t.Error("a text that could not be stored is no error")
	}
	folder := create(t)
	if err := os.Mkdir(filepath.Join(folder, runlog.LogFile), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := runlog.Open(folder); err == nil {
		t.Error("a log that cannot be read is no error")
	}
}

func TestCheck(t *testing.T) {
	dir := create(t)
	if exists, err := runlog.Check(dir, config("rag").Shape); !exists || err != nil {
		t.Errorf("the same shape: %v, %v", exists, err)
	}
	var m *runlog.MismatchError
	if exists, err := runlog.Check(dir, config("full-text").Shape); !exists || !errors.As(err, &m) {
		t.Errorf("another shape: %v, %v", exists, err)
	}
	if exists, err := runlog.Check(t.TempDir(), config("rag").Shape); exists || err != nil {
		t.Errorf("no run: %v, %v", exists, err)
	}
	if err := os.WriteFile(filepath.Join(dir, runlog.RunFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if exists, err := runlog.Check(dir, config("rag").Shape); exists || err == nil {
		t.Errorf("a damaged run.json: %v, %v", exists, err)
	}
}

func TestLacking(t *testing.T) {
	m := runlog.MissingPapers{Choice: runlog.MissingRun, Named: []string{"a", "b"}, Searched: []string{"b", "c"}}
	skips := m
	skips.Choice = runlog.MissingSkip
	tests := []struct {
		name string
		of   *runlog.MissingPapers
		ran  []string
		want *runlog.Lacking
	}{
		{"nothing recorded", nil, []string{"a"}, nil},
		{"none lacks a paper", &m, []string{"x"}, nil},
		{"one lacks a paper", &m, []string{"a", "x"}, &runlog.Lacking{Ran: 2, Named: 1}},
		{"both ways", &m, []string{"b"}, &runlog.Lacking{Ran: 1, Named: 1, Searched: 1}},
		{"left out", &skips, []string{"x"}, &runlog.Lacking{Ran: 1, Skipped: 3}},
		{"one of them ran before", &skips, []string{"b"}, &runlog.Lacking{Ran: 1, Named: 1, Searched: 1, Skipped: 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ran := map[string]bool{}
			for _, uuid := range tt.ran {
				ran[uuid] = true
			}
			if diff := cmp.Diff(tt.want, tt.of.Lacking(ran)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The end of an episode leaves out the requests that an earlier event recorded, whichever invocation wrote it.
func TestLostIsRecordedOnce(t *testing.T) {
	dir := create(t)
	e, err := writer(t, dir, nil).Begin("u", 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	lost, failed := qa.Attempt{Error: "cancelled"}, qa.Attempt{Error: "server"}
	if err := errors.Join(e.Lost([]qa.Attempt{lost}), e.End(qa.Trajectory{
		Outcome: qa.EndpointError, FailedAttempts: []qa.Attempt{lost, failed},
	})); err != nil {
		t.Fatal(err)
	}
	if _, got := read(t, dir); len(got[0].FailedAttempts) != 2 {
		t.Errorf("requests without a reply: %+v", got[0].FailedAttempts)
	}
}
