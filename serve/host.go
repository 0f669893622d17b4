package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"airqa/agent/action"
	"airqa/baselines"
	"airqa/eval"
	"airqa/internal/concurrent"
	"airqa/qa"
	"airqa/runlog"
	"airqa/tools"
)

// Limits of a [Host].
type Limits struct {
	// Sessions is the maximum number of open sessions.
	Sessions int
	// Idle is the time after which a session without calls is closed, Call the timeout of one call.
	Idle, Call time.Duration
	// Answer is the maximum size of the arguments of Answer in bytes. A longer answer ends the episode without one.
	Answer int
}

// Config configures a [Host]. All fields but Splits and Repeats are required.
type Config struct {
	Solver *baselines.Solver
	Writer *runlog.Writer
	Scorer *eval.Scorer
	// Questions are those that can be chosen, in the order of their indexes.
	Questions []qa.Example
	// Splits are the parts of the questions, besides the split of all.
	Splits []Split
	// Repeats are the numbers of the next episodes by uuid, of a run that has some.
	Repeats map[string]int
	Limits  Limits
	Now     func() time.Time
	Log     *slog.Logger
}

// Host serves the episodes of one run. It is safe for concurrent use.
type Host struct {
	Config
	Stats Stats

	byID  map[string]qa.Example
	tools []qa.ToolSpec
	golds sync.Map // uuid to *stream.Gold

	mu       sync.Mutex
	sessions map[string]*Session
	retired  int // of the sessions
	repeats  map[string]int
	closed   bool
	calls    sync.WaitGroup
	stop     chan struct{} // closed to end the calls
}

// Errors of a host and its sessions. A client can correct those of its own.
var (
	// ErrNoSession is returned for a session that was never opened or is closed.
	ErrNoSession = errors.New("no such session: it was closed, was idle for too long, or never existed")
	// ErrNoEpisode is returned for a call before the first question.
	ErrNoEpisode = errors.New("no question yet: reset first")
	// ErrEnded is returned for a call after the end of an episode.
	ErrEnded = errors.New("the episode has ended; its first answer counts")
	// ErrNoTool is returned for a call of a tool that does not exist.
	ErrNoTool = errors.New("no such tool")
	// ErrChoice is returned for a question or a selector that does not exist.
	ErrChoice = errors.New("no question chosen")
	// ErrClosing is returned while the server stops, also for calls that it cancels.
	ErrClosing = errors.New("the server is shutting down")
)

// CapacityError means that no further session can be opened now.
type CapacityError struct{ Active, Max int }

func (e *CapacityError) Error() string {
	return fmt.Sprintf("%d of %d sessions are open; close some, or raise --max-sessions", e.Active, e.Max)
}

// New returns a host without sessions.
func New(c Config) *Host {
	h := &Host{Config: c, byID: make(map[string]qa.Example, len(c.Questions)), sessions: make(map[string]*Session), repeats: make(map[string]int)}
	h.stop = make(chan struct{})
	for _, ex := range c.Questions {
		h.byID[ex.UUID] = ex
	}
	maps.Copy(h.repeats, c.Repeats)
	h.Splits = append(slices.Clone(c.Splits), Split{AllQuestions, c.Questions})
	h.tools = ToolSpecs(c.Solver.Tools(qa.Example{Kind: h.Kind()}))
	return h
}

// Open opens a session for a client of a face such as "mcp". It returns a [*CapacityError] if there are too many.
func (h *Host) Open(face, client string) (*Session, error) {
	return h.OpenAs(rand.Text(), face, client)
}

// OpenAs is Open with an id that the caller has chosen, of at most 64 letters, digits, - and _. Anyone who can guess it may
// call the tools.
func (h *Host) OpenAs(id, face, client string) (*Session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, ErrClosing
	case !sessionID.MatchString(id) || h.sessions[id] != nil:
		return nil, fmt.Errorf("%w: the episode %.80q is open already, or is not an id", ErrChoice, id)
	case len(h.sessions)-h.retired >= h.Limits.Sessions:
		h.Stats.Refused.Add(1)
		return nil, &CapacityError{len(h.sessions) - h.retired, h.Limits.Sessions}
	}
	s := &Session{ID: id, Face: face, Client: client, host: h, turn: make(chan struct{}, 1)}
	s.Touch()
	h.sessions[s.ID] = s
	h.Stats.Opened.Add(1)
	return s, nil
}

var sessionID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Session returns an open session.
func (h *Host) Session(id string) (*Session, error) {
	h.mu.Lock()
	s := h.sessions[id]
	h.mu.Unlock()
	if s == nil {
		return nil, ErrNoSession
	}
	s.Touch()
	return s, nil
}

// Active is the number of open sessions, but for retired ones.
func (h *Host) Active() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.sessions) - h.retired
}

