package batchtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"airqa/internal/testkit/openaitest"
)

// Config configures a [Server].
type Config struct {
	// Chat runs the requests; required.
	Chat *openaitest.Server
	// Polls is the number of polls before a batch ends; 0 ends it at the first.
	Polls int
	// End returns how the nth batch ends, from 1; nil completes all. Calls do not overlap.
	End func(n int) End
	// Page is the maximum number of batches in a page of the list; 0 is the request's limit.
	Page int
	// OmitMetadata drops the metadata of OpenAI's batches, as some servers do.
	OmitMetadata bool
	// ResultsURL is the results_url of Anthropic's batches; empty is the true one.
	ResultsURL string
	// Key is the only accepted key; empty accepts any.
	Key string
}

// End is how a batch ends.
type End struct {
	// State is "completed", "expired", "cancelled" or "failed"; empty is completed. A failed batch ran nothing.
	State string
	// Skip returns true for requests that do not run before the end, by their position; nil runs all.
	Skip func(i int) bool
	// Reverse and Twice are the order and the number of the results; Omit leaves out results without a trace.
	Reverse, Twice bool
	Omit           func(i int) bool
	// Code and Message explain a failed batch.
	Code, Message string
}

// Server is a batch endpoint. It is safe for concurrent use.
type Server struct {
	config Config
	http   *httptest.Server
	done   chan struct{}

	mu       sync.Mutex
	files    map[string][]byte
	batches  []*batch // oldest first
	accepted map[string]int
	calls    []string
	faults   map[string][]openaitest.Fault
	losses   map[string][]openaitest.Fault
}

// batch is an accepted batch.
type batch struct {
	id, file string
	metadata map[string]string
	requests []request
	end      End
	polls    int
	// results are the lines of the replies, errors those of the requests without one.
	results, errors []string
	ran             bool
	counts          map[string]int
}

// request is a request of a batch: CustomID, and Body or Params.
type request struct {
	CustomID string          `json:"custom_id"`
	URL      string          `json:"url"`
	Body     json.RawMessage `json:"body"`
	Params   json.RawMessage `json:"params"`
}

// New starts a server; the caller closes it, and its chat server.
func New(c Config) *Server {
	s := &Server{
		config: c, done: make(chan struct{}), files: map[string][]byte{}, accepted: map[string]int{},
		faults: map[string][]openaitest.Fault{}, losses: map[string][]openaitest.Fault{},
	}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Close releases hanging requests and stops the server.
func (s *Server) Close() {
	close(s.done)
	s.http.Close()
}

// URL is the base URL for a client, ending in "/v1".
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Fail queues faults for the next calls of a kind, such as "POST /v1/batches" or "GET /v1/files/ID/content"; ids in
// paths are written ID. A nil fault means none.
func (s *Server) Fail(call string, faults ...openaitest.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[call] = append(s.faults[call], faults...)
}

// Lose queues faults for the responses to the next calls of a kind, which have taken effect by then.
func (s *Server) Lose(call string, faults ...openaitest.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.losses[call] = append(s.losses[call], faults...)
}

// Unlose forgets the faults of [Server.Lose] that did not happen.
func (s *Server) Unlose(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.losses, call)
}

// Calls returns the kinds of all calls so far, in order of arrival.
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Batches returns the number of accepted batches.
func (s *Server) Batches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.batches)
}

// Accepted returns the number of batches in which each request was accepted, by its body.
func (s *Server) Accepted() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.accepted)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	call := r.Method + " " + kind(r.URL.Path)
	s.mu.Lock()
	s.calls = append(s.calls, call)
	fault := next(s.faults, call)
	s.mu.Unlock()
	if fault != nil {
		fault(w, r, s.done)
		return
	}
	if s.config.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.config.Key && r.Header.Get("X-Api-Key") != s.config.Key {
		fail(w, http.StatusUnauthorized, "authentication_error", "invalid key")
		return
	}
	s.mu.Lock()
	answer := s.answer(r, call, body)
	loss := next(s.losses, call)
	s.mu.Unlock()
	if loss != nil {
		loss(w, r, s.done)
		return
	}
	answer(w)
}

// next takes the first fault of a call.
func next(all map[string][]openaitest.Fault, call string) openaitest.Fault {
	if len(all[call]) == 0 {
		return nil
	}
	first := all[call][0]
	all[call] = all[call][1:]
	return first
}

