package runlog_test

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"airqa/qa"
	"airqa/runlog"
)

// Events of the size of a step's, by one episode and by 32 at once, each of which waits at its end until it is on the disk.
func BenchmarkWriter(b *testing.B) {
	for _, episodes := range []int{1, 32} {
		b.Run(strconv.Itoa(episodes)+"-at-once", func(b *testing.B) { benchmarkWriter(b, episodes) })
	}
}

// stepsBeforeEnd is how many steps an episode of the benchmark has; each is two events.
const stepsBeforeEnd = 4

func benchmarkWriter(b *testing.B, episodes int) {
	dir := b.TempDir()
	if err := runlog.Create(dir, runlog.Config{}, nil); err != nil {
		b.Fatal(err)
	}
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Redact: runlog.Redactor([]string{"a-secret-of-the-user"}, "/home/someone")})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	writes, cpu := writeCalls(b), cpuTime(b)
	b.ResetTimer()
	var all sync.WaitGroup
	for worker := range episodes {
		all.Go(func() {
			for i := worker; i < b.N; i += episodes {
				if err := writeEpisode(w, strconv.Itoa(i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.StopTimer()
	events := float64(b.N * (2*stepsBeforeEnd + 2))
	b.ReportMetric(float64(writeCalls(b)-writes)/events, "writes/event")
	b.ReportMetric((cpuTime(b)-cpu).Seconds()*1e6/events, "cpu-µs/event")
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/episode")
}

func writeEpisode(w *runlog.Writer, uuid string) error {
	e, err := w.Begin(uuid, 0, nil)
	if err != nil {
		return err
	}
	now := time.Now()
	tr := qa.Trajectory{Outcome: qa.Answered, Answer: qa.Answer{Given: true, Text: "384", Literal: "384"}}
	for n := range stepsBeforeEnd {
		s := qa.Step{
			N: n + 1, By: qa.ByModel, Shown: []qa.Span{{First: 0, End: 2*n + 2}}, Kept: 60, Started: now, Acted: now, Ended: now,
			Reply:       &qa.Reply{Text: "[Thought]: look it up\n[Action]: Retrieve(query=\"window size\")", Usage: qa.Usage{Prompt: 1203, Completion: 21}},
			Action:      &qa.Action{Name: "Retrieve", Args: map[string]any{"query": "window size"}, Text: "Retrieve(query='window size')"},
			Observation: &qa.Observation{Status: qa.StatusOK, Text: strings.Repeat("A passage of a paper, of some hundred characters. ", 40)},
		}
		if err := e.Call(s); err != nil {
			return err
		}
		if err := e.Observation(s); err != nil {
			return err
		}
	}
	return e.End(tr)
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// writeCalls counts the write calls of this process; 0 if the system does not report them.
func writeCalls(b *testing.B) int {
	b.Helper()
	raw, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(raw), "syscw: ")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(line)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
