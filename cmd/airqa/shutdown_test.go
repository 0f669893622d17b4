package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"airqa/fixtures"
	"airqa/runlog"
)

// soon is more than it takes to end a server that waits for nothing, also on a busy machine, and less than a slow statement.
const soon = 8 * time.Second

// slowly are arguments of Query that take until its limit of 30 seconds.
const slowly = `{"sql":"SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE hash(a.range * b.range) % 7 = 3"}`

// terminated sends SIGTERM and waits for the end of a program.
func terminated(t *testing.T, c *exec.Cmd) {
	t.Helper()
	began := time.Now()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > soon {
		t.Errorf("the end took %s", took)
	}
}

// SIGTERM cancels statements at once, and the clients of every protocol read why.
func TestServeShutdown(t *testing.T) {
	t.Parallel()
	errs, out := &output{}, filepath.Join(t.TempDir(), "run")
	program, address := startServer(t.Context(), t, errs, "serve", "-d", ingested(t), "-q", sampleQuestions(t, 3), "-o", out, "--judge", "offline", "--listen", "127.0.0.1:0")
	w := &world{Server: &httptest.Server{URL: address}}
	uuid := between(string(fixtures.Questions()), `"uuid": "`, `"`)
	var opened struct{ Result map[string]string }
	w.get(t, "POST", "/openenv/mcp", `{"jsonrpc":"2.0","id":1,"method":"openenv/session/create"}`, &opened)
	socket := opened.Result["session_id"]
	talk := w.openEnv(t, "?session_id="+socket, nil)
	talk.say(fmt.Sprintf(`{"type":"reset","data":{"question_id":%q}}`, uuid))
	_, events := w.send(t, "POST", "/create_session", "")
	ors := []string{"X-Session-ID", between(events, "data: ", "\n")}
	w.send(t, "POST", "/create", `{"split":"all","index":0}`, ors...)
	plain, keyed, modern, legacy, gym := w.begin(t, uuid), w.begin(t, uuid), w.begin(t, uuid), w.begin(t, uuid), w.begin(t, uuid)
	older, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: address + "/mcp/e/" + legacy}, nil)
	if err != nil {
		t.Fatal(err)
	}
	post := func(path, body string, headers ...string) func() string {
		return func() string {
			code, text := w.send(t, "POST", path, body, headers...)
			return fmt.Sprint(code, " ", text)
		}
	}
	replies := make(chan [2]string)
	calls := map[string]func() string{
		"503 plain": post("/e/"+plain+"/tools/Query", slowly),
		"503 keyed": post("/e/"+keyed+"/tools/Query", slowly, "Idempotency-Key", "1"),
		"503 gym":   post("/Query", slowly, "Cookie", "airqa_session="+gym),
		"200 ors":   post("/call", `{"name":"Query","input":`+slowly+`}`, ors...),
		"200 modern": post("/mcp/e/"+modern, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Query","arguments":`+slowly+`,"_meta":{`+
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
			"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2026-07-28",
			"Mcp-Method", "tools/call", "Mcp-Name", "Query"),
		"legacy": func() string {
			_, err := older.CallTool(t.Context(), &sdk.CallToolParams{Name: "Query", Arguments: json.RawMessage(slowly)})
			return fmt.Sprint("legacy ", err)
		},
		"socket": func() string {
			_, _, raw := talk.say(callTool("Query", slowly))
			return "socket " + raw
		},
	}
	for name, call := range calls {
		go func() { replies <- [2]string{name, call()} }()
	}
	for _, id := range []string{plain, keyed, gym, ors[1], modern, legacy, socket} {
		waitFor(t, func() bool { return w.busy(t, id) })
	}
	terminated(t, program)
	for range calls {
		got := <-replies
		if code, _, _ := strings.Cut(got[0], " "); !strings.HasPrefix(got[1], code) || !strings.Contains(got[1], "the server is shutting down") {
			t.Errorf("%s: %s", got[0], got[1])
		}
	}
	r, err := runlog.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	for rec, err := range r.Episodes() {
		if err != nil || rec.Outcome != "" {
			t.Errorf("%s ended with %q, %v", rec.Episode, rec.Outcome, err)
		}
	}
}

// busy reports whether a call of an episode runs, which its state waits for.
func (w *world) busy(t *testing.T, id string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, w.URL+"/e/"+id, nil)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(r)
	if err == nil {
		_ = reply.Body.Close()
	}
	return ctx.Err() != nil
}

