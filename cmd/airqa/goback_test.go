package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/fixtures"
)

// thinker is an endpoint that thinks before each of two parallel calls and refuses a conversation without what it thought.
type thinker struct {
	*httptest.Server
	mu sync.Mutex
	// requests are the bodies of all requests.
	requests []string
	// hang is closed by a second request that then gets no reply; nil if all get one.
	hang chan struct{}
}

type thinkerRequest struct {
	Model    string
	Messages []struct {
		Role      string
		Reasoning string
		Details   []struct{ Data string } `json:"reasoning_details"`
		Calls     []struct {
			Function struct {
				Arguments string
				Sig       string
			}
		} `json:"tool_calls"`
	}
}

func newThinker(t *testing.T) *thinker {
	s := &thinker{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *thinker) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var got thinkerRequest
	if err != nil || json.Unmarshal(body, &got) != nil {
		http.Error(w, "{}", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, string(body))
	hang := s.hang
	s.mu.Unlock()
	turns := 0
	for _, m := range got.Messages {
		if m.Role != "assistant" {
			continue
		}
		turns++
		if got.Model != "another" && (m.Reasoning == "" || len(m.Details) != 1 || m.Details[0].Data != "c2ln" || m.Calls[0].Function.Sig != "czE=") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"error":{"message":"the thought of message %d is missing"}}`, turns)
			return
		}
	}
	if turns == 1 && hang != nil {
		close(hang)
		<-r.Context().Done()
		return
	}
	calls := `{"id":"a","type":"function","function":{"name":"Retrieve","arguments":"{ \"query\": \"a < b\",\n \"limit\": 2 }","sig":"czE="}},` +
		`{"id":"b","type":"function","function":{"name":"Query","arguments":"{\"sql\": \"SEL"}}`
	if turns > 1 {
		calls = `{"id":"c","type":"function","function":{"name":"Answer","arguments":"{\"answer\": 0.35}","sig":"czE="}}`
	}
	_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"I look.","reasoning":"pondered","reasoning_details":[{"data":"c2ln"}],"tool_calls":[`+
		calls+`]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":3}}`)
}

// What a model thought comes back to it after a kill, byte for byte, and in a fork; another model does not get it. Rows of
// an export have the arguments as they were sent, and no thoughts unless they are exported.
func TestThoughtsGoBack(t *testing.T) {
	t.Parallel()
	data, dir, s := ingested(t), t.TempDir(), newThinker(t)
	questions := filepath.Join(dir, "questions.jsonl")
	if err := os.WriteFile(questions, fixtures.Questions(), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "run")
	command := func(args ...string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), os.Args[0], args...)
		c.Env = append(os.Environ(), asProgram+"=1", "OPENAI_BASE_URL="+s.URL, "OPENAI_API_KEY=sk-test-key-that-is-long")
		return c
	}
	do := func(args ...string) {
		t.Helper()
		if raw, err := command(args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, raw)
		}
	}
	run := []string{
		"run", "--data", data, "--questions", questions, "--limit", "1", "--baseline", "agentic-hybrid", "--protocol", "tools",
		"--model", "openai:" + os.Getenv("HOME") + "/thinker", "--out", out,
	}
	s.hang = make(chan struct{})
	c := command(run...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-s.hang
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	s.mu.Lock()
	s.hang = nil
	s.mu.Unlock()
	do(run...)
	if len(s.requests) != 4 {
		t.Fatalf("%d requests, want 4", len(s.requests))
	}
	if diff := cmp.Diff(s.requests[1], s.requests[2]); diff != "" {
		t.Errorf("messages (-before the kill +after):\n%s", diff)
	}
	if err := os.WriteFile(filepath.Join(dir, "seen.txt"), []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	fork := []string{"fork", out, "cea9de1e", "--at", "2", "--observation", filepath.Join(dir, "seen.txt"), "--data", data}
	do(append(fork, "--out", filepath.Join(dir, "same"))...)
	do(append(fork, "--out", filepath.Join(dir, "other"), "--model", "openai:another")...)
	if last := s.requests[len(s.requests)-1]; strings.Contains(last, "pondered") || strings.Contains(last, "c2ln") || strings.Contains(last, "czE=") {
		t.Errorf("another model was sent the thoughts: %s", last)
	}
	do("score", out, "--judge", "offline")
	sent := argumentsIn(t, s.requests[3])
	for _, thinking := range []string{"keep", "drop"} {
		rows := filepath.Join(dir, thinking)
		do("export", out, "--format", "openai", "--out", rows, "--thinking", thinking)
		raw, err := os.ReadFile(filepath.Join(rows, "data", "train.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
		if diff := cmp.Diff(append(sent, `{"answer": 0.35}`), argumentsIn(t, lines[len(lines)-1])); diff != "" {
			t.Errorf("arguments (-sent +exported):\n%s", diff)
		}
		if kept := strings.Contains(string(raw), `pondered\n`); kept != (thinking == "keep") || strings.Contains(string(raw), "c2ln") {
			t.Errorf("--thinking %s: %s", thinking, raw)
		}
	}
}

// argumentsIn lists the arguments of all calls in a request or a row.
func argumentsIn(t *testing.T, text string) (list []string) {
	t.Helper()
	var got thinkerRequest
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for _, m := range got.Messages {
		for _, call := range m.Calls {
			list = append(list, call.Function.Arguments)
		}
	}
	return list
}
