package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// conversation is a client of OpenEnv.
type conversation struct {
	*websocket.Conn
	t *testing.T
}

func (w *world) openEnv(t *testing.T, query string, headers http.Header) conversation {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.URL, "http")+"/openenv/ws"+query, &websocket.DialOptions{HTTPHeader: headers}) //nolint:bodyclose // the connection has it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(100 << 20)
	return conversation{conn, t}
}

// say sends a message and returns the type and the data of the reply, and its bytes.
func (c conversation) say(message string) (kind string, data map[string]any, raw string) {
	c.t.Helper()
	if err := c.Write(c.t.Context(), websocket.MessageText, []byte(message)); err != nil {
		c.t.Fatal(err)
	}
	_, got, err := c.Read(c.t.Context())
	if err != nil {
		c.t.Fatal(err)
	}
	var reply struct {
		Type string         `json:"type"`
		Data map[string]any `json:"data"`
	}
	if err := json.Unmarshal(got, &reply); err != nil {
		c.t.Fatal(err)
	}
	return reply.Type, reply.Data, string(got)
}

func callTool(tool, arguments string) string {
	return fmt.Sprintf(`{"type":"step","data":{"type":"call_tool","tool_name":%q,"arguments":%s}}`, tool, arguments)
}

func TestOpenEnv(t *testing.T) {
	t.Parallel()
	w := serving(t, "", "--max-sessions", "2")
	ex := w.plan.Picked[0]
	c := w.openEnv(t, "", nil)
	if kind, data, _ := c.say(callTool("Query", `{"sql":"select 1"}`)); kind != "error" || data["code"] != "EXECUTION_ERROR" {
		t.Errorf("a step before the first reset: %s %v", kind, data)
	}
	for message, code := range map[string]string{
		"{": "INVALID_JSON", `{"type":"dance"}`: "UNKNOWN_TYPE", `{"type":"reset","data":{"question_id":"none"}}`: "VALIDATION_ERROR",
		`{"type":"reset","data":{"colour":1}}`: "VALIDATION_ERROR", `{"type":"step","data":{"type":"jump"}}`: "VALIDATION_ERROR",
	} {
		if kind, data, _ := c.say(message); kind != "error" || data["code"] != code {
			t.Errorf("%s: %s %v, want %s", message, kind, data, code)
		}
	}
	_, data, _ := c.say(fmt.Sprintf(`{"type":"reset","data":{"seed":1,"episode_id":"mine","question_id":%q}}`, ex.UUID))
	seen, _ := data["observation"].(map[string]any)
	metadata, _ := data["metadata"].(map[string]any)
	if text, _ := seen["question"].(string); !strings.Contains(text, ex.Question) || metadata["question_id"] != ex.UUID || data["done"] != false {
		t.Errorf("reset: %v", data)
	}
	_, data, _ = c.say(callTool("Dance", `{}`))
	if e, _ := data["observation"].(map[string]any)["error"].(map[string]any); e["error_type"] != "tool_not_found" {
		t.Errorf("an unknown tool: %v", data)
	}
	_, data, _ = c.say(callTool("Query", `{"sql":"select count(*) from metadata"}`))
	if text, _ := data["observation"].(map[string]any)["result"].(string); !strings.Contains(text, "6") || data["reward"] != nil {
		t.Errorf("Query: %v", data)
	}
	if _, data, _ = c.say(callTool("Answer", answerOf(string(w.gold[ex.UUID])))); data["reward"] != 1.0 || data["done"] != true {
		t.Errorf("the gold answer: %v", data)
	}
	if _, data, _ = c.say(callTool("Answer", answerOf(string(w.gold[ex.UUID])))); data["reward"] != nil || data["done"] != true {
		t.Errorf("a second answer: %v", data)
	}
	if _, data, _ = c.say(`{"type":"state"}`); data["step_count"] != 2.0 || data["done"] != true {
		t.Errorf("state: %v", data)
	}
	// The same seed is the same question.
	other := w.openEnv(t, "", nil)
	_, first, _ := c.say(`{"type":"reset","data":{"seed":77}}`)
	_, second, _ := other.say(`{"type":"reset","data":{"seed":77}}`)
	if a, b := first["metadata"].(map[string]any)["question_id"], second["metadata"].(map[string]any)["question_id"]; a != b || a == nil {
		t.Errorf("the same seed gave the questions %v and %v", a, b)
	}
	// A third session is one too many, until one ends.
	full := w.openEnv(t, "", nil)
	if _, raw, err := full.Read(t.Context()); err != nil || !strings.Contains(string(raw), "CAPACITY_REACHED") || !strings.Contains(string(raw), `"max_sessions":2`) {
		t.Errorf("one session too many: %s, %v", raw, err)
	}
	_ = other.CloseNow()
	for w.host.Active() > 1 {
		time.Sleep(time.Millisecond)
	}
	// The clients of openenv 0.10 open a session by JSON-RPC and attach a socket to it.
	var opened struct {
		Result struct {
			ID string `json:"session_id"`
		} `json:"result"`
	}
	w.get(t, "POST", "/openenv/mcp", `{"jsonrpc":"2.0","id":1,"method":"openenv/session/create"}`, &opened)
	with := w.openEnv(t, "?session_id="+opened.Result.ID, nil)
	with.say(fmt.Sprintf(`{"type":"reset","data":{"question_id":%q}}`, ex.UUID))
	var called struct {
		Result struct {
			Data string `json:"data"`
		} `json:"result"`
	}
	w.get(t, "POST", "/openenv/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"Query","arguments":{"sql":"select 41+1 x"},"session_id":%q}}`,
		opened.Result.ID), &called)
	if !strings.Contains(called.Result.Data, "42") {
		t.Errorf("a call by JSON-RPC: %+v", called)
	}
	second2 := w.openEnv(t, "?session_id="+opened.Result.ID, nil)
	if _, raw, err := second2.Read(t.Context()); err != nil || !strings.Contains(string(raw), "SESSION_ERROR") {
		t.Errorf("a second socket of a session: %s, %v", raw, err)
	}
	var closed struct {
		Result struct {
			Closed bool `json:"closed"`
		} `json:"result"`
	}
	w.get(t, "POST", "/openenv/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"openenv/session/close","params":{"session_id":%q}}`, opened.Result.ID), &closed)
	if !closed.Result.Closed {
		t.Error("the session was not closed")
	}
}