// A judge that is being paid ends first, and its client gets the reward; nothing more is asked.
func TestServeShutdownWaitsForJudge(t *testing.T) {
	t.Parallel()
	judge := newSlow(t)
	questions := filepath.Join(t.TempDir(), "questions.jsonl")
	if err := os.WriteFile(questions, []byte(`{"uuid":"u","question":"q","evaluator":{"eval_func":"eval_reference_answer_with_llm","eval_kwargs":{"question":"q","reference_answer":"r"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(settings, []byte("score: {judge-base-url: "+judge.URL()+"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	errs := &output{}
	program, address := startServer(t.Context(), t, errs, "serve", "-d", ingested(t), "-q", questions, "-o", filepath.Join(t.TempDir(), "run"),
		"--judge", "openai:slow", "--config", settings, "--listen", "127.0.0.1:0")
	w := &world{Server: &httptest.Server{URL: address}}
	id, reply := w.begin(t, "u"), make(chan string)
	go func() {
		_, text := w.send(t, "POST", "/e/"+id+"/tools/Answer", `{"answer":"a"}`)
		reply <- text
	}()
	<-judge.asked
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { // new calls are refused meanwhile
		code, _ := w.send(t, "POST", "/episodes", `{}`)
		return code == http.StatusServiceUnavailable
	})
	judge.letGo()
	if text := <-reply; !strings.Contains(text, `"done":true`) {
		t.Error(text)
	}
	if err := program.Wait(); err != nil || judge.Calls() != 1 {
		t.Errorf("%v after %d calls of the judge; %s", err, judge.Calls(), errs)
	}
}

const (
	greeting = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	pinging = `{"jsonrpc":"2.0","id":9,"method":"ping"}` + "\n"
)

func querying(id int, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"Query","arguments":%s}}`+"\n", id, arguments)
}

// What is no message is answered, and the server continues; the end of the input loses no reply.
func TestMCPInput(t *testing.T) {
	t.Parallel()
	data := ingested(t)
	const parse, invalid = `"code":-32700`, `"code":-32600`
	for name, c := range map[string]struct {
		input string
		want  []string // in replies other than those to the greeting and the last ping, if no order is needed
	}{
		"not JSON":           {"hello\n" + pinging, []string{parse}},
		"cut":                {`{"jsonrpc":"2.0",` + "\n" + pinging, []string{parse}},
		"two in a line":      {strings.TrimSpace(pinging) + pinging + pinging, []string{parse}},
		"empty lines":        {"\n \r\n\t\n" + pinging, nil},
		"CRLF":               {strings.ReplaceAll(pinging, "\n", "\r\n"), nil},
		"no line end":        {strings.TrimSpace(pinging), nil},
		"end within a line":  {pinging + `{"jsonrpc":"2.0","id":1,"me`, []string{parse}},
		"invalid UTF-8":      {"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}\n" + pinging, []string{parse}},
		"10 MB":              {strings.Repeat("x", 10<<20) + "\n" + pinging, []string{parse}},
		"too long":           {`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 17<<20) + `"}}` + "\n" + pinging, []string{parse}},
		"deep":               {strings.Repeat("[", 1<<20) + "\n" + pinging, []string{parse}},
		"number":             {"3\n" + pinging, []string{invalid}},
		"no version":         {`{"id":7,"method":"ping"}` + "\n" + pinging, []string{`"id":7`, invalid}},
		"id is an object":    {`{"jsonrpc":"2.0","id":{},"method":"ping"}` + "\n" + pinging, []string{`"id":null`, invalid}},
		"method is a number": {`{"jsonrpc":"2.0","id":4,"method":1}` + "\n" + pinging, []string{`"id":4`, invalid}},
		"batch":              {`[{"jsonrpc":"2.0","id":5,"method":"ping"},` + strings.TrimSpace(pinging) + "]\n", []string{`"id":5`}},
		"batch with a fault": {"[1," + strings.TrimSpace(pinging) + "]\n", []string{invalid}},
		"empty batch":        {"[]\n" + pinging, []string{invalid}},
		"error of nothing":   {`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}` + "\n" + pinging, nil},
		"call":               {querying(1, `{"sql":"SELECT 40 + 2"}`) + pinging, []string{"42"}},
		"slow call":          {querying(1, slowly) + pinging, []string{"the server is shutting down"}},
		"cancelled": {
			querying(1, slowly) + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n" + pinging, nil,
		},
		"cancelled and unknown": {`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}}` + "\n" + pinging, nil},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			program := exec.CommandContext(t.Context(), os.Args[0], "mcp", "-d", data)
			program.Env = append(os.Environ(), asProgram+"=1")
			program.Stdin = strings.NewReader(greeting + c.input)
			out, err := program.Output()
			if err != nil || time.Since(began) > soon {
				t.Errorf("%v after %s", err, time.Since(began))
			}
			var other []string
			known := 0
			for line := range strings.Lines(string(out)) {
				switch {
				case strings.Contains(line, `"protocolVersion"`), strings.HasPrefix(line, `{"jsonrpc":"2.0","id":9,"result"`):
					known++
				default:
					other = append(other, line)
				}
			}
			if known != 2 || len(other) != min(1, len(c.want)) {
				t.Errorf("%d known replies and %.300q", known, other)
			}
			for _, want := range c.want {
				if !strings.Contains(strings.Join(other, ""), want) {
					t.Errorf("no %s in %.300q", want, other)
				}
			}
		})
	}
}

// SIGTERM ends a statement, over either transport, and its client reads why.
func TestMCPShutdown(t *testing.T) {
	t.Parallel()
	program := exec.CommandContext(t.Context(), os.Args[0], "mcp", "-d", ingested(t))
	program.Env = append(os.Environ(), asProgram+"=1")
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	replies := &output{}
	program.Stdout = replies
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte(greeting + querying(1, slowly) + pinging)); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return strings.Contains(replies.String(), `"id":9`) })
	terminated(t, program)
	if !strings.Contains(replies.String(), "the server is shutting down") {
		t.Error(replies)
	}

	program, address := startServer(t.Context(), t, nil, "mcp", "-d", ingested(t), "--listen", "127.0.0.1:0")
	s, err := sdk.NewClient(&sdk.Implementation{Name: "assistant", Version: "1"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: address}, nil)
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error)
	go func() {
		_, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "Query", Arguments: json.RawMessage(slowly)})
		failed <- err
	}()
	if _, err := s.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	terminated(t, program)
	if err := <-failed; err == nil {
		t.Error("the statement ended")
	}
}
