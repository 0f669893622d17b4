package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"airqa/fixtures"
	"airqa/internal/testkit/fixturetest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/serve/protocol"
)

// world is a server of the sample questions in this process.
type world struct {
	*served
	*httptest.Server
	out  string
	gold map[string]json.RawMessage
}

// serving starts a server. Its run directory can be read after the test has called close.
func serving(t *testing.T, token string, flags ...string) *world {
	t.Helper()
	w := &world{out: filepath.Join(t.TempDir(), "served"), gold: goldAnswers(t)}
	questions := filepath.Join(t.TempDir(), "questions.jsonl")
	if err := os.WriteFile(questions, fixtures.Questions(), 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-d", ingested(t), "-q", questions, "-o", w.out, "--judge", "offline", "--weak-rewards"}, flags...)
	c := parsed(t, "serve", strings.Join(args, " ")).(serveCmd)
	a := newApp(false, false)
	a.log = slog.New(slog.DiscardHandler)
	opened, err := c.open(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	w.served = opened
	if info, err := os.Stat(w.out); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the run directory is open to others: %v, %v", info, err)
	}
	w.Server = httptest.NewServer(protocol.New(protocol.Config{Host: opened.host, Token: token, Listen: "127.0.0.1", Version: version, Log: a.log}))
	t.Cleanup(w.Close)
	return w
}

// end closes the run directory.
func (w *world) end(t *testing.T) {
	t.Helper()
	w.Close()
	w.host.Close()
	if err := w.close(); err != nil {
		t.Error(err)
	}
}

// A server leaves out questions with a weak reward, those of its mode and judge, and continues in the directory of one that
// had them.
func TestWeakRewards(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "served")
	questions := sampleQuestions(t, 40)
	a := newApp(false, false)
	a.log = slog.New(slog.DiscardHandler)
	for _, tt := range []struct {
		flags string
		kept  int
	}{
		{"--scoring fixed --judge none --weak-rewards", 40},
		{"--scoring fixed --judge none", 36},
		{"--scoring fixed --judge offline", 29},
		{"--scoring reference --judge none", 35},
		{"--scoring reference --judge none --weak-rewards", 40},
	} {
		c := parsed(t, "serve", fmt.Sprintf("-d %s -q %s -o %s --split 0.5,0.5 %s", ingested(t), questions, out, tt.flags)).(serveCmd)
		opened, err := c.open(t.Context(), a)
		if err != nil {
			t.Fatalf("%s: %v", tt.flags, err)
		}
		if n := len(opened.plan.Picked); n != tt.kept {
			t.Errorf("%s: %d questions, want %d", tt.flags, n, tt.kept)
		}
		opened.host.Close()
		if err := opened.close(); err != nil {
			t.Error(err)
		}
	}
}

func goldAnswers(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	gold := make(map[string]json.RawMessage)
	for line := range bytes.Lines(fixturetest.Gold()) {
		var g struct {
			UUID   string          `json:"uuid"`
			Answer json.RawMessage `json:"answer"`
		}
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		gold[g.UUID] = g.Answer
	}
	return gold
}

// send sends JSON and returns the status and the body.
func (w *world) send(t *testing.T, method, path, body string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reply.Body.Close() }()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, string(raw)
}

// get decodes the reply of a request that must succeed.
func (w *world) get(t *testing.T, method, path, body string, into any, headers ...string) {
	t.Helper()
	code, text := w.send(t, method, path, body, headers...)
	if code != http.StatusOK {
		t.Fatalf("%s %s: status %d: %s", method, path, code, text)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%s %s: %v: %.200s", method, path, err, text)
	}
}

// begin opens an episode of a question and returns its id.
func (w *world) begin(t *testing.T, uuid string) string {
	t.Helper()
	var got struct {
		Episode string `json:"episode"`
	}
	w.get(t, "POST", "/episodes", fmt.Sprintf(`{"question_id":%q}`, uuid), &got)
	return got.Episode
}

// ended is the control view of an episode.
type ended struct {
	Done bool `json:"done"`
	End  *struct {
		Reward  *float64   `json:"reward"`
		Outcome qa.Outcome `json:"outcome"`
		Problem string     `json:"problem"`
		Parts   struct {
			Evaluator string `json:"evaluator"`
		} `json:"parts"`
	} `json:"end"`
}

