package pdf_test

import (
	"cmp"
	"context"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"airqa/env/pdf"
	"airqa/internal/testkit"
)

// More viewers than instances, on new pools, as in the first minute of a run. A viewer that missed the return of an
// instance would wait until the deadline. AIRQA_TEST_POOLS sets the number of pools; every fiftieth starts with an
// empty compile cache.
func TestNoViewerWaitsForEver(t *testing.T) {
	pools, err := strconv.Atoi(cmp.Or(os.Getenv("AIRQA_TEST_POOLS"), strconv.Itoa(testkit.Rounds(6, 20))))
	if err != nil {
		t.Fatal(err)
	}
	paths := papers(t, 6)
	for i := range pools {
		cfg := pdf.Config{MaxInstances: 1 + i%4, MaxPixels: maxPixels}
		if i%50 == 7 && !testing.Short() { // compiling takes a minute under the race detector
			cfg.CacheDir = t.TempDir()
		}
		crowd(t, cfg, paths)
	}
}

// crowd makes eight viewers render six files with one pool.
func crowd(t *testing.T, cfg pdf.Config, paths []string) {
	t.Helper()
	p, err := pdf.NewPool(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 3 {
				at := (worker + i) % len(paths)
				if _, _, err := (pdf.Viewer{Pool: p, DPI: 36}).View(ctx, paths[at], 1, nil); err != nil {
					t.Errorf("%d instances, worker %d, picture %d: %v", cfg.MaxInstances, worker, i, err)
				}
			}
		})
	}
	all.Wait()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow()
	}
}
