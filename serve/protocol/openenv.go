package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"airqa/qa"
	"airqa/serve"
)

// openEnvRoutes serve the clients of OpenEnv: those of openenv-core 0.3, which use the socket alone, and those of openenv
// 0.10, which call tools by JSON-RPC on a session that they open first.
func (s *server) openEnvRoutes() {
	s.mux.HandleFunc("GET /openenv/health", func(w http.ResponseWriter, _ *http.Request) { reply(w, map[string]string{"status": "healthy"}) })
	s.control("GET /openenv/metadata", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]string{"name": environment, "description": "Questions about scientific papers, with tools to find the answers.", "version": s.Version})
	})
	s.control("GET /openenv/schema", func(w http.ResponseWriter, _ *http.Request) { reply(w, openEnvSchema) })
	s.control("GET /openenv/ws", s.socket)
	s.control("POST /openenv/mcp", s.json(func(_ http.ResponseWriter, r *http.Request) (any, error) {
		var q rpcRequest
		if err := read(r, &q); err != nil {
			return nil, err
		}
		return s.rpc(r.Context(), client(r), nil, q), nil
	}))
	for _, route := range []string{"POST /openenv/reset", "POST /openenv/step", "GET /openenv/state"} {
		s.control(route, func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, http.StatusNotImplemented, "an episode needs a connection that stays: use the socket at /openenv/ws")
		})
	}
	s.taskRoutes("/openenv")
}

var openEnvSchema = json.RawMessage(`{"action":{"title":"CallToolAction","type":"object","properties":{` +
	`"type":{"type":"string","enum":["call_tool","list_tools"]},"tool_name":{"type":"string"},"arguments":{"type":"object"}},"required":["type"]},` +
	`"observation":{"title":"Observation","type":"object"},"state":{"title":"State","type":"object","properties":{` +
	`"episode_id":{"type":"string"},"step_count":{"type":"integer"}}}}`)

// Codes of errors on a socket.
const (
	codeJSON     = "INVALID_JSON"
	codeType     = "UNKNOWN_TYPE"
	codeInvalid  = "VALIDATION_ERROR"
	codeFailed   = "EXECUTION_ERROR"
	codeCapacity = "CAPACITY_REACHED"
	codeSession  = "SESSION_ERROR"
)

// attached marks a session that a socket uses.
type attached struct{ atomic.Bool }

type socketMessage struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

type socketReply struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

