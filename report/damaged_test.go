package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/internal/testkit/reporttest"
	"airqa/qa"
	"airqa/report"
	"airqa/runlog"
)

// An episode whose events are lost counts as damaged, not as missing.
func TestDamaged(t *testing.T) {
	w := reporttest.World{
		Baseline: "rag", Model: "m", Episodes: []reporttest.Episode{reporttest.Answer("a", 0, 1), reporttest.Answer("b", 0, 1)},
		Scores: []qa.Score{reporttest.Score("a", 0, qa.Right)},
	}
	run := w.Run(t)
	path := filepath.Join(run.Dir, runlog.LogFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))
	for i, l := range lines {
		if bytes.Contains(l, []byte(`"episode":"b#0"`)) && bytes.Contains(l, []byte(`"seq":2,`)) {
			lines[i] = nil
		}
	}
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if run, err = runlog.Open(run.Dir); err != nil {
		t.Fatal(err)
	}
	row, err := report.Collect(run, reporttest.Single("a", "b", "c"), report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if row.Scored != 1 || row.Damaged != 1 || row.Unfinished != 1 {
		t.Errorf("scored %d, damaged %d, not run %d", row.Scored, row.Damaged, row.Unfinished)
	}
	if notes := notesOf(t, row, report.Options{}); !strings.Contains(notes, "1 not run yet, 1 damaged in the log, to be rerun") {
		t.Errorf("notes:\n%s", notes)
	}
	for _, o := range row.Outcomes {
		if (o.Name == "damaged" || o.Name == "not_run") && o.Episodes != 1 {
			t.Errorf("%s: %d", o.Name, o.Episodes)
		}
	}
}
