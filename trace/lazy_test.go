package trace_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
	"airqa/trace"
	"airqa/trace/cause"
)

// allWrong records a scored run with ten wrong answers to each question.
func allWrong(t testing.TB, dir string, questions int) {
	t.Helper()
	recordtest.Make(t, recordtest.Config{
		Dir: dir, Baseline: "agentic-hybrid", Settings: qa.DefaultSettings(), Questions: questions, Repeats: 10, Seed: 6, Scored: true,
	})
	rescore(t, dir, func(s *qa.Score) { s.Verdict = qa.Wrong })
}

// rescore changes the scores of a run.
func rescore(t testing.TB, dir string, change func(*qa.Score)) {
	t.Helper()
	scoring, scores, err := runlog.ReadScores(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range scores {
		change(&scores[i])
	}
	if err := runlog.WriteScores(dir, scoring, scores, nil); err != nil {
		t.Fatal(err)
	}
}

// A lazy library of a run with many wrong answers finds causes only when they are asked for, and the same ones.
func TestOpenLazy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	allWrong(t, dir, 30)
	want := open(t, dir)
	lazily := func() *trace.Library {
		t.Helper()
		_ = os.Remove(filepath.Join(dir, "rows.idx"))
		lib, err := trace.OpenLazy(t.Context(), []string{dir}, trace.Choice{})
		if err != nil || lib.Pending() < 200 || want.Pending() > 0 {
			t.Fatalf("%v, or a run with too few wrong answers for this test: %d", err, lib.Pending())
		}
		return lib
	}
	for _, f := range []trace.Filter{
		{Limit: 7},
		{Limit: 7, Sort: "-tokens"},
		{Cause: []string{"unknown", "lack_of_context"}},
		{LostAt: []string{"hits"}, Limit: 3},
		{Sort: "-cause"},
		{Sort: "lost-at", Limit: 2},
		{Status: []string{"wrong"}},
		{},
	} {
		lib := lazily()
		rows, n, err := lib.Select(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if err := lib.Explain(t.Context(), rows); err != nil {
			t.Fatal(err)
		}
		wanted, m, err := want.Select(t.Context(), f)
		if diff := cmp.Diff(wanted, rows); err != nil || n != m || diff != "" || len(rows) == 0 {
			t.Errorf("%v: %d and %d rows, error %v (-all at once +lazily):\n%s", f, m, n, err, diff)
		}
	}
	lib := lazily()
	name := lib.Rows()[3].Episode
	got, err := lib.Run(dir).Episode(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if row, _ := want.Row(got.Key()); !cmp.Equal(row, got.Row) {
		t.Errorf("one episode (-all at once +lazily):\n%s", cmp.Diff(row, got.Row))
	}
	t.Run("adopt", func(t *testing.T) { adopt(t, dir, lazily(), want) })
}

// adopt takes causes from a copy before and after a change of scores.
func adopt(t *testing.T, dir string, lib, want *trace.Library) {
	early := lib.Copy()
	rows := early.Rows()
	if err := early.Explain(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	lib.Adopt(early, rows[:10])
	if diff := cmp.Diff(want.Rows()[:10], lib.Rows()[:10]); diff != "" || lib.Pending() != len(rows)-10 {
		t.Errorf("%d pending (-all at once +adopted):\n%s", lib.Pending(), diff)
	}
	rescore(t, dir, func(s *qa.Score) { s.Value = 0.25 })
	if changed, err := lib.Refresh(context.Background()); !changed || err != nil {
		t.Fatal(changed, err)
	}
	pending := lib.Pending()
	if lib.Adopt(early, rows); pending < 200 || lib.Pending() != pending {
		t.Errorf("%d pending rows, and %d after the causes for other scores", pending, lib.Pending())
	}
}

// Causes that are kept beside a long log are those that are computed, until a score, the questions or the log change.
func TestKeptCauses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	allWrong(t, dir, 30)
	file := filepath.Join(dir, runlog.CausesFile)
	read := func() []cause.Run {
		t.Helper()
		run, err := runlog.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		examples, _, err := dataset.Load(filepath.Join(dir, runlog.QuestionsFile))
		if err != nil {
			t.Fatal(err)
		}
		runs, err := cause.Read(t.Context(), []cause.Source{{Run: run, Examples: examples}}, cause.Choice{})
		if err != nil {
			t.Fatal(err)
		}
		return runs
	}
	want := read()
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("the log is too short for this test, or causes are not kept: %v", err)
	}
	check := func(name string, isNew bool) {
		t.Helper()
		kept := read()
		now, err := os.ReadFile(file)
		if err != nil || bytes.Equal(now, before) == isNew {
			t.Errorf("%s: kept causes were used, or computed again without need: %v", name, err)
		}
		_ = os.Remove(file)
		if diff := cmp.Diff(read(), kept); diff != "" || len(kept[0].Rows) == 0 {
			t.Errorf("%s (-computed +kept):\n%s", name, diff)
		}
		if before, err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	check("nothing changed", false)
	rescore(t, dir, func(s *qa.Score) { s.FormatOnly = s.Repeat == 3 })
	check("other scores", true)
	if cmp.Equal(want, read()) {
		t.Error("the scores make no difference")
	}
	questions := filepath.Join(dir, runlog.QuestionsFile)
	raw, err := os.ReadFile(questions)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(questions, bytes.ReplaceAll(raw, []byte(`"tags"`), []byte(`"labels"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	check("other questions", true)
	log, err := os.OpenFile(filepath.Join(dir, runlog.LogFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	first := fmt.Sprintf(`{"type":"start","episode":%q,"seq":1,"time":"2031-01-01T00:00:00Z"}`+"\n", want[0].Rows[0].UUID+"#0")
	if _, err := log.WriteString(first); err != nil {
		t.Fatal(err)
	}
	check("an episode that starts over", true)
}
