package ingest_test

import (
	"os"
	"runtime"
	"strconv"
	"testing"

	"airqa/ingest"
	"airqa/internal/testkit"
)

// TestMemoryStaysFlat reads the sample papers repeatedly. After the first rounds, the memory in use must not grow with
// the number of papers. AIRQA_TEST_ROUNDS sets the number of rounds of six papers: 170 for a thousand papers.
func TestMemoryStaysFlat(t *testing.T) {
	testkit.OneGoroutine(t)
	rounds := 6
	if n, err := strconv.Atoi(os.Getenv("AIRQA_TEST_ROUNDS")); err == nil {
		rounds = n
	}
	t.Setenv("AIRQA_TEST_PDFS", "")
	paths, r := benchPapers(t), reader(t)
	for range 2 {
		ingestAll(t, r, paths)
	}
	before, pages := heapInUse(), 0
	for range rounds {
		pages += ingestAll(t, r, paths)
	}
	after := heapInUse()
	t.Logf("%d pages: %d MB before, %d MB after", pages, before>>20, after>>20)
	// A PDFium instance may or may not be idle in the pool: 16 MB each, two workers.
	const slack = 40 << 20
	if after > before+slack {
		t.Errorf("%d pages: the memory in use grew from %d to %d MB", pages, before>>20, after>>20)
	}
}

// heapInUse returns the live heap after a collection; the second collection frees what finalizers release.
func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkIngestMemory reports the memory that a paper needs while it is read, and afterwards.
func BenchmarkIngestMemory(b *testing.B) {
	paths := benchPapers(b)
	r, err := ingest.NewReader(pool)
	if err != nil {
		b.Fatal(err)
	}
	ingestAll(b, r, paths)
	before := heapInUse()
	b.ReportAllocs()
	for b.Loop() {
		ingestAll(b, r, paths)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys>>20), "MB-from-OS")
	b.ReportMetric((float64(heapInUse())-float64(before))/(1<<20), "MB-kept")
}
