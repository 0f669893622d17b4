package smallmodels

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Exchange is a request for a completion and its response, as they were on the wire.
type Exchange struct {
	Request json.RawMessage `json:"request"`
	Status  int             `json:"status"`
	Type    string          `json:"content_type"`
	Body    string          `json:"body"`
	// Whole is false while the response is on its way, and if the client left before its end.
	Whole bool `json:"-"`
}

// Recorder is a proxy that keeps the exchanges.
type Recorder struct {
	*httptest.Server
	target string

	mu            sync.Mutex
	streamsOnly   bool
	all           []*Exchange
	inFlight, top int
}

// NewRecorder starts a proxy of the server at target, that ends with the test.
func NewRecorder(t testing.TB, target string) *Recorder {
	t.Helper()
	r := &Recorder{target: target}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// StreamsOnly makes the proxy refuse requests that ask for no stream, as some hosts do, or accept them again.
func (r *Recorder) StreamsOnly(only bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.streamsOnly = only
}

// Reset forgets the exchanges so far.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all, r.top = nil, 0
}

// Exchanges returns copies of those since the last reset, and how many there were at once.
func (r *Recorder) Exchanges() (all []Exchange, atOnce int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.all {
		all = append(all, *x)
	}
	return all, r.top
}

// Whole counts the responses that were sent to their end.
func (r *Recorder) Whole() int {
	all, _ := r.Exchanges()
	return len(slices.DeleteFunc(all, func(x Exchange) bool { return !x.Whole }))
}

// ServeHTTP passes a request on, and its response piece by piece.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	x := &Exchange{Request: body}
	refuse := r.begin(x)
	defer r.end()
	if refuse && !bytes.Contains(body, []byte(`"stream":true`)) {
		const refusal = `{"error":{"message":"This model only supports streaming."}}`
		r.reply(w, x, http.StatusBadRequest, "application/json", strings.NewReader(refusal))
		return
	}
	on, err := http.NewRequestWithContext(req.Context(), req.Method, r.target+req.URL.Path, bytes.NewReader(body))
	if err != nil {
		return
	}
	on.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(on)
	if err != nil {
		return // the client is gone
	}
	defer func() { _ = resp.Body.Close() }()
	r.reply(w, x, resp.StatusCode, resp.Header.Get("Content-Type"), resp.Body)
}

func (r *Recorder) begin(x *Exchange) (streamsOnly bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, x)
	r.inFlight++
	r.top = max(r.top, r.inFlight)
	return r.streamsOnly
}

func (r *Recorder) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inFlight--
}

func (r *Recorder) reply(w http.ResponseWriter, x *Exchange, status int, contentType string, body io.Reader) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	piece := make([]byte, 4096)
	for {
		n, err := body.Read(piece)
		if _, gone := w.Write(piece[:n]); gone != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		r.mu.Lock()
		x.Status, x.Type = status, contentType
		x.Body += string(piece[:n])
		x.Whole = err == io.EOF
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
}
