package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/fixtures"
	"airqa/internal/testkit/smallmodels"
	"airqa/qa"
	"airqa/runlog"
)

// nightly is a small real model on llama.cpp's server, the sample papers and a folder for runs.
type nightly struct {
	*smallmodels.Recorder
	model, server, data, dir string
}

// nightWindow is the context window in tokens: the prompts of agentic-rag fit in, the text of a paper does not.
const nightWindow = 2048

func newNightly(t *testing.T, model string) nightly {
	t.Helper()
	server := smallmodels.Start(t, smallmodels.Config{Model: model, Context: nightWindow, Slots: 2})
	n := nightly{smallmodels.NewRecorder(t, server), model, server, ingested(t), t.TempDir()}
	if err := os.WriteFile(filepath.Join(n.dir, "questions.jsonl"), fixtures.Questions(), 0o600); err != nil {
		t.Fatal(err)
	}
	return n
}

// command is airqa run into a directory named out; more flags override those that keep prompts and replies short.
func (n nightly) command(t *testing.T, out string, more ...string) *exec.Cmd {
	t.Helper()
	return airqaCommand(t, append([]string{
		"run", "--data", n.data, "--questions", filepath.Join(n.dir, "questions.jsonl"),
		"--model", "openai:" + n.model, "--base-url", n.URL + "/v1", "--out", filepath.Join(n.dir, out), "-j", "1",
		"--temperature", "0", "--seed", "5", "--max-tokens", "40", "--turns", "3", "--rows", "2",
		"--observation-tokens", "150", "--passages", "1", "--context-tokens", "300",
	}, more...)...)
}

func airqaCommand(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), asProgram+"=1")
	return c
}

// run runs the command to its end and returns the trajectories.
func (n nightly) run(t *testing.T, out string, more ...string) map[string]qa.Trajectory {
	t.Helper()
	if raw, err := n.command(t, out, more...).CombinedOutput(); err != nil {
		t.Fatalf("airqa run %s: %v\n%s", strings.Join(more, " "), err, raw)
	}
	return trajectories(t, filepath.Join(n.dir, out))
}

// sentReply is a reply as the server counted and sent it.
type sentReply struct {
	ID, Text, Finish         string
	Prompt, Cached, Replied  int
	Calls                    []servedCall
	Timed, TimedNow, Decoded int // the same amounts, from the server's timings
}

type servedCall struct {
	Index    int
	ID       string
	Function struct{ Name, Arguments string }
}

