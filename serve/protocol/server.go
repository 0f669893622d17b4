// Package protocol serves episodes to clients: over the Model Context Protocol, with an address for each episode, and to those
// of OpenEnv, of the Open Reward Standard and of NeMo Gym. Every route translates to package serve.
package protocol

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"airqa/internal/web"
	"airqa/serve"
)

// Config configures a server.
type Config struct {
	Host *serve.Host
	// Token is the control token: who has it may choose questions and read rewards. Empty allows everyone.
	Token string
	// Listen is the host that the server listens on, an address or a name.
	Listen  string
	Version string
	Log     *slog.Logger
}

// maxBody is the maximum size of a request in bytes.
const maxBody = 4 << 20

type server struct {
	Config
	mux *http.ServeMux
}

// New returns the handler of a host.
func New(c Config) http.Handler {
	s := &server{c, http.NewServeMux()}
	// An agent knows the id of its session and nothing else.
	mcp := mcpHandler(s.mcpServer, s.Host.Limits.Idle, s.Log)
	s.mux.Handle("/mcp", mcp)
	s.mux.Handle("/mcp/e/{id}", mcp)
	s.mux.HandleFunc("GET /e/{id}", s.inSession(func(r *http.Request, session *serve.Session) (any, error) { return session.State(r.Context()) }))
	s.mux.HandleFunc("GET /e/{id}/tools", s.inSession(func(*http.Request, *serve.Session) (any, error) {
		return map[string]any{"tools": toolList(s.Host, "input_schema")}, nil
	}))
	s.mux.HandleFunc("POST /e/{id}/tools/{tool}", s.inSession(call))
	// The other routes are for those who run episodes.
	s.control("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_, _ = io.WriteString(w, s.Host.Metrics())
	})
	s.control("POST /episodes", s.json(s.create))
	s.control("GET /episodes/{id}", s.inSession(result))
	s.control("DELETE /episodes/{id}", s.inSession(func(_ *http.Request, session *serve.Session) (any, error) {
		session.Close()
		return map[string]bool{"closed": true}, nil
	}))
	s.openEnvRoutes()
	for _, prefix := range []string{"", "/ors"} {
		s.orsRoutes(prefix)
		s.taskRoutes(prefix)
	}
	for _, prefix := range []string{"", "/gym"} {
		s.gymRoutes(prefix)
	}
	for _, prefix := range []string{"", "/ors", "/gym"} {
		s.mux.HandleFunc("GET "+prefix+"/health", func(w http.ResponseWriter, _ *http.Request) { reply(w, map[string]string{"status": "ok"}) })
	}
	return guard(s.mux, web.Loopback(s.Listen), bodyTimeout, s.Log)
}

// guard refuses large requests, requests of other sites and, on the loopback, foreign hosts. It turns a panic into an error of
// its request.
func guard(mux http.Handler, loopback bool, patience time.Duration, log *slog.Logger) http.Handler {
	next := http.NewCrossOriginProtection().Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			log.Error("a request panicked", "panic", p, "stack", string(debug.Stack()))
			http.Error(w, "the request failed", http.StatusInternalServerError)
		}()
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		if loopback && !web.NamesLoopback(r) {
			http.Error(w, web.OnlyLoopback, http.StatusForbidden)
			return
		}
		if c, err := r.Cookie(gymCookie); err == nil {
			setCookie(w, c.Value) // agents of NeMo Gym have only the cookies of the last reply, whatever its status
		}
		connection := http.NewResponseController(w)
		_ = connection.SetReadDeadline(time.Now().Add(patience)) // not of a recorder
		raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		_ = connection.SetReadDeadline(time.Time{})
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the request is larger than %d bytes", large.Limit))
		case err != nil:
			refuse(w, http.StatusRequestTimeout, fmt.Sprintf("the body of the request did not arrive within %s", patience))
		default:
			r.Body = io.NopCloser(bytes.NewReader(raw))
			next.ServeHTTP(w, r)
		}
	})
}

// control registers a route that needs the control token. Clients that can be given nothing but an address send it as the
// password in the address.
func (s *server) control(pattern string, do http.HandlerFunc) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		same := func(given string) bool { return subtle.ConstantTimeCompare([]byte(given), []byte(s.Token)) == 1 }
		_, password, _ := r.BasicAuth()
		if s.Token != "" && !slices.ContainsFunc([]string{bearer(r), r.Header.Get("X-API-Key"), password}, same) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "this route needs the control token of the server, as Authorization: Bearer TOKEN")
			return
		}
		do(w, r)
	})
}

func bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// mcpServer returns the MCP server of the session that a request names by its path, by a header, or as its token.
func (s *server) mcpServer(r *http.Request) *sdk.Server {
	id := r.PathValue("id")
	if id == "" {
		id = r.Header.Get("X-Airqa-Episode")
	}
	if id == "" {
		id = bearer(r)
	}
	session, err := s.Host.Session(id)
	if err != nil {
		return nil
	}
	start, err := session.Started(r.Context())
	if err != nil {
		return nil
	}
	return session.Attach("mcp", func() any {
		return MCP{Actor: session, Tools: s.Host.Tools(), Version: s.Version, Prompt: start.System, Question: start.Prompt, Log: s.Log}.server()
	}).(*sdk.Server)
}

// call is a tool as a plain request. The client may name the request in the header Idempotency-Key.
func call(r *http.Request, session *serve.Session) (any, error) {
	var args json.RawMessage
	if err := read(r, &args); err != nil {
		return nil, err
	}
	got, err := session.Act(r.Context(), serve.Call{Tool: r.PathValue("tool"), Arguments: args, Key: r.Header.Get("Idempotency-Key")})
	return map[string]any{"status": got.Status, "text": got.Text, "images": images(got), "done": got.End != nil}, err
}

// create opens a session with an episode, under an id that the caller may choose.
func (s *server) create(_ http.ResponseWriter, r *http.Request) (any, error) {
	var data map[string]json.RawMessage
	if err := read(r, &data); err != nil {
		return nil, err
	}
	choice, err := serve.ParseChoice(data, "episode")
	id := rand.Text()
	if raw := data["episode"]; err == nil && raw != nil {
		if err = json.Unmarshal(raw, &id); err != nil {
			err = fmt.Errorf("%w: episode: %w", serve.ErrChoice, err)
		}
	}
	if err != nil {
		return nil, err
	}
	session, start, err := s.openAs(r, id, "mcp", choice)
	if err != nil {
		return nil, err
	}
	base := cmp.Or(r.Header.Get("X-Forwarded-Proto"), "http") + "://" + cmp.Or(r.Header.Get("X-Forwarded-Host"), r.Host)
	return struct {
		ID string `json:"episode"`
		serve.Start
		MCP string `json:"mcp_url"`
		URL string `json:"url"`
	}{session.ID, start, base + "/mcp/e/" + session.ID, base + "/e/" + session.ID}, nil
}

// openAs opens a session with an id and begins an episode.
func (s *server) openAs(r *http.Request, id, face string, c serve.Choice) (*serve.Session, serve.Start, error) {
	session, err := s.Host.OpenAs(id, face, client(r))
	if err != nil {
		return nil, serve.Start{}, err
	}
	start, err := session.Reset(r.Context(), c)
	if err != nil {
		session.Close()
	}
	return session, start, err
}

// result reports on an episode: with ?finish=true, one without an answer ends.
func result(r *http.Request, session *serve.Session) (any, error) {
	if r.URL.Query().Get("finish") == "true" {
		if err := session.GiveUp(r.Context()); err != nil {
			return nil, err
		}
	}
	start, err := session.Started(r.Context())
	if err != nil {
		return nil, err
	}
	state, err := session.State(r.Context())
	if err != nil {
		return nil, err
	}
	end, err := session.End(r.Context())
	return struct {
		serve.State
		Question string     `json:"question_id"`
		End      *serve.End `json:"end"`
	}{state, start.ID, end}, err
}

// taskRoutes list the questions. Agents have no use for them, and clients of two protocols ask alike.
func (s *server) taskRoutes(prefix string) {
	s.control("GET "+prefix+"/list_environments", func(w http.ResponseWriter, _ *http.Request) { reply(w, []string{environment}) })
	for _, at := range []string{prefix, prefix + "/" + environment} {
		s.control("GET "+at+"/splits", s.splits)
		s.control("POST "+at+"/tasks", s.tasks(func(split serve.Split, _ taskRequest) (any, error) { return taskList(split.Questions), nil }))
		s.control("POST "+at+"/num_tasks", s.tasks(func(split serve.Split, _ taskRequest) (any, error) {
			return map[string]any{"num_tasks": len(split.Questions)}, nil
		}))
		s.control("POST "+at+"/task", s.tasks(oneTask))
		s.control("POST "+at+"/task_range", s.tasks(someTasks))
	}
}

// environment is the name of the only environment.
const environment = "airqa"

func (s *server) splits(w http.ResponseWriter, _ *http.Request) {
	type split struct {
		Name string `json:"name"`
		Type string `json:"type"`
	}
	var list []split
	for _, part := range s.Host.Splits {
		kind := part.Name
		if kind == serve.AllQuestions {
			kind = "train" // the protocol has no word for all of them
		}
		list = append(list, split{part.Name, kind})
	}
	reply(w, list)
}

