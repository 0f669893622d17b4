package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"airqa/qa/dataset"
)

// Episodes with tools that do nothing: what the program itself takes of four calls. The endpoint runs in this process and
// shares the cores, the episodes run in another, whose processor time is measured alone.
func BenchmarkEpisodesIdleTools(b *testing.B) {
	server := newLoadServer(b, loadReplies())
	benchmarkLoad(b, server, 32, load(b, 2000))
}

// A second's delay and 256 connections: how near the program comes to a second a call.
func BenchmarkEpisodesSlowEndpoint(b *testing.B) {
	server := newLoadServer(b, loadReplies())
	server.delay = time.Second
	const workers = 256
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	r := benchmarkLoad(b, server, workers, workers*rounds)
	b.ReportMetric(float64(rounds*len(loadReplies()))/r.Seconds, "of-ideal")
}

// load is the number of episodes of a benchmark: at least least, or a hundredth of it with -short.
func load(b *testing.B, least int) int {
	if testing.Short() {
		least /= 100
	}
	return max(least, b.N)
}

func benchmarkLoad(b *testing.B, server *loadServer, workers, episodes int) loadResult {
	b.Helper()
	r := loaded(b, loadSpec{URL: server.URL(), Dir: filepath.Join(b.TempDir(), "run"), Episodes: episodes, Workers: workers})
	if r.Finished != episodes {
		b.Fatalf("%d of %d episodes finished", r.Finished, episodes)
	}
	n := float64(episodes)
	b.ReportMetric(n/r.Seconds, "episodes/s")
	b.ReportMetric(1000*r.CPU/n, "cpu-ms/episode")
	b.ReportMetric(float64(r.MaxRSS)/1e6, "MB")
	b.ReportMetric(0, "ns/op") // the whole load is one operation
	return r
}

// loaded runs a load in another process.
func loaded(tb testing.TB, s loadSpec) loadResult {
	tb.Helper()
	spec, err := json.Marshal(s)
	if err != nil {
		tb.Fatal(err)
	}
	c := exec.CommandContext(tb.Context(), os.Args[0])
	c.Env = append(os.Environ(), asLoad+"="+string(spec), "OPENAI_API_KEY=sk-test-key-that-is-long")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		tb.Fatalf("%v\n%s", err, errs.String())
	}
	var r loadResult
	if err := json.Unmarshal(out, &r); err != nil {
		tb.Fatalf("%v in %s", err, out)
	}
	return r
}

// Episodes of the program itself with the sample papers: two searches by vectors and a query in its sandbox. The processor
// time is that of the program and of its workers.
func BenchmarkEpisodesRealTools(b *testing.B) { benchmarkTools(b, newLoadServer(b, loadReplies())) }

// The same, but no two episodes share a search or a query, so that nothing kept from one helps another.
func BenchmarkEpisodesOwnQueries(b *testing.B) {
	replies := loadReplies()
	for i := range replies {
		replies[i] = strings.NewReplacer("size of the window", "size NUMBER of the window", "window of tokens", "window of NUMBER tokens",
			"LIMIT 2", "WHERE title <> 'NUMBER' LIMIT 2").Replace(replies[i])
	}
	server := newLoadServer(b, replies)
	server.own = true
	benchmarkTools(b, server)
}

func benchmarkTools(b *testing.B, server *loadServer) {
	b.Helper()
	data := ingested(b)
	episodes := load(b, 1000)
	c := loadCommand(b, loadRun{data: data, url: server.URL(), dir: b.TempDir(), episodes: episodes, workers: 16})
	start := time.Now()
	if raw, err := c.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, raw)
	}
	seconds, state := time.Since(start).Seconds(), c.ProcessState
	b.ReportMetric(float64(episodes)/seconds, "episodes/s")
	b.ReportMetric(1000*(state.UserTime()+state.SystemTime()).Seconds()/float64(episodes), "cpu-ms/episode")
	if u, ok := state.SysUsage().(*syscall.Rusage); ok {
		b.ReportMetric(float64(u.Maxrss)*1024/1e6, "MB")
	}
	b.ReportMetric(0, "ns/op") // the whole load is one operation
}

// loadRun is a start of airqa run against a load server.
type loadRun struct {
	data, url, dir    string
	episodes, workers int
	more              []string
}

// loadCommand writes the questions and makes the command.
func loadCommand(tb testing.TB, r loadRun) *exec.Cmd {
	tb.Helper()
	lines, err := dataset.Lines(loadQuestions(r.episodes))
	if err != nil {
		tb.Fatal(err)
	}
	questions := filepath.Join(r.dir, "questions.jsonl")
	if err := os.WriteFile(questions, lines, 0o600); err != nil {
		tb.Fatal(err)
	}
	args := append([]string{
		"run", "--data", r.data, "--questions", questions, "--baseline", "agentic-hybrid", "--model", "openai:load",
		"--base-url", r.url, "--out", filepath.Join(r.dir, "run"), "-j", strconv.Itoa(r.workers),
	}, r.more...)
	c := exec.CommandContext(tb.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"=1", "OPENAI_API_KEY=sk-test-key-that-is-long")
	return c
}

// The time from the start to the end of airqa --version. AIRQA_TEST_BINARY names a binary to take instead of this one.
func BenchmarkVersion(b *testing.B) {
	binary, best := os.Args[0], time.Hour
	if named := os.Getenv("AIRQA_TEST_BINARY"); named != "" {
		binary = named
	}
	var cpu time.Duration
	for b.Loop() {
		c := exec.CommandContext(b.Context(), binary, "--version")
		c.Env = append(os.Environ(), asProgram+"=1")
		start := time.Now()
		out, err := c.Output()
		if err != nil || !strings.HasPrefix(string(out), "airqa ") {
			b.Fatal(errors.Join(err, errors.New(string(out))))
		}
		best = min(best, time.Since(start))
		cpu += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	b.ReportMetric(best.Seconds()*1000, "best-ms")
	b.ReportMetric(cpu.Seconds()*1000/float64(b.N), "cpu-ms")
}