// answer answers a question and returns the result.
func (w *world) answer(t *testing.T, uuid, arguments string) (e ended) {
	t.Helper()
	id := w.begin(t, uuid)
	w.send(t, "POST", "/e/"+id+"/tools/Answer", arguments)
	w.get(t, "GET", "/episodes/"+id+"?finish=true", "", &e)
	w.send(t, "DELETE", "/episodes/"+id, "")
	return e
}

func answerOf(value string) string { return `{"answer":` + value + `}` }

// Mistakes on the command line are refused before anything is opened.
func TestServeUsage(t *testing.T) {
	t.Parallel()
	for _, args := range []string{
		"serve -q none.jsonl", "serve -q none.jsonl --listen nowhere", "serve -q none.jsonl --listen 0.0.0.0:0", "serve -q none.jsonl --token-file none",
		"serve -q none.jsonl --baseline rag", "serve -q none.jsonl --turns 0",
		"serve -q none.jsonl --max-sessions 0", "serve -q none.jsonl --max-answer 0", "serve -q none.jsonl --call-timeout 0s",
		"mcp --question x", "mcp -q none.jsonl", "mcp -d none", "mcp --baseline none",
	} {
		exitsWith(t, exitUsage, strings.Fields(args)...)
	}
	exitsWith(t, exitUsage, "serve", "-q", "none.jsonl", "--status", "wrong")
	exitsWith(t, exitUsage, "serve", "-q", "none.jsonl", "--of", "run")
	exitsWith(t, exitUsage, "serve", "-q", sampleQuestions(t, 1), "-d", ingested(t), "--out", "")
}

// An agent that knows the id of its episode reaches its tools and nothing that knows answers. No route, tool or error shows a
// gold answer that is not in the papers, nor the evaluator.
func TestAgentLearnsNothing(t *testing.T) {
	t.Parallel()
	const token = "control-token-of-the-test"
	w := serving(t, token)
	control := []string{"Authorization", "Bearer " + token}
	for _, ex := range w.plan.Picked[:8] {
		var opened struct {
			Episode string `json:"episode"`
		}
		w.get(t, "POST", "/episodes", fmt.Sprintf(`{"question_id":%q}`, ex.UUID), &opened, control...)
		id := opened.Episode
		agent := []string{"Authorization", "Bearer " + id, "X-API-Key", id, "X-Session-ID", id, "Cookie", "airqa_session=" + id}
		var seen strings.Builder
		for _, route := range []string{
			"GET /metrics", "POST /episodes", "GET /episodes/" + id, "GET /episodes/" + id + "?finish=true", "DELETE /episodes/" + id,
			"GET /list_environments", "GET /splits", "POST /tasks", "POST /task", "POST /task_range", "POST /num_tasks", "GET /airqa/splits", "POST /airqa/tasks",
			"GET /openenv/metadata", "GET /openenv/schema", "GET /openenv/ws", "POST /openenv/mcp", "POST /openenv/reset", "GET /openenv/state",
			"POST /openenv/tasks", "POST /create_session", "POST /create", "GET /prompt", "GET /tools", "POST /call", "POST /ping", "POST /delete_session",
			"POST /ors/call", "POST /gym/seed_session", "POST /gym/verify", "POST /gym/Query", "POST /gym/aggregate_metrics",
			"POST /seed_session", "POST /verify", "POST /Query", "POST /Answer", "POST /aggregate_metrics",
		} {
			method, path, _ := strings.Cut(route, " ")
			code, text := w.send(t, method, path, `{"split":"all","index":0}`, agent...)
			if code != http.StatusUnauthorized {
				t.Errorf("%s is open to an agent: status %d: %.200s", route, code, text)
			}
			seen.WriteString(text)
		}
		for _, path := range []string{"/e/" + id, "/e/" + id + "/tools", "/health", "/ors/health", "/openenv/health", "/nothing", "/e/none", "/questions.jsonl", "/e/" + id + "/../../questions.jsonl"} {
			_, text := w.send(t, "GET", path, "", agent...)
			seen.WriteString(text)
		}
		for _, sql := range []string{
			"select * from read_text('questions.jsonl')", "select * from read_csv('" + w.out + "/questions.jsonl')", "attach 'x' as y", "pragma database_list",
			"select * from information_schema.tables", "select * from duckdb_settings()", "copy metadata to 'x'", "select getenv('HOME')", "select * from glob('*')",
			"select current_setting('home_directory')", "install httpfs", "select * from questions", "select",
		} {
			_, text := w.send(t, "POST", "/e/"+id+"/tools/Query", fmt.Sprintf(`{"sql":%q}`, sql), agent...)
			seen.WriteString(text)
			if strings.Contains(text, w.out) {
				t.Errorf("%s shows a path: %s", sql, text)
			}
		}
		for _, call := range [][2]string{
			{"View", `{"paper_id":"../../questions.jsonl","page_number":1}`},
			{"View", `{"paper_id":"/etc/passwd","page_number":1}`},
			{"View", `[]`},
			{"Retrieve", `{"query":"gold answer evaluator","limit":100}`},
			{"Retrieve", `{}`},
			{"Dance", `{}`},
			{"Answer", answerOf(`"a wrong answer"`)},
			{"Answer", answerOf(`"another"`)},
			{"Query", `{"sql":"select 1"}`},
		} {
			_, text := w.send(t, "POST", "/e/"+id+"/tools/"+call[0], call[1], agent...)
			if call[0] != "Retrieve" { // passages of the papers may contain the answer
				seen.WriteString(text)
			}
		}
		for _, hidden := range []string{ex.Evaluator.Func, `"gold"`, `"reward"`, "eval_kwargs", strings.Trim(string(w.gold[ex.UUID]), `"`)} {
			if len(hidden) > 5 && strings.Contains(seen.String(), hidden) {
				t.Errorf("%s: an agent saw %q", ex.UUID, hidden)
			}
		}
	}
}