// readServed joins the events of a stream, or the only object of another response, as simply as llama.cpp allows.
func readServed(t *testing.T, x smallmodels.Exchange) sentReply {
	t.Helper()
	var s sentReply
	type message struct {
		Content   string
		ToolCalls []servedCall `json:"tool_calls"`
	}
	for line := range strings.SplitSeq(x.Body, "\n") {
		line = strings.TrimPrefix(line, "data: ")
		if !strings.HasPrefix(line, "{") {
			continue
		}
		var event struct {
			ID      string
			Choices []struct {
				Delta, Message message
				FinishReason   string `json:"finish_reason"`
			}
			Usage struct {
				Prompt  int `json:"prompt_tokens"`
				Replied int `json:"completion_tokens"`
				Details struct {
					Cached int `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
			}
			Timings struct {
				Cached int `json:"cache_n"`
				Prompt int `json:"prompt_n"`
				Reply  int `json:"predicted_n"`
			}
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		s.ID = event.ID
		for _, c := range event.Choices {
			s.Text += c.Delta.Content + c.Message.Content
			s.Finish += c.FinishReason
			for _, call := range append(c.Delta.ToolCalls, c.Message.ToolCalls...) {
				if call.Function.Name != "" {
					s.Calls = append(s.Calls, servedCall{ID: call.ID})
				}
				last := &s.Calls[len(s.Calls)-1].Function
				last.Name += call.Function.Name
				last.Arguments += call.Function.Arguments
			}
		}
		if u := event.Usage; u.Prompt > 0 {
			s.Prompt, s.Replied, s.Cached = u.Prompt, u.Replied, u.Details.Cached
			s.Timed, s.TimedNow, s.Decoded = event.Timings.Cached+event.Timings.Prompt, event.Timings.Prompt, event.Timings.Reply
		}
	}
	return s
}

// logged is a reply as the log has it.
func logged(r *qa.Reply) sentReply {
	s := sentReply{
		ID: r.ID, Text: r.Text, Finish: r.Finish, Prompt: r.Usage.Prompt, Cached: r.Usage.Cached, Replied: r.Usage.Completion,
		Timed: r.Usage.Prompt, TimedNow: r.Usage.Prompt - r.Usage.Cached, Decoded: r.Usage.Completion,
	}
	for _, call := range r.ToolCalls {
		c := servedCall{ID: call.ID}
		c.Function.Name = call.Name
		if json.Unmarshal(call.Arguments, &c.Function.Arguments) != nil { // else a text that is no JSON
			c.Function.Arguments = string(call.Arguments)
		}
		s.Calls = append(s.Calls, c)
	}
	return s
}

// compare compares each reply in the logs with the one that the server sent, and wants all of these in the logs.
func (n nightly) compare(t *testing.T, logs map[string]qa.Trajectory) (replies []sentReply) {
	t.Helper()
	sent := map[string]sentReply{}
	asked := map[string]string{}
	all, _ := n.Exchanges()
	for _, x := range all {
		if x.Status == http.StatusOK {
			s := readServed(t, x)
			sent[s.ID], asked[s.ID] = s, string(x.Request)
		}
	}
	for episode, log := range logs {
		asker := slices.IndexFunc(log.Messages, func(m qa.Message) bool { return m.Role == qa.User })
		question, err := json.Marshal(log.Messages[asker].Text)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range log.Steps {
			if step.Reply == nil {
				continue
			}
			got := logged(step.Reply)
			if diff := cmp.Diff(sent[got.ID], got); diff != "" {
				t.Errorf("%s, turn %d (-sent +logged):\n%s", episode, step.N, diff)
			}
			if !strings.Contains(asked[got.ID], string(question)) {
				t.Errorf("%s, turn %d has the reply to another question", episode, step.N)
			}
			replies = append(replies, got)
		}
	}
	if len(replies) != len(sent) {
		t.Errorf("%d replies in the log, %d were sent", len(replies), len(sent))
	}
	return replies
}

// TestNightly runs the program against real models on a real server. It takes some ten minutes: make nightly.
func TestNightly(t *testing.T) {
	for _, model := range []string{smallmodels.SmolLM2, smallmodels.Gemma3} {
		t.Run(model, func(t *testing.T) {
			n := newNightly(t, model)
			t.Run("doctor", n.doctor)
			for _, streams := range []bool{false, true} {
				t.Run(fmt.Sprintf("streams=%v", streams), func(t *testing.T) { n.baselines(t, streams) })
			}
			if model != smallmodels.SmolLM2 {
				return // what is left is about the server
			}
			t.Run("long prompt", n.longPrompt)
			t.Run("full window", n.fullWindow)
			t.Run("stop", n.stop)
			t.Run("seed", n.seed)
			t.Run("two at once", n.twoAtOnce)
			t.Run("cancel", n.cancel)
			t.Run("kill", n.kill)
			t.Run("record", n.record)
		})
	}
}

func (n nightly) doctor(t *testing.T) {
	n.Reset()
	raw, err := airqaCommand(t, "doctor", "--data", n.data, "--model", "openai:"+n.model, "--base-url", n.URL+"/v1",
		"--tools", "--timeout", "2m").CombinedOutput()
	all, _ := n.Exchanges()
	if err != nil || len(all) == 0 {
		t.Fatalf("%v after %d requests\n%s", err, len(all), raw)
	}
	s := readServed(t, all[0])
	if want := fmt.Sprintf("reports usage (%d + %d tokens)", s.Prompt, s.Replied); !bytes.Contains(raw, []byte(want)) {
		t.Errorf("%q is missing from\n%s", want, raw)
	}
}

// baselines runs one of a single call, and an agentic one with native and with text actions.
func (n nightly) baselines(t *testing.T, streams bool) {
	n.StreamsOnly(streams)
	defer n.StreamsOnly(false)
	for _, args := range [][]string{
		{"rag", "--baseline", "rag", "--limit", "1"},
		{"react", "--baseline", "agentic-rag", "--protocol", "react", "--limit", "1"},
		{"tools", "--baseline", "agentic-rag", "--protocol", "tools", "--limit", "2-3"},
	} {
		t.Run(args[0], func(t *testing.T) {
			n.Reset()
			replies := n.compare(t, n.run(t, fmt.Sprint(args[0], streams), args[1:]...))
			calls := slices.ContainsFunc(replies, func(s sentReply) bool { return len(s.Calls) > 0 })
			if n.model == smallmodels.SmolLM2 && calls != (args[0] == "tools") {
				t.Errorf("native calls: %v", calls)
			}
			all, _ := n.Exchanges()
			for _, x := range all {
				if streamed := strings.HasPrefix(x.Type, "text/event-stream"); x.Status == http.StatusOK && streamed != streams {
					t.Errorf("a reply with content type %s", x.Type)
				}
			}
		})
	}
}

// A prompt that is longer than the window ends a question of one call, which is not asked again. An agent continues with
// fewer turns in its prompt.
func (n nightly) longPrompt(t *testing.T) {
	n.Reset()
	args := []string{"--baseline", "full-text", "--limit", "2", "--context-tokens", "9000"}
	for id, log := range n.run(t, "full-text", args...) {
		if log.Outcome != qa.ContextOverflow {
			t.Errorf("%s ended as %s (%s)", id, log.Outcome, log.Reason)
		}
	}
	n.run(t, "full-text", args...)
	if all, _ := n.Exchanges(); len(all) != 2 {
		t.Errorf("%d requests for two questions that are too long", len(all))
	}
	n.Reset()
	long := n.run(t, "long", "--baseline", "agentic-rag", "--protocol", "tools", "--limit", "2-2",
		"--rows", "20", "--observation-tokens", "1500")
	replies := n.compare(t, long)
	all, _ := n.Exchanges()
	refused := slices.DeleteFunc(all, func(x smallmodels.Exchange) bool { return x.Status == http.StatusOK })
	if len(refused) == 0 || len(refused) > 3 || len(replies) < 2 { // one with the second turn, two with the third
		t.Errorf("%d requests refused, %d replies", len(refused), len(replies))
	}
	for id, log := range long {
		if log.Outcome != qa.Answered && log.Outcome != qa.TurnLimit {
			t.Errorf("%s ended as %s (%s)", id, log.Outcome, log.Reason)
		}
	}
}

// A reply may end where the window does, long before its own limit.
func (n nightly) fullWindow(t *testing.T) {
	const small = 512
	server := smallmodels.Start(t, smallmodels.Config{Model: n.model, Context: small, Slots: 1})
	c := n.command(t, "window", "--baseline", "full-text", "--limit", "3", "--max-tokens", "1000", "--base-url", server+"/v1")
	raw, err := c.CombinedOutput()
	if err != nil || !bytes.Contains(raw, []byte("cut off by --max-tokens 1000 or the context window")) {
		t.Errorf("%v\n%s", err, raw)
	}
	for id, log := range trajectories(t, filepath.Join(n.dir, "window")) {
		for _, step := range log.Steps { // none if the prompt alone is too long
			if u := step.Reply.Usage; u.Prompt+u.Completion > small {
				t.Errorf("%s: %+v in a window of %d tokens", id, u, small)
			}
		}
	}
}

func (n nightly) first(t *testing.T, out string, more ...string) string {
	t.Helper()
	for _, log := range n.run(t, out, append([]string{"--baseline", "question-only", "--limit", "1"}, more...)...) {
		return log.Steps[0].Reply.Text
	}
	return ""
}

func (n nightly) stop(t *testing.T) {
	whole := n.first(t, "nonstop")
	words := strings.Fields(whole)
	if len(words) < 4 {
		t.Fatalf("the reply %q is too short to be stopped", whole)
	}
	before, _, _ := strings.Cut(whole, words[3])
	if got := n.first(t, "stop", "--extra-body", fmt.Sprintf(`{"stop": [%q]}`, words[3])); got != before {
		t.Errorf("stopped at %q: %q, want %q", words[3], got, before)
	}
}

func (n nightly) seed(t *testing.T) {
	texts := map[string]int{}
	for i, seed := range []string{"7", "7", "8", "9"} {
		text := n.first(t, fmt.Sprint("seed", i), "--temperature", "1", "--seed", seed)
		texts[text]++
		if i == 1 && texts[text] != 2 {
			t.Errorf("two replies to one seed: %v", texts)
		}
	}
	if len(texts) == 1 {
		t.Errorf("one reply to all seeds: %v", texts)
	}
}

func (n nightly) twoAtOnce(t *testing.T) {
	n.Reset()
	n.compare(t, n.run(t, "two", "--baseline", "question-only", "--limit", "4", "-j", "2"))
	if all, atOnce := n.Exchanges(); len(all) != 4 || atOnce != 2 {
		t.Errorf("%d requests, at most %d at once; want 4 and 2", len(all), atOnce)
	}
}

// Ctrl-C twice within a reply stops at once, and the server with it; the same command resumes.
func (n nightly) cancel(t *testing.T) {
	n.Reset()
	n.StreamsOnly(true)
	defer n.StreamsOnly(false)
	args := []string{"--baseline", "rag", "--limit", "1", "--max-tokens", "800", "--temperature", "1.5"}
	c, errs := started(t, n.command(t, "cancel", args...))
	waitFor(t, func() bool {
		all, _ := n.Exchanges()
		return len(all) == 2 && strings.Contains(all[1].Body, "data:")
	})
	begun := time.Now()
	ctrlC(t, c)
	waitFor(t, func() bool { return strings.Contains(errs.String(), "finishing calls in flight") })
	ctrlC(t, c)
	_ = c.Wait() // its exit code counts
	if took := time.Since(begun); took > 5*time.Second || c.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("exit code %d after %s\n%s", c.ProcessState.ExitCode(), took, errs)
	}
	if all, _ := n.Exchanges(); all[1].Whole {
		t.Error("the reply came to its end")
	}
	if logs := n.run(t, "cancel", args...); len(logs) != 1 {
		t.Errorf("%d episodes after resuming", len(logs))
	}
}

// After kill -9 the same command resumes: no turn that the log has is asked for again.
func (n nightly) kill(t *testing.T) {
	n.Reset()
	args := []string{"--baseline", "agentic-rag", "--protocol", "tools", "--limit", "4-5"}
	c, errs := started(t, n.command(t, "kill", args...))
	waitFor(t, func() bool { return n.Whole() >= 2 || c.ProcessState != nil })
	if err := c.Process.Kill(); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	_ = c.Wait()
	run, err := runlog.Open(filepath.Join(n.dir, "kill"))
	if err != nil {
		t.Fatal(err)
	}
	paid := map[string]bool{}
	for rec, err := range run.Episodes() {
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range rec.Steps {
			paid[step.Reply.ID] = true
		}
	}
	replies := 0
	for _, log := range n.run(t, "kill", args...) {
		for _, step := range log.Steps {
			delete(paid, step.Reply.ID)
			replies++
		}
	}
	all, _ := n.Exchanges()
	if len(paid) > 0 || len(all) > replies+1 {
		t.Errorf("%d replies in the log, %d requests; lost: %v", replies, len(all), paid)
	}
}

// record writes the streams of a short session to the file that AIRQA_TEST_RECORD names, with the replies to the same
// requests as one object. The tests of llm read them.
func (n nightly) record(t *testing.T) {
	n.Reset()
	n.StreamsOnly(true)
	defer n.StreamsOnly(false)
	n.run(t, "record-one", "--baseline", "question-only", "--limit", "1", "--max-tokens", "8")
	n.run(t, "record-tools", "--baseline", "agentic-rag", "--protocol", "tools", "--limit", "2-2", "--turns", "2")
	n.run(t, "record-long", "--baseline", "full-text", "--limit", "1", "--context-tokens", "2400")
	var out bytes.Buffer
	all, _ := n.Exchanges()
	for _, x := range all {
		if x.Status == http.StatusBadRequest && strings.Contains(x.Body, "streaming") {
			continue // by the proxy
		}
		raw, err := json.Marshal(map[string]any{
			"request": x.Request, "status": x.Status, "stream": x.Body, "whole": n.whole(t, x.Request),
		})
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(raw, '\n'))
	}
	if path := os.Getenv("AIRQA_TEST_RECORD"); path != "" {
		if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// whole asks the server itself for the reply to a request of a stream as one object.
func (n nightly) whole(t *testing.T, streamed json.RawMessage) string {
	t.Helper()
	var fields map[string]json.RawMessage // tools stay as they are: the prompt has the order of their members
	if err := json.Unmarshal(streamed, &fields); err != nil {
		t.Fatal(err)
	}
	delete(fields, "stream")
	delete(fields, "stream_options")
	body, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	url := n.server + "/v1/chat/completions"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
