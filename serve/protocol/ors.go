package protocol

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"airqa/qa"
	"airqa/serve"
	"airqa/tools"
)

// Sizes and times of the Open Reward Standard.
const (
	// orsChunk is the maximum size of a part of a result in bytes.
	orsChunk = 4 << 10
	// orsKeep is how long a client may ask for a result again.
	orsKeep = time.Minute
)

// sessionHeader names the session of a request.
const sessionHeader = "X-Session-Id"

// orsRoutes serve the clients of the Open Reward Standard (openreward 0.1) below a prefix. Its Python client ignores the path
// of the address that it is given, so the routes are at the root, too.
func (s *server) orsRoutes(prefix string) {
	s.mux.HandleFunc("GET "+prefix+"/health", func(w http.ResponseWriter, _ *http.Request) { reply(w, map[string]string{"status": "ok"}) })
	s.control("POST "+prefix+"/create_session", func(w http.ResponseWriter, r *http.Request) {
		session, err := s.Host.Open("ors", client(r))
		if err != nil {
			s.fail(w, err)
			return
		}
		_ = events(w, [2]string{"task_id", session.ID}, [2]string{"end", ""}) // a client that has gone does not answer
	})
	s.control("POST "+prefix+"/create", s.orsSession(s.orsCreate))
	s.control("POST "+prefix+"/ping", s.orsSession(func(w http.ResponseWriter, _ *http.Request, session *serve.Session) {
		reply(w, map[string]string{"sid": session.ID, "status": "ok"})
	}))
	end := s.orsSession(func(w http.ResponseWriter, _ *http.Request, session *serve.Session) {
		session.Close()
		reply(w, map[string]string{"sid": session.ID, "status": "ok"})
	})
	s.control("POST "+prefix+"/delete_session", end)
	s.control("POST "+prefix+"/delete", s.orsSession(func(w http.ResponseWriter, _ *http.Request, session *serve.Session) {
		reply(w, map[string]string{"sid": session.ID, "status": "ok"}) // the session itself ends with delete_session
	}))
	list := func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"tools": toolList(s.Host, "input_schema"), "terminal_tool": map[string]string{"name": tools.AnswerName, "arg": s.Host.AnswerField()}})
	}
	for _, at := range []string{prefix, prefix + "/" + environment} {
		s.control("GET "+at+"/tools", list)
		s.control("GET "+at+"/task_tools", list)
		s.control("GET "+at+"/prompt", s.orsSession(s.orsPrompt))
		s.control("POST "+at+"/call", s.orsSession(s.orsCall))
	}
}

// orsSession finds the session of a request.
func (s *server) orsSession(do func(http.ResponseWriter, *http.Request, *serve.Session)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if session := s.session(w, r.Header.Get(sessionHeader)); session != nil {
			do(w, r, session)
		}
	}
}

// orsCreate begins the episode of a session, with an index or with the task that a list had.
func (s *server) orsCreate(w http.ResponseWriter, r *http.Request, session *serve.Session) {
	var q struct {
		Split string `json:"split"`
		Index *int   `json:"index"`
		Task  *struct {
			ID string `json:"id"`
		} `json:"task_spec"`
	}
	if !read(w, r, &q) {
		return
	}
	choice := serve.Choice{Split: q.Split, Index: q.Index}
	if q.Task != nil {
		choice.Question = q.Task.ID
	}
	if (choice.Question == "") == (q.Index == nil) {
		refuse(w, http.StatusBadRequest, "give either split and index, or task_spec with the id of a question")
		return
	}
	_, err := session.Reset(r.Context(), choice)
	s.answer(w, map[string]string{"sid": session.ID}, err)
}

func (s *server) orsPrompt(w http.ResponseWriter, r *http.Request, session *serve.Session) {
	start, err := session.Started(r.Context())
	s.answer(w, []textBlock{{"text", start.System}, {"text", start.Prompt}}, err)
}

// orsCalls is the last result of a session. A client that has lost the connection asks for it again, by the id of the call,
// or by the same call if it never saw the id.
type orsCalls struct {
	mu   sync.Mutex
	call [sha256.Size]byte
	id   string
	raw  string
	sent bool
	at   time.Time
}

// orsResult is the result of a call. All keys of the output are required.
type orsResult struct {
	OK     bool       `json:"ok"`
	Output *orsOutput `json:"output,omitempty"`
	Error  string     `json:"error,omitempty"`
	Reason string     `json:"reason,omitempty"`
}

type orsOutput struct {
	Blocks   []any    `json:"blocks"`
	Metadata any      `json:"metadata"`
	Reward   *float64 `json:"reward"`
	Finished bool     `json:"finished"`
}

func (s *server) orsCall(w http.ResponseWriter, r *http.Request, session *serve.Session) {
	var q struct {
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
		Task  string          `json:"task_id"`
	}
	if !read(w, r, &q) {
		return
	}
	last := session.Attach("ors", func() any { return new(orsCalls) }).(*orsCalls)
	last.mu.Lock()
	defer last.mu.Unlock()
	sum := sha256.Sum256(append([]byte(q.Name+"\x00"), q.Input...))
	recent := time.Since(last.at) < orsKeep
	switch {
	case q.Task != "" && (q.Task != last.id || !recent):
		refuse(w, http.StatusNotFound, "no recent call has this task_id")
		return
	case q.Task != "", !last.sent && recent && sum == last.call: // the same call again
	default:
		raw, err := json.Marshal(orsResultOf(session.Act(r.Context(), serve.Call{Tool: q.Name, Arguments: q.Input})))
		if err != nil {
			s.fail(w, err)
			return
		}
		last.call, last.id, last.raw, last.sent = sum, rand.Text(), string(raw), false
	}
	last.at = time.Now()
	list := [][2]string{{"task_id", last.id}}
	rest := last.raw
	for len(rest) > orsChunk {
		list, rest = append(list, [2]string{"chunk", rest[:orsChunk]}), rest[orsChunk:]
	}
	err := events(w, append(list, [2]string{"end", rest})...)
	last.sent = err == nil && r.Context().Err() == nil
}

func orsResultOf(got serve.Result, err error) orsResult {
	reason := ""
	switch {
	case errors.Is(err, serve.ErrNoTool):
		reason = "not_found"
	case errors.Is(err, serve.ErrEnded):
		reason = "episode_finished"
	case got.Status == qa.StatusParse && got.End == nil:
		return orsResult{Error: got.Text, Reason: "input_validation"}
	}
	if err != nil {
		return orsResult{Error: err.Error(), Reason: reason}
	}
	if text := problem(got); text != "" {
		return orsResult{Error: text}
	}
	out := &orsOutput{Blocks: blocks(got), Reward: reward(got), Finished: got.End != nil}
	if got.End != nil {
		out.Metadata = got.End
	}
	return orsResult{OK: true, Output: out}
}