// Bad requests get an error of their own and leave nothing behind.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	w := serving(t, "", "--call-timeout", "2s")
	id := w.begin(t, w.plan.Picked[0].UUID)
	for _, tt := range []struct {
		method, path, body string
		want               int
	}{
		{"POST", "/episodes", `{"question_id":"none"}`, http.StatusBadRequest},
		{"POST", "/episodes", `{"question":"none"}`, http.StatusBadRequest},
		{"POST", "/episodes", `{"split":"nowhere"}`, http.StatusBadRequest},
		{"POST", "/episodes", `{"index":-1}`, http.StatusBadRequest},
		{"POST", "/episodes", `{"seed":-1}`, http.StatusBadRequest},
		{"POST", "/episodes", `{`, http.StatusBadRequest},
		{"POST", "/episodes", `{"index":0,"question_id":"` + w.plan.Picked[0].UUID + `"}`, http.StatusBadRequest},
		{"POST", "/episodes", `{"index":1e30}`, http.StatusBadRequest},
		{"POST", "/tasks", `{"start":1.5}`, http.StatusBadRequest},
		{"POST", "/mcp/e/none", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, http.StatusNotFound},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, http.StatusNotFound},
		{"POST", "/episodes", `[]`, http.StatusBadRequest},
		{"POST", "/episodes", strings.Repeat("[", 20000), http.StatusBadRequest},
		{"POST", "/episodes", `"` + strings.Repeat("x", 10<<20) + `"`, http.StatusRequestEntityTooLarge},
		{"GET", "/episodes/none", "", http.StatusNotFound},
		{"POST", "/e/none/tools/Query", "{}", http.StatusNotFound},
		{"POST", "/e/" + id + "/tools/Dance", "{}", http.StatusNotFound},
		{"POST", "/gym/verify", "{}", http.StatusBadRequest},
		{"POST", "/gym/seed_session", "{}", http.StatusBadRequest},
	} {
		if code, text := w.send(t, tt.method, tt.path, tt.body); code != tt.want || len(text) > 500 || strings.Contains(text, "Go value") {
			t.Errorf("%s %s %.40s: status %d, want %d: %.200s", tt.method, tt.path, tt.body, code, tt.want, text)
		}
	}
	// A slow call ends in time, and the episode continues.
	var slow struct{ Status, Text string }
	w.get(t, "POST", "/e/"+id+"/tools/Query", `{"sql":"select count(*) from range(100000000000) a"}`, &slow)
	if slow.Status != "error" || !strings.Contains(slow.Text, "2s") {
		t.Errorf("a slow call: %+v", slow)
	}
	// The same request again is not another step.
	for range 2 {
		w.send(t, "POST", "/e/"+id+"/tools/Query", `{"sql":"select 1"}`, "Idempotency-Key", "k1")
	}
	var state map[string]any
	w.get(t, "GET", "/e/"+id, "", &state)
	if state["step_count"] != 2.0 {
		t.Errorf("%v steps", state["step_count"])
	}
	// A client that leaves in the middle of a call does not stop the next one.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+"/e/"+id+"/tools/Query", strings.NewReader(`{"sql":"select count(*) from range(100000000000) a"}`))
	if err != nil {
		t.Fatal(err)
	}
	if reply, err := http.DefaultClient.Do(r); err == nil {
		_ = reply.Body.Close()
		t.Error("a call without an end has ended")
	}
	w.get(t, "POST", "/e/"+id+"/tools/Query", `{"sql":"select 1"}`, &slow)
	if slow.Status != "ok" {
		t.Errorf("after a client that left: %+v", slow)
	}
}