// Watch closes idle sessions until ctx ends.
func (h *Host) Watch(ctx context.Context) {
	ticker := time.NewTicker(max(h.Limits.Idle/4, time.Second))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var idle []*Session
		h.mu.Lock()
		for _, s := range h.sessions {
			if len(s.turn) == 0 && h.Now().UnixNano()-s.used.Load() > int64(h.Limits.Idle) { // no call runs
				idle = append(idle, s)
			}
		}
		h.mu.Unlock()
		for _, s := range idle {
			h.Stats.Reaped.Add(1)
			s.Close()
		}
	}
}

// Hold begins a call: [Host.Close] waits for release, and ends the context until with the cause [ErrClosing].
func (h *Host) Hold(ctx context.Context) (until context.Context, release func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, nil, ErrClosing
	}
	h.calls.Add(1)
	until, cancel := concurrent.Until(ctx, h.stop, ErrClosing)
	return until, func() {
		cancel()
		h.calls.Done()
	}, nil
}

// Close stops new sessions and calls, cancels the running ones, but for a judge that is being paid, and returns when they
// have ended. Sessions are closed. Their unfinished episodes stay unfinished in the log. Call it once.
func (h *Host) Close() {
	h.mu.Lock()
	h.closed = true
	close(h.stop)
	h.mu.Unlock()
	h.calls.Wait()
	h.mu.Lock()
	clear(h.sessions)
	h.retired = 0
	h.mu.Unlock()
}

// ToolSpecs describes tools as every face offers them. Among the clients of MCP, dspy 3.4 cannot load a parameter with a list
// of types, and smolagents 1.26 refuses calls without one that is not nullable.
func ToolSpecs(set tools.Set) []qa.ToolSpec {
	list := action.Native(set.Specs())
	for i, s := range set.Specs() {
		for _, p := range s.Params {
			if value, err := json.Marshal(p.Default); err == nil && !p.Required {
				name := fmt.Appendf(nil, "%q:{", p.Name)
				list[i].Parameters = bytes.Replace(list[i].Parameters, name, fmt.Appendf(name, `"nullable":true,"default":%s,`, value), 1)
			}
		}
	}
	return list
}

// Tools are the tools as every face offers them.
func (h *Host) Tools() []qa.ToolSpec { return h.tools }

// Kind is the kind of all questions.
func (h *Host) Kind() qa.Kind {
	if len(h.Questions) == 0 {
		return ""
	}
	return h.Questions[0].Kind
}

// Stats count what a host has done.
type Stats struct {
	Opened, Refused, Reaped, Episodes, Ended, Errors atomic.Int64
	latency                                          [len(bounds) + 1]atomic.Int64
	seconds                                          atomic.Int64 // of all calls, in nanoseconds
}

// bounds are the upper limits of the classes of latency.
var bounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond, 10 * time.Millisecond,
	25 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, time.Second, 5 * time.Second, 30 * time.Second,
}

func (s *Stats) called(d time.Duration, failed bool) {
	if failed {
		s.Errors.Add(1)
	}
	s.seconds.Add(int64(d))
	i := 0
	for i < len(bounds) && d > bounds[i] {
		i++
	}
	s.latency[i].Add(1)
}

// Metrics are the statistics in the text format of Prometheus.
func (h *Host) Metrics() string {
	var b []byte
	add := func(kind, name, help string, value int64) {
		b = fmt.Appendf(b, "# HELP airqa_%s %s\n# TYPE airqa_%[1]s %[3]s\nairqa_%[1]s %[4]d\n", name, help, kind, value)
	}
	add("gauge", "sessions", "Open sessions.", int64(h.Active()))
	s := &h.Stats
	add("counter", "sessions_opened_total", "Sessions opened.", s.Opened.Load())
	add("counter", "sessions_refused_total", "Sessions refused because too many were open.", s.Refused.Load())
	add("counter", "sessions_reaped_total", "Sessions closed because they were idle.", s.Reaped.Load())
	add("counter", "episodes_total", "Episodes begun.", s.Episodes.Load())
	add("counter", "episodes_ended_total", "Episodes ended with an outcome.", s.Ended.Load())
	add("counter", "call_errors_total", "Calls that failed.", s.Errors.Load())
	b = append(b, "# HELP airqa_call_seconds Duration of calls.\n# TYPE airqa_call_seconds histogram\n"...)
	sum := int64(0)
	for i, bound := range bounds {
		sum += s.latency[i].Load()
		b = fmt.Appendf(b, "airqa_call_seconds_bucket{le=\"%g\"} %d\n", bound.Seconds(), sum)
	}
	sum += s.latency[len(bounds)].Load()
	return string(fmt.Appendf(b, "airqa_call_seconds_bucket{le=\"+Inf\"} %d\nairqa_call_seconds_sum %g\nairqa_call_seconds_count %[1]d\n",
		sum, time.Duration(s.seconds.Load()).Seconds()))
}
