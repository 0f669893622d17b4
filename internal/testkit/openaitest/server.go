package openaitest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Config says how a [Server] answers. The zero value answers "ok" to everything.
type Config struct {
	// Reply writes the answer to a conversation; nil answers "ok". Calls may overlap.
	Reply func(messages []Message) string
	// ToolCalls are made beside the reply; nil makes none. Calls may overlap.
	ToolCalls func(messages []Message) []ToolCall
	// Admit may refuse a request: it gets the number of requests under way, this one included, and returns a fault or nil.
	// Calls may overlap. Faults of [Server.Fail] come first.
	Admit func(underWay int) Fault
	// Refuse may refuse a request by its body; it returns a fault or nil. Calls may overlap.
	Refuse func(body []byte) Fault
	// Reasoning goes out as reasoning_content, or as the protocol has it, when it is not empty.
	Reasoning string
	// Model is the name that the server gives itself; empty echoes the name in the request.
	Model string
	// Usage is reported with every reply; nil reports counted words, see [CountWords].
	Usage *Usage
	// OmitUsage leaves usage out, as some servers do.
	OmitUsage bool
	// Key is the only accepted key, as a bearer or in x-api-key; empty accepts everyone.
	Key string
}

// Server is a chat endpoint on the loopback. All methods may be called from several goroutines.
type Server struct {
	config Config
	http   *httptest.Server
	done   chan struct{}

	underWay atomic.Int64

	mu       sync.Mutex
	requests []Request
	faults   []Fault
}

// New starts a server; the caller closes it.
func New(c Config) *Server {
	s := &Server{config: c, done: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Close lets go of hanging requests, waits for the others and stops the server.
func (s *Server) Close() {
	close(s.done)
	s.http.Close()
}

// URL is the base URL for a client, with "/v1" and without a slash at the end.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Root is the base URL without "/v1", as Ollama's clients take it.
func (s *Server) Root() string { return s.http.URL }

// Host is the host and port of the server.
func (s *Server) Host() string { return strings.TrimPrefix(s.http.URL, "http://") }

// Fail queues faults: each of the next requests takes one instead of a reply. A nil fault stands for a good reply.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Calls counts the requests so far, failed ones included.
func (s *Server) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// Requests returns the requests so far in the order of their arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	// The body is read to its end first: only then does the server notice a client that goes away.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	fault := s.record(Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body})
	underWay := int(s.underWay.Add(1))
	defer s.underWay.Add(-1)
	if fault == nil && s.config.Admit != nil {
		fault = s.config.Admit(underWay)
	}
	if fault == nil && s.config.Refuse != nil {
		fault = s.config.Refuse(body)
	}
	if fault != nil {
		fault(w, r, s.done)
		return
	}
	s.answer(w, r, body)
}

func (s *Server) record(r Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if len(s.faults) == 0 {
		return nil
	}
	fault := s.faults[0]
	s.faults = s.faults[1:]
	return fault
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, body []byte) {
	wire, ok := wireOf(r.URL.Path)
	if !ok || r.Method != http.MethodPost {
		writeError(w, http.StatusNotFound, "not_found", "no such path: "+r.URL.Path)
		return
	}
	switch chat, err := wire.parse(body); {
	case !s.config.admits(r.Header):
		wire.fail(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided")
	case err != nil:
		wire.fail(w, http.StatusBadRequest, "invalid_request_error", err.Error())
	default:
		writeJSON(w, http.StatusOK, wire.write(s.config, chat))
	}
}

func (c Config) admits(h http.Header) bool {
	return c.Key == "" || h.Get("Authorization") == "Bearer "+c.Key || h.Get("X-Api-Key") == c.Key
}
