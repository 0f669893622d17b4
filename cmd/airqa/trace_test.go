package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"airqa/qa"
	"airqa/runlog"
)

// On a terminal, airqa trace prints the list and names the viewer, and shows a trajectory in the pager.
func TestTraceOnTerminal(t *testing.T) {
	inFolderWithEpisodes(t, 1)
	const next = "next: airqa view run\n"
	for _, tt := range []struct{ args, out, said string }{
		{"", "1 of 1 episode", next},
		{"--outcome=answered", "0 of 1 episode", next},
		{"--format=csv", "question", ""},
		{"11111111", "paged:── end: turn_limit", ""},
		{"11111111 --no-pager", "\n── end: turn_limit", ""},
	} {
		var out, said bytes.Buffer
		a := testApp()
		a.ctx, a.out, a.screen, a.errs, a.width = t.Context(), &out, &out, &said, 80
		a.getenv = func(name string) string { return map[string]string{"PAGER": "sed s/^/paged:/"}[name] }
		if err := parsed(t, "trace", tt.args).(traceCmd).Run(a); err != nil {
			t.Fatalf("airqa trace run %s: %v", tt.args, err)
		}
		if !strings.Contains(out.String(), tt.out) || !strings.HasSuffix(said.String(), tt.said) || tt.said == "" && said.Len() > 0 {
			t.Errorf("airqa trace run %s printed\n%sand said %q", tt.args, &out, &said)
		}
	}
}

// A table on a terminal has the first fifty episodes, unless --limit says how many; anything else has all.
func TestTraceFirstRows(t *testing.T) {
	inFolderWithEpisodes(t, 59)
	const next = "next: airqa view run\n"
	for _, tt := range []struct {
		args        string
		width, rows int
		said        string
	}{
		{"", 80, 50, "note: 9 more match; --limit 59 shows all\n" + next},
		{"--limit=59", 80, 59, next},
		{"--limit=51", 80, 51, next},
		{"--limit=2 --sort=turns", 80, 2, next},
		{"--outcome=answered", 80, 0, next},
		{"--format=table", 80, 50, "note: 9 more match; --limit 59 shows all\n" + next},
		{"--format=csv", 80, 59, ""},
		{"--json", 80, 59, ""},
		{"", 0, 59, ""},
	} {
		var out, said bytes.Buffer
		a := testApp()
		a.ctx, a.out, a.errs, a.width = t.Context(), &out, &said, tt.width
		if err := parsed(t, "trace", tt.args).(traceCmd).Run(a); err != nil {
			t.Fatalf("airqa trace run %s: %v", tt.args, err)
		}
		rows := 0
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "11111111") {
				rows++
			}
		}
		if rows != tt.rows || !strings.HasSuffix(said.String(), tt.said) || strings.Contains(said.String(), "more") != strings.Contains(tt.said, "more") {
			t.Errorf("airqa trace run %s, %d columns: %d rows, and said %q", tt.args, tt.width, rows, &said)
		}
	}
}

// inFolderWithEpisodes works in a folder that holds a run of one question, whose episodes reached the turn limit.
func inFolderWithEpisodes(t *testing.T, episodes int) {
	t.Helper()
	inFolderWithRun(t)
	question := `{"uuid": "11111111", "question": "Q?", "answer_format": "", "anchor_pdf": [], "evaluator": {"eval_func": "eval_int_exact_match", "eval_kwargs": {"gold": 8}}}`
	if err := os.WriteFile("run/questions.jsonl", []byte(question+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := runlog.OpenWriter("run", runlog.WriterConfig{})
	if err != nil {
		t.Fatal(err)
	}
	for repeat := range episodes {
		e, err := w.Begin("11111111", repeat, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.End(qa.Trajectory{Outcome: qa.TurnLimit}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