func TestORS(t *testing.T) {
	t.Parallel()
	w := serving(t, "", "--split", "0.5,0.5")
	var splits []struct{ Name, Type string }
	w.get(t, "GET", "/ors/airqa/splits", "", &splits)
	var n struct {
		Tasks int `json:"num_tasks"`
	}
	sum := 0
	for _, s := range splits[:2] {
		w.get(t, "POST", "/num_tasks", fmt.Sprintf(`{"split":%q}`, s.Name), &n)
		sum += n.Tasks
	}
	if len(splits) != 3 || sum != 40 {
		t.Errorf("splits %v with %d tasks", splits, sum)
	}
	if code, _ := w.send(t, "POST", "/task", `{"split":"train","index":99}`); code != http.StatusBadRequest {
		t.Errorf("a bad index: status %d", code)
	}
	_, events := w.send(t, "POST", "/create_session", "")
	id := between(events, "data: ", "\n")
	session := []string{"X-Session-ID", id}
	if code, _ := w.send(t, "POST", "/create", `{"split":"train"}`, session...); code != http.StatusBadRequest {
		t.Errorf("create without an index: status %d", code)
	}
	ex := w.plan.Picked[1]
	w.send(t, "POST", "/airqa/create", "{}", session...)
	if code, text := w.send(t, "POST", "/create", fmt.Sprintf(`{"task_spec":{"id":%q},"env_name":"airqa"}`, ex.UUID), session...); code != http.StatusOK {
		t.Fatalf("create: %s", text)
	}
	if _, text := w.send(t, "GET", "/prompt", "", session...); !strings.Contains(text, "How many pages does the LumenParse paper have?") {
		t.Errorf("prompt: %s", text)
	}
	_, first := w.send(t, "POST", "/call", `{"name":"Query","input":{"sql":"select title from metadata"}}`, session...)
	task := between(first, "data: ", "\n")
	if _, again := w.send(t, "POST", "/call", fmt.Sprintf(`{"name":"Query","task_id":%q}`, task), session...); again != first {
		t.Errorf("the same task_id returned\n%s\nand then\n%s", first, again)
	}
	for call, want := range map[string]string{
		`{"name":"Dance","input":{}}`: "not_found", `{"name":"Query","input":{"sequel":1}}`: "input_validation",
	} {
		if _, text := w.send(t, "POST", "/call", call, session...); !strings.Contains(text, want) {
			t.Errorf("%s: %s", call, text)
		}
	}
	gold := fmt.Sprintf(`{"name":"Answer","input":%s}`, answerOf(string(w.gold[ex.UUID])))
	if _, text := w.send(t, "POST", "/call", gold, session...); !strings.Contains(text, `"reward":1,"finished":true`) {
		t.Errorf("the gold answer: %s", text)
	}
	if _, text := w.send(t, "POST", "/call", gold, session...); !strings.Contains(text, "episode_finished") {
		t.Errorf("a second answer: %s", text)
	}
	w.send(t, "POST", "/delete_session", "", session...)
	if code, _ := w.send(t, "POST", "/ping", "", session...); code != http.StatusNotFound {
		t.Errorf("ping of a closed session: status %d", code)
	}
}

