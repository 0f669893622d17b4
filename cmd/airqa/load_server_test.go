package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
)

// loadServer is a chat endpoint that costs next to nothing, so that a load measures the program and not its double. It
// answers a conversation by the number of assistant messages in it, reads no more of it than that and the question's id,
// and keeps no request.
type loadServer struct {
	http    *httptest.Server
	replies [][]byte
	delay   time.Duration
	// plan names the fault of one attempt at one turn of an episode; nil and "" are none.
	plan func(id string, turn, attempt int) string
	// own replaces NUMBER in replies by the question's id.
	own bool

	mu       sync.Mutex
	attempts map[string]int // by id and turn
	faults   map[string]int // by name
	good     map[string]int // replies that were sent whole, by id and turn
}

// loadID is how a question of a load names itself in its text.
var loadID = regexp.MustCompile(`question number (\d+)`)

var assistantMark = []byte(`"role":"assistant"`)

func newLoadServer(t testing.TB, replies []string) *loadServer {
	t.Helper()
	s := &loadServer{attempts: map[string]int{}, faults: map[string]int{}, good: map[string]int{}}
	for _, text := range replies {
		s.replies = append(s.replies, fmt.Appendf(nil,
			`{"id":"chatcmpl-1","object":"chat.completion","created":0,"model":"load","choices":[{"index":0,"message":{"role":"assistant","content":%q},`+
				`"finish_reason":"stop"}],"usage":{"prompt_tokens":1000,"completion_tokens":20,"total_tokens":1020}}`, text))
	}
	s.http = httptest.NewServer(s)
	t.Cleanup(s.http.Close)
	return s
}

// URL is the base URL for a client.
func (s *loadServer) URL() string { return s.http.URL + "/v1" }

// Calls counts the requests that came.
func (s *loadServer) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, k := range s.attempts {
		n += k
	}
	return n
}

func (s *loadServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(body)
	body.Reset()
	if _, err := io.Copy(body, r.Body); err != nil {
		return
	}
	if s.delay > 0 {
		time.Sleep(s.delay)
	}
	turn := bytes.Count(body.Bytes(), assistantMark)
	reply := s.replies[min(turn, len(s.replies)-1)]
	if found := loadID.FindSubmatch(body.Bytes()); s.own && found != nil {
		reply = bytes.ReplaceAll(reply, []byte("NUMBER"), found[1])
	}
	if s.plan == nil {
		write(w, http.StatusOK, reply)
		return
	}
	found := loadID.FindSubmatch(body.Bytes())
	if found == nil {
		write(w, http.StatusBadRequest, []byte(`{"error":{"message":"no id"}}`))
		return
	}
	s.faulty(w, string(found[1]), turn, reply)
}

var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// faulty answers by the plan, and counts what it did.
func (s *loadServer) faulty(w http.ResponseWriter, id string, turn int, reply []byte) {
	key := fmt.Sprintf("%s/%d", id, turn)
	s.mu.Lock()
	fault := s.plan(id, turn, s.attempts[key])
	if s.good[key] > 0 {
		fault = "" // a turn that is asked again after a kill meets no fault of its own
	}
	s.attempts[key]++
	if fault == "" {
		s.good[key]++
	} else {
		s.faults[fault]++
	}
	s.mu.Unlock()
	switch fault {
	case "":
		write(w, http.StatusOK, reply)
	case "429":
		w.Header().Set("Retry-After", "0")
		write(w, http.StatusTooManyRequests, []byte(`{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`))
	case "429 short":
		w.Header().Set("Retry-After-Ms", "2")
		write(w, http.StatusTooManyRequests, []byte(`{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`))
	case "500":
		write(w, http.StatusInternalServerError, []byte(`{"error":{"message":"The server had an error"}}`))
	case "garbage":
		write(w, http.StatusOK, []byte("<html>Bad gateway</html>"))
	case "cut":
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write(reply[:len(reply)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// mostFaults in a row meet one request of a [faultPlan].
const mostFaults = 3

// faultPlan is a plan with 5 % of 429s, 2 % of 500s, 1 % cut replies and 1 % garbage, the same at every start: it goes by
// a hash of what is asked. Then a request is answered, so that none can fail for good.
func faultPlan(id string, turn, attempt int) string {
	if attempt >= mostFaults {
		return ""
	}
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s %d %d", id, turn, attempt)
	x := h.Sum64()
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	switch p := (x >> 32) % 1000; {
	case p < 25:
		return "429"
	case p < 50:
		return "429 short"
	case p < 70:
		return "500"
	case p < 80:
		return "cut"
	case p < 90:
		return "garbage"
	}
	return ""
}

// required counts the requests that a plan asks for: one for each turn, and one more for each fault on the way.
func required(episodes, turns int) int {
	n := 0
	for e := range episodes {
		for turn := range turns {
			attempt := 0
			for faultPlan(strconv.Itoa(e), turn, attempt) != "" {
				attempt++
			}
			n += attempt + 1
		}
	}
	return n
}
