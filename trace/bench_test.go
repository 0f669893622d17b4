package trace_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"airqa/internal/testkit/bigrun"
	"airqa/trace"
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
