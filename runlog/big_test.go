package runlog_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit/bigrun"
	"airqa/runlog"
)

// bigRun returns a run directory by its name. AIRQA_TEST_BIG names a folder for runs of full size, which are kept there;
// without it they are small.
func bigRun(b *testing.B, name string) string {
	b.Helper()
	base, divisor := os.Getenv("AIRQA_TEST_BIG"), 1
	if base == "" {
		base, divisor = b.TempDir(), 100
	}
	dir := filepath.Join(base, name)
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return dir
	}
	var err error
	switch name {
	case "many":
		err = bigrun.Many(dir, 100_000/divisor, 2<<30/divisor)
	case "127MB":
		err = bigrun.Long(dir, 2500/divisor, 50_000)
	case "10000steps":
		err = bigrun.Long(dir, 10_000/divisor, 500)
	case "20MBline":
		err = bigrun.Long(dir, 1, 20<<20/divisor)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "complete"), nil, 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
	return dir
}

func logSize(b *testing.B, dir string) int64 {
	b.Helper()
	info, err := os.Stat(filepath.Join(dir, runlog.LogFile))
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

func openRun(b *testing.B, dir string) *runlog.Run {
	b.Helper()
	r, err := runlog.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	return r
}

// Opening a log of 100,000 episodes, without its index and with it.
func BenchmarkBigOpen(b *testing.B) {
	dir := bigRun(b, "many")
	b.Run("without-index", func(b *testing.B) {
		b.SetBytes(logSize(b, dir))
		defer peak(b)()
		for b.Loop() {
			_ = os.Remove(filepath.Join(dir, "log.idx"))
			openRun(b, dir)
		}
	})
	b.Run("with-index", func(b *testing.B) {
		openRun(b, dir)
		defer peak(b)()
		for b.Loop() {
			openRun(b, dir)
		}
	})
}

// Search of the same log for texts that are in none, some, and all of its events.
func BenchmarkBigGrep(b *testing.B) {
	dir := bigRun(b, "many")
	r := openRun(b, dir)
	for _, c := range []struct{ name, text string }{
		{"absent", "no such text"},
		{"absent-short", "qx"},
		{"rare", "needle-000999"},
		{"everywhere-once", "window of needle"},
		{"prompt", "zyzzyva"},
		{"frequent", "attention"},
		{"very-frequent", "the"},
		{"exact", "Needle"},
		{"other-script", "модель xy"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(logSize(b, dir))
			defer peak(b)()
			for b.Loop() {
				grepOnce(b, r, c.text)
			}
		})
	}
}

func grepOnce(b *testing.B, r *runlog.Run, text string) {
	b.Helper()
	start, hits := time.Now(), 0
	for _, err := range r.Grep(context.Background(), text) {
		if err != nil {
			b.Fatal(err)
		}
		if hits == 0 {
			b.ReportMetric(float64(time.Since(start).Microseconds())/1e3, "ms-first")
		}
		hits++
	}
	b.ReportMetric(float64(hits), "hits")
}

// Reading one large episode.
func BenchmarkBigEpisode(b *testing.B) {
	for _, name := range []string{"127MB", "10000steps", "20MBline"} {
		dir := bigRun(b, name)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(logSize(b, dir))
			defer peak(b)()
			for b.Loop() {
				r := openRun(b, dir)
				for _, err := range r.Episodes() {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// peak returns a function that reports the processor time since the call, and the maximum memory of the process in MB, if
// the system knows it.
func peak(b *testing.B) func() {
	b.Helper()
	cpu := cpuTime(b)
	debug.FreeOSMemory()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600); err != nil {
		b.Log(err)
	}
	return func() {
		b.ReportMetric((cpuTime(b)-cpu).Seconds()/float64(b.N), "cpu-s/op")
		raw, err := os.ReadFile("/proc/self/status")
		if err != nil {
			b.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(raw), "VmHWM:")
		kb, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(kb)/1e3, "MB-peak")
	}
}
