package trace_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"airqa/internal/testkit/bigrun"
	"airqa/qa/dataset"
	"airqa/runlog"
	"airqa/trace"
	"airqa/trace/cause"
)

// BenchmarkOpen opens a long run whose rows are kept beside the log. AIRQA_TEST_BIG names a folder for the run of full
// size, 100,000 episodes in 2 GB, which is kept there; without it there are 2,000 in 40 MB.
func BenchmarkOpen(b *testing.B) {
	dir, count, size := filepath.Join(os.Getenv("AIRQA_TEST_BIG"), "many"), 100_000, 2<<30
	if os.Getenv("AIRQA_TEST_BIG") == "" {
		dir, count, size = filepath.Join(b.TempDir(), "many"), 2_000, 40<<20
	}
	if _, err := os.Stat(filepath.Join(dir, "complete")); err != nil {
		if err := bigrun.Many(dir, count, size); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "complete"), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	open(b, dir)
	b.ReportAllocs()
	for b.Loop() {
		lib := open(b, dir)
		if rows, _, err := lib.Select(context.Background(), trace.Filter{Limit: 100}); err != nil || len(rows) != 100 {
			b.Fatal(len(rows), err)
		}
	}
}

// BenchmarkFirstLook opens a run with 600 wrong answers for the first time: its list of 50 rows, as on a terminal, and the
// causes of all. AIRQA_TEST_RUN names a scored run to take instead, whose kept rows are removed.
func BenchmarkFirstLook(b *testing.B) {
	dir := os.Getenv("AIRQA_TEST_RUN")
	if dir == "" {
		dir = filepath.Join(b.TempDir(), "run")
		allWrong(b, dir, 60)
	}
	run, err := runlog.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	examples, _, err := dataset.Load(filepath.Join(dir, runlog.QuestionsFile))
	if err != nil {
		b.Fatal(err)
	}
	for _, kept := range []bool{false, true} {
		name := map[bool]string{false: "first", true: "kept"}[kept]
		clean := func() {
			if !kept {
				_ = os.Remove(filepath.Join(dir, runlog.RowsFile))
				_ = os.Remove(filepath.Join(dir, runlog.CausesFile))
			}
		}
		b.Run("trace/"+name, func(b *testing.B) {
			for b.Loop() {
				clean()
				lib, err := trace.OpenLazy(b.Context(), []string{dir}, trace.Choice{})
				if err != nil {
					b.Fatal(err)
				}
				if err := lib.Explain(b.Context(), slices.Clone(lib.Rows()[:50])); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("why/"+name, func(b *testing.B) {
			for b.Loop() {
				clean()
				runs, err := cause.Read(b.Context(), []cause.Source{{Run: run, Examples: examples}}, cause.Choice{})
				if err != nil || len(runs[0].Rows) == 0 {
					b.Fatal(runs, err)
				}
			}
		})
	}
}