// Sessions work side by side, and those whose clients die leave nothing.
func TestManySessions(t *testing.T) {
	t.Parallel()
	w := serving(t, "")
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			c := w.openEnv(t, "", nil)
			ex := w.plan.Picked[i]
			c.say(fmt.Sprintf(`{"type":"reset","data":{"question_id":%q}}`, ex.UUID))
			for n := range 5 {
				_, data, _ := c.say(callTool("Query", fmt.Sprintf(`{"sql":"select %d * 1000 + %d as x"}`, i+1, n)))
				if text, _ := data["observation"].(map[string]any)["result"].(string); !strings.Contains(text, fmt.Sprint((i+1)*1000+n)) {
					t.Errorf("session %d, step %d: %v", i, n, data)
				}
			}
			if i%2 == 0 {
				c.say(callTool("Answer", answerOf(string(w.gold[ex.UUID]))))
			}
			_ = c.CloseNow()
		})
	}
	all.Wait()
	deadline := time.Now().Add(10 * time.Second)
	for w.host.Active() > 0 && time.Now().Before(deadline) {
		time.Sleep(5 * time.Millisecond)
	}
	if n := w.host.Active(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	w.end(t)
	r, err := runlog.Open(w.out)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rec, err := range r.Episodes() {
		if err != nil || len(rec.Steps) < 5 {
			t.Errorf("%s: %d steps, %v", rec.Episode, len(rec.Steps), err)
		}
		if rec.Outcome == qa.Answered {
			n++
		}
	}
	if n != 16 || len(r.UUIDs()) != 32 {
		t.Errorf("%d of %d episodes are answered", n, len(r.UUIDs()))
	}
}

// The program prints its address, and SIGTERM ends it with exit code 0.
func TestServe(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a-token-that-is-long-enough\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	program, address := startServer(ctx, t, os.Stderr, "serve", "--data", ingested(t), "--questions", sampleQuestions(t, 3), "--out", filepath.Join(t.TempDir(), "run"),
		"--listen", "127.0.0.1:0", "--judge", "none", "--token-file", token, "--idle", "10m", "--max-answer", "1000", "--model-name", "tester",
		"--baseline", "agentic-hybrid", "--split", "0.5,0.5", "--split-seed", "3", "--scoring", "fixed")
	w := &world{Server: &httptest.Server{URL: address}}
	if code, _ := w.send(t, "GET", "/metrics", ""); code != http.StatusUnauthorized {
		t.Errorf("without the token: status %d", code)
	}
	if code, text := w.send(t, "GET", "/metrics", "", "Authorization", "Bearer a-token-that-is-long-enough"); code != http.StatusOK || !strings.Contains(text, "airqa_sessions 0") {
		t.Errorf("metrics: %d %s", code, text)
	}
	if code, _ := w.send(t, "POST", "/episodes", "{}", "Authorization", "Bearer a-token-that-is-long-enough", "Origin", "https://evil.example"); code != http.StatusForbidden {
		t.Errorf("another site: status %d", code)
	}
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}
