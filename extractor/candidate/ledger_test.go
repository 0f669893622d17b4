package candidate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/candidate"
	"airqa/qa"
)

func TestLedger(t *testing.T) {
	dir := t.TempDir()
	l, err := candidate.OpenLedger(dir, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("secret"), []byte("******")) })
	if err != nil {
		t.Fatal(err)
	}
	usd := 0.25
	first := candidate.Line{
		Candidate: "retrieval-0", Stage: candidate.Explore, Category: "retrieval", Paper: "p", Seed: 7, Attempt: 2,
		Outcome: candidate.Done, Calls: []string{"k1", "k2"}, Usage: qa.Usage{Prompt: 3, Completion: 4}, USD: &usd,
		Fingerprint: "f", Input: "i", Data: json.RawMessage(`{"question":"secret?"}`),
	}
	last := first
	last.Attempt, last.Outcome, last.Reason = 3, candidate.Rejected, candidate.BadReply
	other := candidate.Line{Candidate: "retrieval-0", Stage: candidate.Accept, Outcome: candidate.Rejected}
	if err := l.Add(first); err != nil {
		t.Fatal(err)
	}
	if err := l.Add(last, other); err != nil {
		t.Fatal(err)
	}
	if _, err := candidate.OpenLedger(dir, nil); err == nil {
		t.Error("a second writer opened the ledger")
	}
	want := last
	want.Format, want.Data = 1, json.RawMessage(`{"question":"******?"}`)
	got, ok, err := l.Get("retrieval-0", candidate.Explore)
	if diff := cmp.Diff(want, got); diff != "" || !ok || err != nil {
		t.Errorf("%v, %v; line (-want +got):\n%s", ok, err, diff)
	}
	if _, ok, err := l.Get("retrieval-0", candidate.Track); ok || err != nil {
		t.Errorf("a line nobody wrote: %v, %v", ok, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	// A killed process leaves half a line; readers skip it and the next writer removes it.
	path := filepath.Join(dir, candidate.LedgerFile)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"format":1,"candi`); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	var stages []string
	for line, err := range candidate.Lines(dir) {
		if err != nil {
			t.Fatal(err)
		}
		stages = append(stages, line.Stage)
	}
	if diff := cmp.Diff([]string{candidate.Explore, candidate.Explore, candidate.Accept}, stages); diff != "" {
		t.Errorf("stages (-want +got):\n%s", diff)
	}
	if l, err = candidate.OpenLedger(dir, nil); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := l.Get("retrieval-0", candidate.Accept); !ok {
		t.Error("the last whole line is lost")
	}
	_ = l.Close()
	for range candidate.Lines(t.TempDir()) {
		t.Error("a missing ledger has a line")
	}
}

func TestSettings(t *testing.T) {
	dir := t.TempDir()
	if _, err := candidate.ReadSettings(dir); !errors.Is(err, candidate.ErrNoSynthesis) {
		t.Errorf("an empty folder: %v", err)
	}
	want := candidate.Settings{
		Format: 1, Program: "p", Seed: 3, Data: "d", Quotas: []candidate.Quota{{Category: "retrieval", Count: 2, Most: 10}},
		Gates: []string{"evaluator"}, Model: map[string]any{"provider": "offline"}, Stages: map[string]string{"explore": "x"},
	}
	if err := candidate.WriteSettings(dir, want, nil); err != nil {
		t.Fatal(err)
	}
	got, err := candidate.ReadSettings(dir)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v; config (-want +got):\n%s", err, diff)
	}
	if err := os.WriteFile(filepath.Join(dir, candidate.SettingsFile), []byte(`{"format": 2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := candidate.ReadSettings(dir); err == nil {
		t.Error("a synthesis of another format was read")
	}
}

func TestTally(t *testing.T) {
	var tally candidate.Tally
	for _, o := range []candidate.Outcome{candidate.Accepted, candidate.Rejected, candidate.Rejected, candidate.Failed, candidate.Done} {
		tally.Add(o)
	}
	if diff := cmp.Diff(candidate.Tally{Candidates: 5, Accepted: 1, Rejected: 2, Failed: 1, Pending: 1}, tally); diff != "" {
		t.Errorf("tally (-want +got):\n%s", diff)
	}
}
