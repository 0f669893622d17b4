package status_test

import (
	"fmt"
	"slices"
	"testing"

	"airqa/run/status"
	"airqa/runlog"
)

// Shards of one run have one total, wherever they are named from.
func TestTotals(t *testing.T) {
	type shard struct {
		run, shard, baseline                string
		questions, done, left, failed, skip int
		writing                             bool
	}
	tests := []struct {
		name   string
		shards []shard
		want   []string // run, shards that run and wait, questions, done, left, failed
	}{
		{"one", []shard{{"r/1-of-2", "1/2", "rag", 3, 3, 0, 0, 0, false}}, nil},
		{"undivided", []shard{{"a", "", "rag", 3, 3, 0, 0, 0, false}, {"b", "", "rag", 3, 3, 0, 0, 0, false}}, nil},
		{
			"ended, running, waiting, not begun",
			[]shard{{"r/1-of-4", "1/4", "rag", 10, 10, 0, 0, 0, false}, {"r/2-of-4", "2/4", "rag", 10, 4, 5, 1, 0, true}, {"r/4-of-4", "4/4", "rag", 10, 2, 8, 0, 0, false}},
			[]string{"r [2] [3 4] 40: 16 23 1"},
		},
		{
			"failed and skipped questions are final",
			[]shard{{"r/1-of-2", "1/2", "rag", 5, 3, 0, 2, 0, false}, {"r/2-of-2", "2/2", "rag", 4, 1, 3, 0, 3, false}},
			[]string{"r [] [] 9: 4 3 2"},
		},
		{
			"several runs in the working directory",
			[]shard{{"1-of-2/a", "1/2", "a", 2, 2, 0, 0, 0, false}, {"1-of-2/b", "1/2", "b", 2, 1, 1, 0, 0, true}, {"2-of-2/a", "2/2", "a", 2, 2, 0, 0, 0, false}, {"2-of-2/b", "2/2", "b", 2, 2, 0, 0, 0, false}},
			[]string{"a [] [] 4: 4 0 0", "b [1] [] 4: 3 1 0"},
		},
		{
			"an absolute path, another division, other names",
			[]shard{
				{"/x/1-of-2", "1/2", "rag", 2, 2, 0, 0, 0, false},
				{"/x/2-of-2", "2/2", "rag", 1, 1, 0, 0, 0, false},
				{"/x/1-of-3", "1/3", "rag", 1, 1, 0, 0, 0, false},
				{"/y/one", "1/2", "rag", 2, 2, 0, 0, 0, false},
				{"/y/two", "2/2", "rag", 1, 1, 0, 0, 0, false},
			},
			[]string{"/x [] [] 3: 3 0 0", "/y [] [] 3: 3 0 0"},
		},
		{
			"in the working directory",
			[]shard{{"1-of-2", "1/2", "rag", 2, 2, 0, 0, 0, false}, {"2-of-2", "2/2", "rag", 1, 1, 0, 0, 0, false}},
			[]string{". [] [] 3: 3 0 0"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var all []status.Status
			for _, s := range tt.shards {
				all = append(all, status.Status{
					Run: s.run, Shard: s.shard, Baseline: s.baseline, Writing: s.writing, Questions: s.questions, Repeats: 1,
					Episodes: s.questions, Done: s.done, Left: s.left, Failed: s.failed, Missing: &runlog.Lacking{Skipped: s.skip},
				})
			}
			var got []string
			for _, s := range status.Totals(all) {
				got = append(got, fmt.Sprintf("%s %v %v %d: %d %d %d", s.Run, s.Shards.Running, s.Shards.Waiting, s.Questions, s.Done, s.Left, s.Failed))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