// kind is a path with its id replaced.
func kind(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "batch_") || strings.HasPrefix(part, "msgbatch_") || strings.HasPrefix(part, "file-") {
			parts[i] = "ID"
		}
	}
	return strings.Join(parts, "/")
}

type answer func(http.ResponseWriter)

func (s *Server) answer(r *http.Request, call string, body []byte) answer {
	switch call {
	case "POST /v1/files":
		return s.upload(r, body)
	case "GET /v1/files/ID/content":
		return s.content(strings.Split(r.URL.Path, "/")[3])
	case "POST /v1/batches":
		return s.createOpenAI(body)
	case "GET /v1/batches", "GET /v1/messages/batches":
		return s.list(r)
	case "GET /v1/batches/ID", "GET /v1/messages/batches/ID", "GET /v1/messages/batches/ID/results":
		return s.one(r)
	case "POST /v1/messages/batches":
		return s.createAnthropic(body)
	}
	return func(w http.ResponseWriter) { fail(w, http.StatusNotFound, "not_found_error", "no such path: "+call) }
}

// add accepts a batch of requests.
func (s *Server) add(b *batch) *batch {
	prefix := "batch_"
	if b.file == "" {
		prefix = "msgbatch_"
	}
	b.id = fmt.Sprintf("%s%04d", prefix, len(s.batches)+1)
	if s.config.End != nil {
		b.end = s.config.End(len(s.batches) + 1)
	}
	if b.end.State == "" {
		b.end.State = "completed"
	}
	s.batches = append(s.batches, b)
	for _, r := range b.requests {
		s.accepted[string(r.Body)+string(r.Params)]++
	}
	return b
}

// list answers with a page, newest first.
func (s *Server) list(r *http.Request) answer {
	query := r.URL.Query()
	limit, after := 20, query.Get("after")+query.Get("after_id")
	if _, err := fmt.Sscan(query.Get("limit"), &limit); err != nil {
		limit = 20
	}
	if s.config.Page > 0 {
		limit = min(limit, s.config.Page)
	}
	data, more, seen := []any{}, false, after == ""
	for _, b := range slices.Backward(s.batches) {
		switch {
		case !seen:
			seen = b.id == after
		case len(data) == limit:
			more = true
		default:
			data = append(data, s.object(b))
		}
	}
	page := map[string]any{"object": "list", "data": data, "has_more": more, "first_id": nil, "last_id": nil}
	if len(data) > 0 {
		page["last_id"] = data[len(data)-1].(map[string]any)["id"]
	}
	return ok(page)
}

// one answers with a batch, which moves on by one state, or with its results.
func (s *Server) one(r *http.Request) answer {
	parts := strings.Split(strings.TrimSuffix(r.URL.Path, "/results"), "/")
	i := slices.IndexFunc(s.batches, func(b *batch) bool { return b.id == parts[len(parts)-1] })
	switch {
	case i < 0:
		return func(w http.ResponseWriter) { fail(w, http.StatusNotFound, "not_found_error", "no such batch") }
	case strings.HasSuffix(r.URL.Path, "/results") && !s.batches[i].ran:
		return func(w http.ResponseWriter) {
			fail(w, http.StatusBadRequest, "invalid_request_error", "it has not ended")
		}
	case strings.HasSuffix(r.URL.Path, "/results"):
		return lines(s.batches[i].results)
	}
	b := s.batches[i]
	b.polls++
	if b.polls > s.config.Polls && !b.ran {
		s.run(b)
	}
	return ok(s.object(b))
}

func (s *Server) object(b *batch) map[string]any {
	if b.file == "" {
		return b.anthropic(cmp.Or(s.config.ResultsURL, s.URL()+"/messages/batches/"+b.id+"/results"))
	}
	return b.openAI(s.config.Polls)
}

func ok(v any) answer { return func(w http.ResponseWriter) { write(w, http.StatusOK, v) } }

func lines(all []string) answer {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/x-jsonl")
		for _, line := range all {
			_, _ = io.WriteString(w, line+"\n")
		}
	}
}

// fail answers with an error that has the fields of both protocols.
func fail(w http.ResponseWriter, status int, kind, message string) {
	write(w, status, map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message, "code": nil}})
}

func write(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		body, status = fmt.Appendf(nil, "%q", err.Error()), http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have disconnected
}
