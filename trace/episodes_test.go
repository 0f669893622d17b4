package trace_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit"
	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/trace"
	"airqa/trace/cause"
)

// world records a run with repeats, interruptions and scores.
func world(t testing.TB, dir string, seed uint64) recordtest.Made {
	t.Helper()
	return recordtest.Make(t, recordtest.Config{
		Dir: dir, Baseline: "agentic-hybrid", Settings: qa.DefaultSettings(), Questions: 12, Repeats: 3, Seed: seed, Interrupt: true, Scored: true,
	})
}

func open(t testing.TB, paths ...string) *trace.Library {
	t.Helper()
	lib, err := trace.Open(context.Background(), paths, trace.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

func TestRows(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	made := world(t, dir, 1)
	lib := open(t, dir)
	if got, want := len(lib.Rows()), len(made.Run.UUIDs()); got != want {
		t.Fatalf("%d rows of %d episodes", got, want)
	}
	_, scores, err := runlog.ReadScores(dir)
	if err != nil {
		t.Fatal(err)
	}
	verdicts := make(map[string]qa.Verdict)
	for _, s := range scores {
		verdicts[qa.EpisodeID(s.UUID, s.Repeat)] = s.Verdict
	}
	seen := make(map[trace.Status]int)
	for i, w := range lib.Rows() {
		seen[w.Status]++
		if w.Episode != made.Run.UUIDs()[i] || !strings.HasPrefix(w.UUID, w.Short) || w.Verdict != verdicts[w.Episode] {
			t.Errorf("row %d: %s %s %s", i, w.Episode, w.Short, w.Verdict)
		}
		if (w.LostAt == "") != (w.Status == trace.Right) || (w.Cause != "") != (w.Status == trace.Wrong) {
			t.Errorf("%s: %s, lost at %q, cause %q", w.Episode, w.Status, w.LostAt, w.Cause)
		}
	}
	if seen[trace.Right] == 0 || seen[trace.Wrong] == 0 {
		t.Errorf("statuses %v", seen)
	}
}

// TestCauses compares the list with airqa why, and single episodes with the list.
func TestCauses(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := filepath.Join(t.TempDir(), "run")
	made := world(t, dir, 2)
	runs, err := cause.Read(context.Background(), []cause.Source{{Run: made.Run, Examples: made.Examples}}, cause.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]cause.Code)
	for _, r := range runs[0].Rows {
		want[qa.EpisodeID(r.UUID, r.Repeat)] = r.Code
	}
	lib, got := open(t, dir), make(map[string]cause.Code)
	for _, w := range lib.Rows() {
		if w.Cause != "" {
			got[w.Episode] = w.Cause
		}
		e, err := lib.Run(w.Run).Episode(context.Background(), w.Episode)
		if err != nil || e.Why.Code != w.Cause || e.Loss.Level != w.LostAt || e.Traced.Turns != w.Turns {
			t.Errorf("%s: %v, cause %s and %s", w.Episode, err, e.Why.Code, w.Cause)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("causes (-why +list):\n%s", diff)
	}
}

func TestSelect(t *testing.T) {
	root := t.TempDir()
	world(t, filepath.Join(root, "a"), 1)
	world(t, filepath.Join(root, "b"), 2)
	lib := open(t, root)
	if len(lib.Runs) != 2 {
		t.Fatalf("%d runs", len(lib.Runs))
	}
	text := lib.Rows()[0].Question
	tests := []struct {
		name  string
		given trace.Filter
		want  func(trace.Row) bool
	}{
		{"everything", trace.Filter{}, func(trace.Row) bool { return true }},
		{"status", trace.Filter{Status: []string{"wrong"}}, func(w trace.Row) bool { return w.Status == trace.Wrong }},
		{"two statuses", trace.Filter{Status: []string{"wrong", "right"}}, func(w trace.Row) bool {
			return w.Status == trace.Wrong || w.Status == trace.Right
		}},
		{"two fields", trace.Filter{Status: []string{"wrong"}, LostAt: []string{"hits"}}, func(w trace.Row) bool {
			return w.Status == trace.Wrong && w.LostAt == cause.LevelHits
		}},
		{"cause", trace.Filter{Cause: []string{"repetition"}}, func(w trace.Row) bool { return w.Cause == cause.Repetition }},
		{"error", trace.Filter{Error: []string{"syntax"}}, func(w trace.Row) bool { return slices.Contains(w.Errors, "syntax") }},
		{"function", trace.Filter{Function: []string{"none"}}, func(trace.Row) bool { return false }},
		{"outcome", trace.Filter{Outcome: []string{"answered"}}, func(w trace.Row) bool { return w.Outcome == qa.Answered }},
		{"text", trace.Filter{Grep: text}, func(w trace.Row) bool { return w.Question == text }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows, total, err := lib.Select(context.Background(), test.given)
			if err != nil {
				t.Fatal(err)
			}
			var got, want []string
			for _, w := range rows {
				got = append(got, w.Run+w.Episode)
			}
			for _, w := range lib.Rows() {
				if test.want(w) {
					want = append(want, w.Run+w.Episode)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || total != len(want) {
				t.Errorf("%d in total (-want +got):\n%s", total, diff)
			}
		})
	}
}

func TestSort(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := filepath.Join(t.TempDir(), "run")
	world(t, dir, 3)
	lib := open(t, dir)
	for _, key := range trace.SortKeys() {
		up, _, err := lib.Select(context.Background(), trace.Filter{Sort: key})
		if err != nil {
			t.Fatal(err)
		}
		down, total, err := lib.Select(context.Background(), trace.Filter{Sort: "-" + key, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		if len(up) != total || len(down) != 5 {
			t.Errorf("%s: %d and %d of %d", key, len(up), len(down), total)
		}
	}
	rows, _, err := lib.Select(context.Background(), trace.Filter{Sort: "-tokens"})
	if err != nil || !slices.IsSortedFunc(rows, func(a, b trace.Row) int { return b.Tokens() - a.Tokens() }) {
		t.Errorf("not sorted: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for want, f := range map[string]trace.Filter{
		"--status bad: must be one of right": {Status: []string{"right", "bad"}},
		"--lost-at x: must be one of db":     {LostAt: []string{"x"}},
		"--error x: must be one of no_actio": {Error: []string{"x"}},
		"--cause x: must be one of lack_of_": {Cause: []string{"x"}},
		"--sort x: must be one of question,": {Sort: "-x"},
	} {
		if err := f.Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestAddresses: a filter survives its way through an address, and its flags name every field.
func TestAddresses(t *testing.T) {
	f := trace.Filter{
		Status: []string{"wrong", "failed"}, Tag: []string{"a&b"}, Function: []string{"f"}, Outcome: []string{"answered"}, Error: []string{"syntax"},
		LostAt: []string{"cut"}, Cause: []string{"repetition"}, Grep: "x=1&y", Sort: "-tokens", Limit: 7,
	}
	parsed, err := url.ParseQuery(f.Query().Encode())
	if err != nil {
		t.Fatal(err)
	}
	got, err := trace.FilterOf(parsed)
	if diff := cmp.Diff(f, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if len(f.Flags()) != 11 || f.Empty() || !(trace.Filter{Sort: "turns"}).Empty() {
		t.Errorf("flags %v", f.Flags())
	}
	for _, q := range []string{"limit=x", "limit=-1", "status=no"} {
		values, _ := url.ParseQuery(q)
		if _, err := trace.FilterOf(values); err == nil {
			t.Errorf("%s was accepted", q)
		}
	}
}

// TestKept: rows that are kept beside a long log are those that are computed, also after the log, the scores or a
// question change; and a damaged file is ignored.
func TestKept(t *testing.T) {
	testkit.Long(t, "reads a long log eight times")
	dir := filepath.Join(t.TempDir(), "run")
	recordtest.Make(t, recordtest.Config{
		Dir: dir, Baseline: "agentic-hybrid", Settings: qa.DefaultSettings(), Questions: 40, Repeats: 3, Seed: 5, Scored: true, Text: strings.Repeat("padding ", 1500),
	})
	file := filepath.Join(dir, "rows.idx")
	fresh := func() []trace.Row {
		t.Helper()
		_ = os.Remove(file)
		return open(t, dir).Rows()
	}
	want := fresh()
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("the log is too short for this test, or rows are not kept: %v", err)
	}
	check := func(name string) {
		t.Helper()
		kept := open(t, dir).Rows()
		if diff := cmp.Diff(fresh(), kept); diff != "" {
			t.Errorf("%s (-computed +kept):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(want, open(t, dir).Rows()); diff != "" {
		t.Errorf("kept rows differ:\n%s", diff)
	}
	scoring, scores, err := runlog.ReadScores(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range scores[:9] {
		scores[i].Verdict = map[qa.Verdict]qa.Verdict{qa.Right: qa.Wrong, qa.Wrong: qa.Unscored}[scores[i].Verdict]
	}
	if err := runlog.WriteScores(dir, scoring, scores[:len(scores)-1], nil); err != nil {
		t.Fatal(err)
	}
	check("other scores")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, len(raw) / 2, len(raw) - 1} {
		bad := slices.Clone(raw)
		bad[at] ^= 1
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		check("a changed byte")
	}
	if len(want) == 0 || cmp.Equal(want, open(t, dir).Rows()) {
		t.Error("the scores make no difference")
	}
}

// TestRefresh follows a run that another process writes.
func TestRefresh(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "run")
	world(t, whole, 4)
	raw, err := os.ReadFile(filepath.Join(whole, runlog.LogFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(whole, runlog.LogFile), raw[:len(raw)/3], 0o600); err != nil {
		t.Fatal(err)
	}
	lib := open(t, whole)
	if changed, err := lib.Refresh(context.Background()); changed || err != nil {
		t.Errorf("nothing changed: %v %v", changed, err)
	}
	for _, size := range []int{len(raw) / 2, len(raw) - 10, len(raw)} {
		if err := os.WriteFile(filepath.Join(whole, runlog.LogFile), raw[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		if changed, err := lib.Refresh(context.Background()); !changed || err != nil {
			t.Errorf("%d bytes: %v %v", size, changed, err)
		}
		if diff := cmp.Diff(open(t, whole).Rows(), lib.Rows()); diff != "" {
			t.Errorf("%d bytes (-opened +refreshed):\n%s", size, diff)
		}
	}
}

func TestFind(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := filepath.Join(t.TempDir(), "run")
	made := world(t, dir, 1)
	lib := open(t, dir)
	first := made.Run.UUIDs()[0]
	if w, err := lib.Find(first); err != nil || w.Episode != first {
		t.Errorf("%s: %v", w.Episode, err)
	}
	uuid, _ := qa.SplitEpisodeID(first)
	for _, repeat := range []int{0, 1, 2} {
		if w, err := lib.Find(qa.EpisodeID(lib.Rows()[0].Short, repeat)); err != nil || w.Repeat != repeat {
			t.Errorf("repeat %d: %s, %v", repeat, w.Episode, err)
		}
	}
	for prefix, want := range map[string]string{"none": `no episode begins with "none"`, uuid: "3 episodes begin with"} {
		if _, err := lib.Find(prefix); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", prefix, err)
		}
	}
}

// TestDamaged lists a damaged episode with the reason, and the others as they are.
func TestDamaged(t *testing.T) {
	testkit.OneGoroutine(t)
	dir := filepath.Join(t.TempDir(), "run")
	world(t, dir, 1)
	path := filepath.Join(dir, runlog.LogFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(raw), "\n")
	if err := os.WriteFile(path, []byte(strings.Join(slices.Delete(lines, 2, 3), "")), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, total, err := open(t, dir).Select(context.Background(), trace.Filter{Status: []string{"damaged"}})
	if err != nil || total != 1 || rows[0].Reason == "" {
		t.Errorf("%d damaged: %v", total, err)
	}
}
