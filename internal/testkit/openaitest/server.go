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

// Config configures a [Server]. The zero value answers "ok" to everything.
type Config struct {
	// Reply returns the answer to a conversation; nil answers "ok". Calls may overlap.
	Reply func(messages []Message) string
	// ToolCalls are added to the reply; nil adds none. Calls may overlap.
	ToolCalls func(messages []Message) []ToolCall
	// Admit may reject a request: it gets the number of requests in flight, including this one, and returns a fault or
	// nil. Calls may overlap. Faults of [Server.Fail] come first.
	Admit func(inFlight int) Fault
	// Refuse may reject a request by its body; it returns a fault or nil. Calls may overlap.
	Refuse func(body []byte) Fault
	// Reasoning is sent as reasoning_content, or the protocol's equivalent, if not empty.
	Reasoning string
	// Model is the model name in replies; empty echoes the request's.
	Model string
	// Usage is reported with every reply; nil reports counted words, see [CountWords].
	Usage *Usage
	// OmitUsage omits the usage, as some servers do.
	OmitUsage bool
	// Key is the only accepted key, as a bearer token or in x-api-key; empty accepts any.
	Key string
}

// Server is a chat endpoint on the loopback. It is safe for concurrent use.
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

// Close releases hanging requests, waits for the others and stops the server.
func (s *Server) Close() {
	close(s.done)
	s.http.Close()
}

// URL is the base URL for a client, ending in "/v1".
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Root is the base URL without "/v1", for Ollama's clients.
func (s *Server) Root() string { return s.http.URL }

// Host is the host and port of the server.
func (s *Server) Host() string { return strings.TrimPrefix(s.http.URL, "http://") }

// Fail queues faults for the next requests, one each. A nil fault means a good reply.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Calls returns the number of requests so far, including failed ones.
func (s *Server) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// Requests returns the requests so far in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	// Only after reading the whole body does the server notice a client that disconnects.
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
	wire, ok := wires[r.URL.Path]
	if !ok || r.Method != http.MethodPost {
		writeError(w, http.StatusNotFound, "not_found", "no such path: "+r.URL.Path)
		return
	}
	switch chat, err := wire.parse(body); {
	case !s.config.admits(r.Header):
		wire.fail(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided")
	case err != nil:
		wire.fail(w, http.StatusBadRequest, "invalid_request_error", err.Error())
	case chat.Stream && wire.stream != nil:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write(wire.stream(wire.write(s.config, chat))) // the client may have disconnected
	default:
		writeJSON(w, http.StatusOK, wire.write(s.config, chat))
	}
}

func (c Config) admits(h http.Header) bool {
	return c.Key == "" || h.Get("Authorization") == "Bearer "+c.Key || h.Get("X-Api-Key") == c.Key
}
