package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"airqa/internal/testkit"
	"airqa/qa"
	"airqa/runlog"
)

// faultyEpisodes is how many episodes run against a faulty endpoint: AIRQA_TEST_EPISODES of them, or a few.
func faultyEpisodes(t *testing.T) int {
	t.Helper()
	text := os.Getenv("AIRQA_TEST_EPISODES")
	if text == "" {
		return testkit.Rounds(40, 150)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("AIRQA_TEST_EPISODES=%s", text)
	}
	return n
}

const (
	faultyWorkers = 48
	// mostLost is how many failed requests a kill may take with it: those of a call are written when it ends.
	mostLost = faultyWorkers * mostFaults
)

// faultyReplies are four turns of which one cannot be read.
func faultyReplies() []string {
	replies := loadReplies()
	replies[2] = "[Thought]: I forget how to act."
	return replies
}

// With 5 % of 429s, 2 % of 500s, 1 % cut replies and 1 % garbage all episodes end, none is lost or doubled, no request is
// made that the faults do not require, and what they cost is in the log.
func TestFaultyEndpoint(t *testing.T) {
	t.Parallel()
	n := faultyEpisodes(t)
	server := newLoadServer(t, faultyReplies())
	server.plan = faultPlan
	dir := t.TempDir()
	c := faultyCommand(t, ingested(t), dir, server.URL(), n)
	memory := runMeasured(t, c)
	want := required(n, len(server.replies))
	if got := server.Calls(); got != want {
		t.Errorf("%d calls, the faults require %d", got, want)
	}
	for key, k := range server.good {
		if k != 1 {
			t.Errorf("turn %s was answered %d times", key, k)
		}
	}
	checkFaulty(t, filepath.Join(dir, "run"), server, n, server.Calls())
	if memory > 400e6 && !raceEnabled {
		t.Errorf("%d MB of memory", memory/1e6)
	}
	t.Logf("%d episodes, %d calls, faults %v, %d MB", n, server.Calls(), server.faults, memory/1e6)
}

// runMeasured runs a command and returns the most memory it had, in bytes; 0 where /proc does not report it. The rusage
// of a child will not do: it begins with the memory of the test that forked it.
func runMeasured(t *testing.T, c *exec.Cmd) int64 {
	t.Helper()
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	peak := int64(0)
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatalf("%v\n%s", err, out.Bytes())
			}
			return peak
		case <-time.After(20 * time.Millisecond):
			peak = max(peak, memoryOf(c.Process.Pid, "VmHWM"))
		}
	}
}

// memoryOf returns a size in bytes from /proc/PID/status, such as VmRSS; 0 if the process has ended.
func memoryOf(pid int, field string) int64 {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // gone: the process has ended
	_, rest, ok := strings.Cut(string(raw), field+":")
	if !ok {
		return 0
	}
	kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	return kb << 10
}

// The same with a kill in the middle: what was in flight may be asked again, and nothing else.
func TestFaultyEndpointKilled(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "a second run against a faulty endpoint")
	n := faultyEpisodes(t)
	server := newLoadServer(t, faultyReplies())
	server.plan = faultPlan
	dir, data := t.TempDir(), ingested(t)
	want := required(n, len(server.replies))
	c := faultyCommand(t, data, dir, server.URL(), n)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return server.Calls() > want/2 })
	_ = c.Process.Kill()
	if err := c.Wait(); err == nil {
		t.Fatal("the run ended before it was killed")
	}
	if raw, err := faultyCommand(t, data, dir, server.URL(), n).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	again := 0
	for _, k := range server.good {
		again += k - 1
	}
	if again > faultyWorkers {
		t.Errorf("%d replies were paid for again; %d episodes were in flight", again, faultyWorkers)
	}
	if got := server.Calls(); got != want+again {
		t.Errorf("%d calls, the faults require %d, and %d were made again", got, want, again)
	}
	checkFaulty(t, filepath.Join(dir, "run"), server, n, want)
	t.Logf("%d episodes, %d calls, %d of them again", n, server.Calls(), again)
}