func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	found, _, _ := strings.Cut(rest, to)
	return found
}

func TestGym(t *testing.T) {
	t.Parallel()
	w := serving(t, "")
	ex := w.plan.Picked[1]
	row := func(response string) string {
		return fmt.Sprintf(`{"responses_create_params":{"input":[]},"kept":7,"verifier_metadata":{"question_id":%q},"response":%s}`, ex.UUID, response)
	}
	r, err := http.Post(w.URL+"/gym/seed_session", "application/json", strings.NewReader(row("{}"))) //nolint:noctx // a test server
	if err != nil || r.StatusCode != http.StatusOK || len(r.Cookies()) != 1 {
		t.Fatalf("seed_session: %v, %v", r, err)
	}
	_ = r.Body.Close()
	cookie := []string{"Cookie", r.Cookies()[0].Name + "=" + r.Cookies()[0].Value}
	if code, text := w.send(t, "POST", "/gym/Query", `{"sql":"select 41+1 x"}`, cookie...); code != http.StatusOK || !strings.Contains(text, "42") {
		t.Errorf("Query: %d %s", code, text)
	}
	if code, _ := w.send(t, "POST", "/gym/Query", `{}`); code != http.StatusNotFound {
		t.Errorf("a call without a session: status %d", code)
	}
	said := func(text string) string {
		return fmt.Sprintf(`{"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":%q}]}]}`, text)
	}
	var got map[string]any
	w.get(t, "POST", "/gym/verify", row(said("3")), &got, cookie...)
	if got["reward"] != 1.0 || got["kept"] != 7.0 || got["responses_create_params"] == nil || got["response"] == nil {
		t.Errorf("verify: %v", got)
	}
	if w.host.Active() != 0 {
		t.Errorf("%d sessions are open after verify", w.host.Active())
	}
	w.get(t, "POST", "/gym/verify", row(said("4")), &got) // without tools and session
	if got["reward"] != 0.0 {
		t.Errorf("a wrong answer: %v", got)
	}
	w.get(t, "POST", "/gym/verify", row(`{"output":[]}`), &got)
	if got["reward"] != 0.0 || got["outcome"] != "turn_limit" {
		t.Errorf("no answer: %v", got)
	}
}
