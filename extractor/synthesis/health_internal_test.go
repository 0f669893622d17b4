package synthesis

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/runlog"
)

// Each repeat of a question counts by its own score.
func TestHealthOfRepeats(t *testing.T) {
	made := recordtest.Make(t, recordtest.Config{
		Dir: filepath.Join(t.TempDir(), "run"), Baseline: "agentic-hybrid", Settings: qa.DefaultSettings(), Questions: 6, Repeats: 3, Seed: 2, Scored: true,
	})
	_, scores, err := runlog.ReadScores(made.Run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	want := make(map[string]int)
	for rec, err := range made.Run.Episodes() {
		if err != nil {
			t.Fatal(err)
		}
		want[resultOf(rec.Trajectory, qa.ByEpisode(scores)[rec.Episode])]++
	}
	health, _, err := readHealth(made.Run.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int)
	for result, n := range health.Results {
		got[result] = n.Episodes
	}
	if diff := cmp.Diff(want, got); diff != "" || want[string(qa.Right)] == 0 || want[string(qa.Wrong)] == 0 {
		t.Errorf("results %v (-want +got):\n%s", want, diff)
	}
}