// observation is the data of a reply to reset and step.
type observation struct {
	Observation any            `json:"observation"`
	Reward      *float64       `json:"reward"`
	Done        bool           `json:"done"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

func socketError(code, text string, more ...any) socketReply {
	data := map[string]any{"message": text, "code": code}
	for i := 0; i+1 < len(more); i += 2 {
		data[more[i].(string)] = more[i+1]
	}
	return socketReply{"error", data}
}

func (s *server) socket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(maxBody)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	session, leave, refusal := s.join(r)
	if refusal != nil {
		_ = write(ctx, conn, *refusal)
		_ = conn.Close(websocket.StatusTryAgainLater, "")
		return
	}
	defer leave()
	for raw := range receive(ctx, cancel, conn, session.Touch) {
		if !s.exchange(ctx, conn, session, raw) {
			return
		}
	}
}

// exchange answers a message; false ends the connection.
func (s *server) exchange(ctx context.Context, conn *websocket.Conn, session *serve.Session, raw []byte) bool {
	if _, release, err := s.Host.Hold(ctx); err == nil { // until the reply is sent
		defer release()
	}
	var m socketMessage
	out := socketError(codeJSON, "the message is not a JSON object with type and data")
	if json.Unmarshal(raw, &m) == nil {
		if m.Type == "close" {
			_ = conn.Close(websocket.StatusNormalClosure, "")
			return false
		}
		out = s.message(ctx, session, m)
	}
	return write(ctx, conn, out) == nil
}

// join returns the session of a connection: one that was opened before, or a new one that ends with the connection.
func (s *server) join(r *http.Request) (session *serve.Session, leave func(), refusal *socketReply) {
	refuse := func(m socketReply) (*serve.Session, func(), *socketReply) { return nil, nil, &m }
	if id := r.URL.Query().Get("session_id"); id != "" {
		session, err := s.Host.Session(id)
		if err != nil {
			return refuse(socketError(codeSession, err.Error()))
		}
		mark := session.Attach("openenv", func() any { return new(attached) }).(*attached)
		if !mark.CompareAndSwap(false, true) {
			return refuse(socketError(codeSession, "the session has another socket"))
		}
		return session, func() { mark.Store(false) }, nil
	}
	session, err := s.Host.Open("openenv", client(r))
	var full *serve.CapacityError
	if errors.As(err, &full) {
		return refuse(socketError(codeCapacity, err.Error(), "active_sessions", full.Active, "max_sessions", full.Max))
	}
	if err != nil {
		return refuse(socketError(codeSession, err.Error()))
	}
	return session, session.Close, nil
}

// receive yields the messages of a connection until it ends, and then ends ctx, also while a call runs.
func receive(ctx context.Context, cancel context.CancelFunc, conn *websocket.Conn, alive func()) <-chan []byte {
	messages := make(chan []byte, 1)
	go func() {
		defer close(messages)
		defer cancel()
		for {
			_, raw, err := conn.Read(ctx)
			if err != nil {
				return
			}
			select {
			case messages <- raw:
			case <-ctx.Done():
				return
			}
		}
	}()
	go ping(ctx, cancel, conn, alive)
	return messages
}

// ping pings a connection from time to time, and ends it if there is no answer.
func ping(ctx context.Context, cancel context.CancelFunc, conn *websocket.Conn, alive func()) {
	const pingEvery = 20 * time.Second // a silent client holds its session no longer than twice this
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		bounded, done := context.WithTimeout(ctx, pingEvery)
		err := conn.Ping(bounded)
		done()
		if err != nil {
			cancel()
			return
		}
		alive()
	}
}

func write(ctx context.Context, conn *websocket.Conn, m socketReply) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return conn.Write(ctx, websocket.MessageText, raw)
}

func (s *server) message(ctx context.Context, session *serve.Session, m socketMessage) socketReply {
	switch m.Type {
	case "reset":
		return reset(ctx, session, m.Data)
	case "step":
		return s.step(ctx, session, m.Data)
	case "state":
		state, err := session.State(ctx)
		if err != nil {
			return socketError(codeFailed, err.Error())
		}
		return socketReply{"state", state}
	case "mcp":
		var q rpcRequest
		if err := json.Unmarshal(m.Data, &q); err != nil {
			return socketError(codeInvalid, "data is not a request of JSON-RPC")
		}
		return socketReply{"mcp", s.rpc(ctx, session.Client, session, q)}
	}
	return socketError(codeType, fmt.Sprintf("unknown type %.40q; there are reset, step, state, mcp and close", m.Type))
}

func reset(ctx context.Context, session *serve.Session, raw json.RawMessage) socketReply {
	var data map[string]json.RawMessage
	if err := json.Unmarshal(raw, &data); err != nil && len(raw) > 0 {
		return socketError(codeInvalid, "data is not an object")
	}
	choice, err := serve.ParseChoice(data, "episode_id")
	if err != nil {
		return socketError(codeInvalid, err.Error())
	}
	start, err := session.Reset(ctx, choice)
	if errors.Is(err, serve.ErrChoice) {
		return socketError(codeInvalid, err.Error())
	}
	if err != nil {
		return socketError(codeFailed, err.Error())
	}
	public := map[string]any{
		"question_id": start.ID, "episode_id": start.Episode, "question": start.Prompt, "answer_format": start.AnswerFormat, "papers": start.Papers,
	}
	seen := maps.Clone(public)
	seen["system"] = start.System
	return socketReply{"observation", observation{Observation: seen, Metadata: public}} // some clients show only one of them
}

type action struct {
	Type      string          `json:"type"`
	Tool      string          `json:"tool_name"`
	Arguments json.RawMessage `json:"arguments"`
}

type toolError struct {
	Type    string `json:"error_type"`
	Message string `json:"message"`
}

// Kinds of [toolError]. Clients know no others.
const (
	badArguments = "invalid_args"
	toolFailed   = "execution_error"
	noTool       = "tool_not_found"
)

func (s *server) step(ctx context.Context, session *serve.Session, raw json.RawMessage) socketReply {
	var a action
	if err := json.Unmarshal(raw, &a); err != nil {
		return socketError(codeInvalid, "data is not an action: "+err.Error())
	}
	switch a.Type {
	case "list_tools":
		return socketReply{"observation", observation{Observation: map[string]any{"tools": toolList(s.Host, "input_schema")}}}
	case "call_tool":
	default:
		return socketError(codeInvalid, fmt.Sprintf("unknown action %.40q; there are call_tool and list_tools", a.Type))
	}
	got, err := session.Act(ctx, serve.Call{Tool: a.Tool, Arguments: a.Arguments})
	seen := map[string]any{"tool_name": a.Tool, "result": content(got), "error": nil}
	out := observation{Observation: seen, Done: got.End != nil}
	switch {
	case errors.Is(err, serve.ErrNoEpisode):
		return socketError(codeFailed, err.Error())
	case errors.Is(err, serve.ErrNoTool):
		seen["error"] = toolError{noTool, err.Error()}
	case err != nil: // after the end there is no reward any more: clients add rewards up
		seen["error"] = toolError{toolFailed, err.Error()}
	case problem(got) != "":
		seen["error"] = toolError{toolFailed, problem(got)}
	case got.Failed():
		seen["error"] = toolError{failure(got), got.Text}
		out.Reward = reward(got)
	default:
		out.Reward = reward(got)
	}
	if got.End != nil {
		out.Metadata = map[string]any{"end": got.End}
	}
	return socketReply{"observation", out}
}

func failure(r serve.Result) string {
	if r.Status == qa.StatusParse {
		return badArguments
	}
	return toolFailed
}

// content is a result as clients show it: the text, or text and images.
func content(r serve.Result) any {
	if len(r.Images) == 0 {
		return r.Text
	}
	return map[string]any{"text": r.Text, "images": images(r)}
}

// rpc answers a request of JSON-RPC. Without a session of a socket, the request names its session.
func (s *server) rpc(ctx context.Context, client string, session *serve.Session, q rpcRequest) rpcReply {
	out := rpcReply{Version: "2.0", ID: q.ID}
	if out.ID == nil {
		out.ID = json.RawMessage("null")
	}
	text := func(name string) (v string) {
		_ = json.Unmarshal(q.Params[name], &v) // a value of another type is none
		return v
	}
	fail := func(code int, err error) rpcReply {
		out.Error = &rpcError{Code: code, Message: err.Error()}
		return out
	}
	switch q.Method {
	case "openenv/session/create":
		opened, err := s.Host.Open("openenv", client)
		if err != nil {
			return fail(-32000, err)
		}
		out.Result = map[string]string{"session_id": opened.ID}
	case "openenv/session/close":
		open, err := s.Host.Session(text("session_id"))
		if err == nil {
			open.Close()
		}
		out.Result = map[string]any{"session_id": text("session_id"), "closed": err == nil}
	case "tools/list":
		out.Result = map[string]any{"tools": toolList(s.Host, "inputSchema")}
	case "tools/call":
		out.Result, out.Error = s.rpcCall(ctx, session, q, text)
	default:
		return fail(-32601, fmt.Errorf("unknown method %.60q", q.Method))
	}
	return out
}

func (s *server) rpcCall(ctx context.Context, session *serve.Session, q rpcRequest, text func(string) string) (any, *rpcError) {
	if session == nil {
		var err error
		if session, err = s.Host.Session(text("session_id")); err != nil {
			return nil, &rpcError{Code: -32602, Message: err.Error()}
		}
	}
	got, err := session.Act(ctx, serve.Call{Tool: text("name"), Arguments: q.Params["arguments"]})
	if err != nil {
		code := -32603
		if errors.Is(err, serve.ErrNoTool) {
			code = -32602
		}
		return nil, &rpcError{Code: code, Message: err.Error()}
	}
	result := map[string]any{"content": blocks(got), "structured_content": map[string]any{"result": got.Text}, "data": content(got), "is_error": got.Failed()}
	if got.End != nil {
		result["meta"] = map[string]any{"reward": got.End.Reward, "done": true, "problem": got.End.Problem}
	}
	return result, nil
}
