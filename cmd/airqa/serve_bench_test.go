package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"airqa/fixtures"

	"github.com/coder/websocket"
)

// BenchmarkServe measures airqa serve as a process of its own, with clients of OpenEnv in this one: the memory of an open
// session, trivial steps (list_tools), and pairs of Retrieve and Query, from many sessions at once.
func BenchmarkServe(b *testing.B) {
	questions := filepath.Join(b.TempDir(), "questions.jsonl")
	if err := os.WriteFile(questions, fixtures.Questions(), 0o600); err != nil {
		b.Fatal(err)
	}
	program, address := startServer(b.Context(), b, nil, "serve", "-d", ingested(b), "-q", questions, "-o", filepath.Join(b.TempDir(), "run"),
		"--listen", "127.0.0.1:0", "--judge", "offline", "--max-sessions", "5000", "--turns", "1000000")
	defer func() {
		_ = program.Process.Signal(syscall.SIGTERM)
		_ = program.Wait()
	}()
	address = "ws" + strings.TrimPrefix(address, "http") + "/openenv/ws"
	pid := program.Process.Pid
	share := 1
	if testing.Short() {
		share = 64
	}
	n := func(sessions int) int { return sessions / share }
	for b.Loop() {
		before := memoryOf(pid, "VmRSS")
		sessions := openSessions(b, address, n(4096))
		b.ReportMetric(float64(memoryOf(pid, "VmRSS")-before)/1024/float64(len(sessions)), "kB/session")
		steps(b, pid, sessions, n(4096), 5, "trivial", func(int) []string { return []string{`{"type":"step","data":{"type":"list_tools"}}`} })
		steps(b, pid, sessions[:n(1024)], n(1024), 20, "trivial-1024", func(int) []string { return []string{`{"type":"state"}`} })
		steps(b, pid, sessions[:n(256)], n(256), 10, "pair", func(i int) []string {
			return []string{
				callTool("Retrieve", fmt.Sprintf(`{"query":"accuracy of the model on the test pages, question %d"}`, i%40)),
				callTool("Query", fmt.Sprintf(`{"sql":"SELECT title FROM metadata WHERE num_pages > %d"}`, i%5)),
			}
		})
		for _, c := range sessions {
			_ = c.CloseNow()
		}
	}
}

// openSessions opens sessions and begins an episode in each.
func openSessions(b *testing.B, address string, n int) []*websocket.Conn {
	b.Helper()
	list := make([]*websocket.Conn, n)
	each(n, 64, func(i int) {
		c, _, err := websocket.Dial(b.Context(), address, nil) //nolint:bodyclose // the connection has it
		if err != nil {
			b.Error(err)
			return
		}
		c.SetReadLimit(16 << 20)
		list[i] = c
		exchange(b, c, fmt.Sprintf(`{"type":"reset","data":{"seed":%d}}`, i))
	})
	if b.Failed() {
		b.FailNow()
	}
	return list
}

// each calls do with 0 to n-1, of which some run at once.
func each(n, atOnce int, do func(int)) {
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		all.Go(func() {
			do(i)
			<-slots
		})
	}
	all.Wait()
}

func exchange(b *testing.B, c *websocket.Conn, message string) time.Duration {
	began := time.Now()
	if err := c.Write(b.Context(), websocket.MessageText, []byte(message)); err != nil {
		b.Error(err)
		return 0
	}
	_, raw, err := c.Read(b.Context())
	var reply struct {
		Type string          `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if err != nil || json.Unmarshal(raw, &reply) != nil || reply.Type == "error" {
		b.Errorf("%s: %v, %.200s", message, err, raw)
	}
	return time.Since(began)
}

// steps sends messages from all sessions at once, each in order, and reports steps per second, the 99th percentile of their
// duration, and the processor time of the server for each.
func steps(b *testing.B, pid int, sessions []*websocket.Conn, atOnce, rounds int, name string, messages func(i int) []string) {
	b.Helper()
	var mu sync.Mutex
	var took []time.Duration
	began, used := time.Now(), processorTime(b, pid)
	each(len(sessions), atOnce, func(i int) {
		var own []time.Duration
		for range rounds {
			sum := time.Duration(0)
			for _, m := range messages(i) {
				sum += exchange(b, sessions[i], m)
			}
			own = append(own, sum)
		}
		mu.Lock()
		took = append(took, own...)
		mu.Unlock()
	})
	wall := time.Since(began)
	slices.Sort(took)
	b.ReportMetric(float64(len(took))/wall.Seconds(), name+"/s")
	b.ReportMetric(float64(took[len(took)*99/100].Milliseconds()), name+"-p99-ms")
	b.ReportMetric(float64((processorTime(b, pid)-used).Microseconds())/float64(len(took)), name+"-cpu-us")
}

// processorTime is the user and system time of a process and of its children that are alive.
func processorTime(b *testing.B, pid int) time.Duration {
	b.Helper()
	sum := time.Duration(0)
	list := []int{pid}
	if raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid)); err == nil {
		for f := range strings.FieldsSeq(string(raw)) {
			child, _ := strconv.Atoi(f)
			list = append(list, child)
		}
	}
	for _, p := range list {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
		for _, f := range fields[11:13] {
			ticks, _ := strconv.Atoi(f)
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return sum
}
