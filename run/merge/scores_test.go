package merge_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"airqa/qa"
	"airqa/run/merge"
	"airqa/run/shard"
	"airqa/runlog"
)

// score writes scores of all ended answers of a run.
func (w *world) score(dir string, judge string, created time.Time, uuids ...string) {
	w.t.Helper()
	var scores []qa.Score
	for _, uuid := range uuids {
		scores = append(scores, qa.Score{UUID: uuid, Verdict: qa.Right, Value: 1})
	}
	w.ok(runlog.WriteScores(dir, runlog.Scoring{Mode: "reference", Judge: judge, Created: created}, scores, nil))
}

func TestMergeScores(t *testing.T) {
	later := clock.Add(time.Hour)
	tests := []struct {
		name  string
		score func(w *world, lists [2][]string)
		want  string // scores that are kept
		drop  string
	}{
		{"all shards", func(w *world, lists [2][]string) {
			w.score(w.path("shards/1"), "a", later, lists[0]...)
			w.score(w.path("shards/2"), "a", later.Add(time.Second), lists[1]...)
		}, "reference.a", ""},
		{"one shard", func(w *world, lists [2][]string) { w.score(w.path("shards/1"), "a", later, lists[0]...) }, "", "has no such scores"},
		{"two judges", func(w *world, lists [2][]string) {
			w.score(w.path("shards/1"), "a", later, lists[0]...)
			w.score(w.path("shards/2"), "b", later, lists[1]...)
		}, "", "has no such scores"},
		{"newer answers", func(w *world, lists [2][]string) {
			w.score(w.path("shards/1"), "a", clock.Add(-time.Hour), lists[0]...)
			w.score(w.path("shards/2"), "a", later, lists[1]...)
		}, "", "newer than its scores"},
		{"an answer without a score", func(w *world, lists [2][]string) {
			w.score(w.path("shards/1"), "a", later, lists[0]...)
			w.score(w.path("shards/2"), "a", later, lists[1][1:]...)
		}, "", "has scores of 4 of 5 answers"},
		{"the earlier merge", func(w *world, lists [2][]string) {
			w.merged(false, w.path("shards"))
			w.score(w.path("out"), "a", later, slices.Concat(lists[0], lists[1])...)
		}, "reference.a", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.shards(2)
			var lists [2][]string
			for i := range lists {
				_, share := shard.Part{Index: i + 1, Of: 2}.Take(w.examples)
				lists[i] = share.UUIDs
			}
			tt.score(w, lists)
			r := w.merged(false, w.path("shards"))
			if strings.Join(r.Scores, " ") != tt.want || (len(r.DroppedScores) > 0) != (tt.drop != "") {
				t.Fatalf("result %+v", r)
			}
			if tt.drop != "" {
				if !strings.Contains(r.DroppedScores[0].Reason, tt.drop) || !strings.Contains(r.Text(80), "without the scores") {
					t.Errorf("dropped %+v", r.DroppedScores)
				}
				return
			}
			_, scores, err := runlog.FindScores(w.path("out"), "reference", "a")
			w.ok(err)
			var got []string
			for _, s := range scores {
				got = append(got, s.UUID)
			}
			if strings.Join(got, " ") != "q0 q1 q2 q3 q4 q5 q6 q7 q8 q9" {
				t.Errorf("scores of %v", got)
			}
		})
	}
}

// A merged run was created when its first shard was.
func TestCreated(t *testing.T) {
	w := newWorld(t)
	for i, age := range []time.Duration{time.Hour, 3 * time.Hour, 2 * time.Hour} {
		w.shard(fmt.Sprintf("shards/%d", i+1), shard.Part{Index: i + 1, Of: 3}, nil, func(c *runlog.Config) { c.Created = clock.Add(-age) })
	}
	w.merged(false, w.path("shards"))
	c, err := runlog.ReadConfig(w.path("out"))
	w.ok(err)
	if want := clock.Add(-3 * time.Hour); !c.Created.Equal(want) {
		t.Errorf("created %v, want %v", c.Created, want)
	}
}

// Scores that cannot be written are an error of the merge.
func TestScoresNotWritten(t *testing.T) {
	w := newWorld(t)
	w.shards(2)
	for i := range 2 {
		_, share := shard.Part{Index: i + 1, Of: 2}.Take(w.examples)
		w.score(w.path(fmt.Sprintf("shards/%d", i+1)), "a", clock.Add(time.Hour), share.UUIDs...)
	}
	jobs, err := merge.Find([]string{w.path("shards")}, w.path("out"))
	w.ok(err)
	m := w.merger(false)
	m.Redact = func(b []byte) []byte { // called with what is about to be written
		if bytes.Contains(b, []byte(`"verdict"`)) {
			for _, dir := range w.besides() {
				w.ok(errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600))) // a file instead of the folder
			}
		}
		return b
	}
	if results, err := m.Merge(jobs); err == nil {
		t.Errorf("results %+v", results)
	}
}

// besides are the folders of the world that are no shards.
func (w *world) besides() (dirs []string) {
	entries, err := os.ReadDir(w.dir)
	w.ok(err)
	for _, e := range entries {
		if e.Name() != "shards" {
			dirs = append(dirs, w.path(e.Name()))
		}
	}
	return dirs
}