type taskRequest struct {
	Split string `json:"split"`
	Index *int   `json:"index"`
	Start *int   `json:"start"`
	Stop  *int   `json:"stop"`
}

func (s *server) tasks(list func(serve.Split, taskRequest) (any, error)) http.HandlerFunc {
	return s.json(func(_ http.ResponseWriter, r *http.Request) (any, error) {
		var q taskRequest
		if err := read(r, &q); err != nil {
			return nil, err
		}
		split, err := s.Host.Split(q.Split)
		if err != nil {
			return nil, err
		}
		return list(split, q)
	})
}

func oneTask(split serve.Split, q taskRequest) (any, error) {
	if q.Index == nil {
		return nil, fmt.Errorf("%w: give the index of a question", serve.ErrChoice)
	}
	ex, err := split.At(*q.Index)
	return map[string]any{"task": serve.TaskOf(ex), "env_name": environment}, err
}

// someTasks slices like Python: numbers below 0 count from the end.
func someTasks(split serve.Split, q taskRequest) (any, error) {
	n := len(split.Questions)
	at := func(p *int, other int) int {
		if p == nil {
			return other
		}
		if *p < 0 {
			return max(0, n+*p)
		}
		return min(*p, n)
	}
	from, to := at(q.Start, 0), at(q.Stop, n)
	return taskList(split.Questions[min(from, to):to]), nil
}

func (s *server) json(do func(http.ResponseWriter, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := do(w, r)
		if err != nil {
			s.fail(w, err)
			return
		}
		reply(w, v)
	}
}

// inSession is json for the session that a request names by its path, or by a header as the Open Reward Standard does.
func (s *server) inSession(do func(*http.Request, *serve.Session) (any, error)) http.HandlerFunc {
	return s.json(func(_ http.ResponseWriter, r *http.Request) (any, error) {
		session, err := s.Host.Session(cmp.Or(r.PathValue("id"), r.Header.Get(sessionHeader)))
		if err != nil {
			return nil, err
		}
		return do(r, session)
	})
}

// client is the name of the program that sends a request, for the log.
func client(r *http.Request) string {
	const most = 60
	name := r.UserAgent()
	return strings.ToValidUTF8(name[:min(most, len(name))], "")
}

// refusal is an error with a status of its own.
type refusal struct {
	code int
	text string
}

func (e refusal) Error() string { return e.text }

// read decodes a JSON body. An empty body leaves v as it is.
func read(r *http.Request, v any) error {
	raw, err := io.ReadAll(r.Body)
	if err == nil && len(raw) > 0 {
		err = json.Unmarshal(raw, v)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		err = fmt.Errorf("%s cannot be a JSON %s", cmp.Or(kind.Field, "it"), kind.Value)
	}
	if err != nil {
		return refusal{http.StatusBadRequest, "the body is not the JSON that this route reads: " + err.Error()}
	}
	return nil
}

func reply(w http.ResponseWriter, v any) { send(w, http.StatusOK, v) }

func refuse(w http.ResponseWriter, code int, text string) {
	send(w, code, map[string]string{"error": text, "detail": text})
}

func send(w http.ResponseWriter, code int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		code, raw = http.StatusInternalServerError, []byte(`{"error":"the result cannot be written as JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(raw) // a client that has gone needs no answer
}

// fail sends an error with the status that it stands for.
func (s *server) fail(w http.ResponseWriter, err error) {
	var full *serve.CapacityError
	if errors.As(err, &full) {
		w.Header().Set("Retry-After", "5")
		send(w, http.StatusServiceUnavailable, map[string]any{"error": err.Error(), "active_sessions": full.Active, "max_sessions": full.Max})
		return
	}
	refuse(w, status(err), err.Error())
}

func status(err error) int {
	var own refusal
	if errors.As(err, &own) {
		return own.code
	}
	for is, code := range map[error]int{
		serve.ErrNoSession: http.StatusNotFound, serve.ErrNoTool: http.StatusNotFound, serve.ErrChoice: http.StatusBadRequest,
		serve.ErrNoEpisode: http.StatusConflict, serve.ErrEnded: http.StatusConflict, serve.ErrClosing: http.StatusServiceUnavailable,
	} {
		if errors.Is(err, is) {
			return code
		}
	}
	return http.StatusInternalServerError
}

// events sends server-sent events of an event name and data each.
func events(w http.ResponseWriter, pairs ...[2]string) error {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	var b strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", p[0], p[1])
	}
	_, err := io.WriteString(w, b.String())
	return errors.Join(err, http.NewResponseController(w).Flush())
}

// ReadHeaderTimeout is the timeout of the headers of a request, and bodyTimeout that of the body. There is none for responses:
// streams stay open.
const ReadHeaderTimeout, bodyTimeout = 10 * time.Second, 30 * time.Second
