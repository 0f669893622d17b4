package protocol

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"airqa/qa"
	"airqa/serve"
	"airqa/tools"
)

// Sizes and times of the Open Reward Standard.
const (
	// orsChunk is the maximum size of a part of a result in bytes.
	orsChunk = 4 << 10
	// orsAlive is the time between signs of life during a call.
	orsAlive = 10 * time.Second
)

// sessionHeader names the session of a request.
const sessionHeader = "X-Session-Id"

// orsRoutes serve the clients of the Open Reward Standard (openreward 0.1) below a prefix. Its Python client ignores the path
// of the address that it is given, so the routes are at the root, too.
func (s *server) orsRoutes(prefix string) {
	s.control("POST "+prefix+"/create_session", func(w http.ResponseWriter, r *http.Request) {
		session, err := s.Host.Open("ors", client(r))
		if err != nil {
			s.fail(w, err)
			return
		}
		_ = events(w, [2]string{"task_id", session.ID}, [2]string{"end", ""}) // a client that has gone does not answer
	})
	ok := func(_ *http.Request, session *serve.Session) (any, error) {
		return map[string]string{"sid": session.ID, "status": "ok"}, nil
	}
	s.control("POST "+prefix+"/create", s.inSession(orsCreate))
	s.control("POST "+prefix+"/ping", s.inSession(ok))
	s.control("POST "+prefix+"/delete", s.inSession(ok)) // the session itself ends with delete_session
	s.control("POST "+prefix+"/delete_session", s.inSession(func(r *http.Request, session *serve.Session) (any, error) {
		session.Close()
		return ok(r, session)
	}))
	list := func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{"tools": toolList(s.Host, "input_schema"), "terminal_tool": map[string]string{"name": tools.AnswerName, "arg": s.Host.AnswerField()}})
	}
	for _, at := range []string{prefix, prefix + "/" + environment} {
		s.control("GET "+at+"/tools", list)
		s.control("GET "+at+"/task_tools", list)
		s.control("GET "+at+"/prompt", s.inSession(func(r *http.Request, session *serve.Session) (any, error) {
			start, err := session.Started(r.Context())
			return []textBlock{{"text", start.System}, {"text", start.Prompt}}, err
		}))
		s.control("POST "+at+"/call", s.orsCall)
	}
}

// orsCreate begins the episode of a session, with an index or with the task that a list had.
func orsCreate(r *http.Request, session *serve.Session) (any, error) {
	var q struct {
		Split string `json:"split"`
		Index *int   `json:"index"`
		Task  *struct {
			ID string `json:"id"`
		} `json:"task_spec"`
	}
	if err := read(r, &q); err != nil {
		return nil, err
	}
	choice := serve.Choice{Split: q.Split, Index: q.Index}
	if q.Task != nil {
		choice.Question = q.Task.ID
	}
	if (choice.Question == "") == (q.Index == nil) {
		return nil, refusal{http.StatusBadRequest, "give either split and index, or task_spec with the id of a question"}
	}
	_, err := session.Reset(r.Context(), choice)
	return map[string]string{"sid": session.ID}, err
}

// orsCalls keeps the last call of a session. A client that has lost the connection asks for its result again, by the id of the
// call, or by the same call if it never saw the id.
type orsCalls struct {
	mu   sync.Mutex
	last *orsCall
}

type orsCall struct {
	id   string
	sum  [sha256.Size]byte
	done chan struct{}
	// result is set before done is closed.
	result []byte
	sent   atomic.Bool
}

// find returns the call that a client asks for again, or else a new one; nil if there is none with the id.
func (c *orsCalls) find(id string, sum [sha256.Size]byte) (call *orsCall, again bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := c.last
	switch {
	case last != nil && (id == last.id || id == "" && sum == last.sum && !last.sent.Load()):
		return last, true
	case id != "":
		return nil, false
	}
	c.last = &orsCall{id: rand.Text(), sum: sum, done: make(chan struct{})}
	return c.last, false
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

func (s *server) orsCall(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
		Task  string          `json:"task_id"`
	}
	session, err := s.Host.Session(r.Header.Get(sessionHeader))
	if err == nil {
		err = read(r, &q)
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	calls := session.Attach("ors", func() any { return new(orsCalls) }).(*orsCalls)
	call, again := calls.find(q.Task, sha256.Sum256(append([]byte(q.Name+"\x00"), q.Input...)))
	if call == nil {
		refuse(w, http.StatusNotFound, "the last call has another task_id")
		return
	}
	_ = events(w, [2]string{"task_id", call.id}) // a client that has gone comes back with it
	func() {
		defer keepAlive(w)()
		if again {
			select {
			case <-call.done:
			case <-r.Context().Done():
			}
			return
		}
		defer close(call.done)
		call.result = []byte(`{"ok":false,"error":"the call failed"}`) // after a panic
		got, err := session.Act(context.WithoutCancel(r.Context()), serve.Call{Tool: q.Name, Arguments: q.Input})
		if raw, err := json.Marshal(orsResultOf(got, err)); err == nil {
			call.result = raw
		}
	}()
	if r.Context().Err() == nil && events(w, parts(string(call.result))...) == nil {
		call.sent.Store(true)
	}
}

// keepAlive sends a comment from time to time: clients give up after 30 s of silence. stop ends it, once.
func keepAlive(w http.ResponseWriter) (stop func()) {
	ticker, ended := time.NewTicker(orsAlive), make(chan struct{})
	var sender sync.WaitGroup
	sender.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-ticker.C:
				_, _ = io.WriteString(w, ": alive\n\n") // to a client that may have gone
				_ = http.NewResponseController(w).Flush()
			}
		}
	})
	return func() {
		ticker.Stop()
		close(ended)
		sender.Wait()
	}
}

// parts cuts a result into events. Clients decode each part alone and drop the whitespace that it begins with.
func parts(result string) (list [][2]string) {
	for len(result) > orsChunk {
		n := orsChunk
		for !utf8.RuneStart(result[n]) {
			n--
		}
		list, result = append(list, [2]string{"chunk", result[:n]}), result[n:]
		if first, size := utf8.DecodeRuneInString(result); unicode.IsSpace(first) { // in a string: encoders write none elsewhere
			result = fmt.Sprintf(`\u%04x`, first) + result[size:]
		}
	}
	return append(list, [2]string{"end", result})
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