func faultyCommand(t *testing.T, data, dir, url string, n int) *exec.Cmd {
	t.Helper()
	return loadCommand(t, loadRun{
		data: data, url: url, dir: dir, episodes: n, workers: faultyWorkers,
		more: []string{"--price", "1,2", "--budget", "2000000000tokens", "--retrieve", "bm25"},
	})
}

// checkFaulty reads the log back: each episode is there once, ended, with all its turns, and its requests, usage and
// charges are those that the endpoint saw. A run that was killed has lost the record of a few requests.
func checkFaulty(t *testing.T, dir string, server *loadServer, n, most int) {
	t.Helper()
	r, err := runlog.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Torn != 0 || len(r.BadLines) != 0 || r.Unknown != 0 || len(r.UUIDs()) != n {
		t.Errorf("torn %d, bad %v, unknown %d, %d episodes of %d", r.Torn, r.BadLines, r.Unknown, len(r.UUIDs()), n)
	}
	turns, requests := len(server.replies), 0
	failed := map[string]int{}
	for rec, err := range r.Episodes() {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Outcome != qa.Answered || rec.Answer.Text != "384" || len(rec.Steps) != turns || rec.Turns() != turns {
			t.Errorf("%s ended as %s with %q after %d turns", rec.Episode, rec.Outcome, rec.Answer.Text, rec.Turns())
		}
		if u := rec.Usage(); u.Prompt != 1000*turns || u.Completion != 20*turns {
			t.Errorf("%s used %+v", rec.Episode, u)
		}
		requests += countAttempts(t, rec, failed)
	}
	if lost := most - requests; lost < 0 || lost > mostLost {
		t.Errorf("%d requests in the log, %d were made", requests, most)
	}
	checkFailures(t, server, failed)
}

// countAttempts counts requests and failures by their class, and looks at what each is charged.
func countAttempts(t *testing.T, rec runlog.Recorded, failed map[string]int) int {
	t.Helper()
	requests, charged := 0, qa.Usage{}
	for _, s := range rec.Steps {
		requests += len(s.Reply.Attempts)
		for i, a := range s.Reply.Attempts {
			last := i == len(s.Reply.Attempts)-1
			if (a.Error == "") != last {
				t.Errorf("%s, step %d: request %d of %d ended as %q", rec.Episode, s.N, i+1, len(s.Reply.Attempts), a.Error)
			}
			if costs := a.Error != "" && a.Error != "rate_limit"; (a.Charged != nil) != costs {
				t.Errorf("%s, step %d: a request that ended as %q has the charge %+v", rec.Episode, s.N, a.Error, a.Charged)
			}
			if a.Charged != nil {
				charged = charged.Add(*a.Charged)
			}
			if !last {
				failed[string(a.Error)]++
			}
		}
	}
	if got := rec.Charged(); got.Prompt != charged.Prompt || got.Completion != charged.Completion {
		t.Errorf("%s is charged %+v, its requests %+v", rec.Episode, got, charged)
	}
	return requests
}

// checkFailures compares the failures in the log with those of the endpoint. A kill loses the record of some.
func checkFailures(t *testing.T, server *loadServer, failed map[string]int) {
	t.Helper()
	classes := map[string]string{"429": "rate_limit", "429 short": "rate_limit", "500": "server", "cut": "network", "garbage": "garbage"}
	made := map[string]int{}
	for fault, k := range server.faults {
		made[classes[fault]] += k
	}
	lost := 0
	for class, k := range made {
		if failed[class] > k {
			t.Errorf("%s: %d in the log, %d were made", class, failed[class], k)
		}
		lost += k - failed[class]
		delete(failed, class)
	}
	if len(failed) > 0 || lost > mostLost {
		names := make([]string, 0, len(failed))
		for class := range failed {
			names = append(names, class)
		}
		t.Errorf("%d failures are not in the log; of no fault: %s", lost, strings.Join(names, ", "))
	}
}
