package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"airqa/extractor/candidate"
	"airqa/extractor/review"
	"airqa/qa/dataset"
)

// A review is written, decided and applied: the rejected question leaves, the fixed one is checked by the gates, and the
// next synthesis replaces what is missing.
func TestSynthReview(t *testing.T) {
	t.Parallel()
	data := ingested(t)
	dir := t.TempDir()
	syn := filepath.Join(dir, "syn")
	airqa := func(want int, args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), os.Args[0], append([]string{"synth"}, args...)...)
		c.Env = append(os.Environ(), asProgram+"=1")
		raw, _ := c.CombinedOutput()
		if c.ProcessState.ExitCode() != want {
			t.Fatalf("airqa synth %s: exit %d, want %d\n%s", strings.Join(args, " "), c.ProcessState.ExitCode(), want, raw)
		}
		return string(raw)
	}
	track := []string{
		"track", "--data", data, "--model", "offline", "--count", "8", "--out", syn, "--categories", "single-text,single-table,single-metadata,retrieval",
	}
	airqa(0, track...)
	before := synthesized(t, syn)

	page, form := filepath.Join(dir, "page.html"), filepath.Join(dir, "form.jsonl")
	write := []string{"review", syn, "--sample", "4", "--sample-seed", "7", "--html", page, "--out", form}
	if text := airqa(0, write...); !strings.Contains(text, "4 questions of 8: open "+page) {
		t.Errorf("output %s", text)
	}
	html, err := os.ReadFile(page)
	if err != nil || bytes.Count(html, []byte("<article")) != 4 || !bytes.Contains(html, []byte(`src="data:image/png;base64,`)) {
		t.Errorf("page of %d bytes: %v", len(html), err)
	}
	entries, err := review.Read(form)
	if err != nil || len(entries) != 4 {
		t.Fatalf("%d entries: %v", len(entries), err)
	}
	entries[0].Decision = candidate.Keep
	entries[1].Decision, entries[1].Note = candidate.Reject, "trivial"
	entries[2].Decision, entries[2].Question = candidate.Fix, strings.TrimSuffix(entries[2].Question, "?")+", exactly?"
	entries[3].Decision, entries[3].Question = candidate.Fix, "What is in the table above?"
	save(t, form, entries)

	airqa(2, write...) // the file has decisions
	airqa(2, "review", syn, "--sample", "0", "--out", form+"2")
	if text := airqa(2, "review", syn, "--apply", form); !strings.Contains(text, "nothing was applied") || !strings.Contains(text, "give --reviewer") {
		t.Errorf("output %s", text)
	}
	text := airqa(0, "review", syn, "--apply", form, "--reviewer", "Ada", "--data", data, "--model", "offline", "--workers", "2", "--solve-again", "2")
	for _, want := range []string{
		"1 accepted, 2 fixed, 1 rejected, 0 unchanged, 0 open", entries[2].Candidate + ": the fixed question is accepted",
		entries[3].Candidate + ": the fixed question is rejected (points_at_page)", "4 reviewed questions: 1 accepted as they were, 2 fixed, 1 rejected; agreement 25 %",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the output lacks %q:\n%s", want, text)
		}
	}
	after := synthesized(t, syn)
	for id, question := range before {
		switch id {
		case entries[1].Candidate, entries[3].Candidate:
			question = ""
		case entries[2].Candidate:
			question = entries[2].Question
		}
		if after[id] != question {
			t.Errorf("%s is %q, want %q", id, after[id], question)
		}
	}
	if text := airqa(0, "review", syn, "--apply", form, "--reviewer", "Ada", "--pictures"); !strings.Contains(text, "0 rejected, 4 unchanged") {
		t.Errorf("the same file again: %s", text)
	}

	airqa(0, track...)
	if filled := synthesized(t, syn); len(filled) != 8 || filled[entries[1].Candidate] != "" || filled[entries[2].Candidate] != entries[2].Question {
		t.Errorf("the filled synthesis: %q", filled)
	}
}

// synthesized are the accepted questions by candidate.
func synthesized(t *testing.T, syn string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for ex, err := range dataset.AirQA(filepath.Join(syn, candidate.QuestionsFile), nil) {
		if err != nil {
			t.Fatal(err)
		}
		var origin candidate.Synth
		if err := json.Unmarshal(ex.Extra["synth"], &origin); err != nil {
			t.Fatal(err)
		}
		all[origin.Candidate] = ex.Question
	}
	return all
}

func save(t *testing.T, path string, entries []review.Entry) {
	t.Helper()
	var text []byte
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		text = append(append(text, line...), '\n')
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
