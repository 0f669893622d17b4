package replay

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"airqa/qa"
	"airqa/run/runlog"
)

// Source is a model that answers from the log of a run. Calls may overlap.
type Source struct {
	c    Config
	run  *runlog.Run
	held map[string]bool // episodes

	mu    sync.Mutex
	tapes map[string]*tape // of the episodes under way
}

// Config says which run to replay and how.
type Config struct {
	// Dir is the run directory.
	Dir string
	// Loose does not compare what is shown with what was shown, and leaves out requests that failed before a reply came.
	Loose bool
	// Redact is what texts passed on their way into the log; nil is nothing.
	Redact func([]byte) []byte
}

// Open reads the plan of a run directory.
func Open(c Config) (*Source, error) {
	if c.Redact == nil {
		c.Redact = func(b []byte) []byte { return b }
	}
	r, err := runlog.Open(c.Dir)
	if err != nil {
		return nil, err
	}
	s := &Source{c: c, run: r, held: make(map[string]bool), tapes: make(map[string]*tape)}
	for _, id := range r.UUIDs() {
		s.held[id] = true
	}
	return s, nil
}

// Holds tells whether the run has an episode.
func (s *Source) Holds(uuid string, repeat int) bool {
	return s.held[qa.EpisodeID(uuid, repeat)]
}

// Config is that of the recorded run.
func (s *Source) Config() runlog.Config { return s.run.Config }

// Complete returns the reply that was recorded in the place of a request.
func (s *Source) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if err := ctx.Err(); err != nil {
		return qa.Reply{}, err
	}
	s.mu.Lock()
	t := s.tapes[qa.EpisodeID(r.UUID, r.Repeat)]
	s.mu.Unlock()
	if t == nil {
		return qa.Reply{}, fmt.Errorf("replay: episode %s was not begun", qa.EpisodeID(r.UUID, r.Repeat))
	}
	return t.reply(r)
}

// load reads what the run has of an episode.
func (s *Source) load(uuid string, repeat int) (*tape, error) {
	rec, err := s.run.Episode(uuid, repeat)
	if err != nil {
		return nil, fmt.Errorf("replay: %s: %w", qa.EpisodeID(uuid, repeat), err)
	}
	events, err := s.run.Events(rec.Episode)
	if err != nil {
		return nil, fmt.Errorf("replay: %s: %w", rec.Episode, err)
	}
	return &tape{Config: s.c, rec: rec, events: events}, nil
}

func (s *Source) begin(id string, t *tape) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tapes[id] = t
}

func (s *Source) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tapes, id)
}

// Difference is a conversation that is not the recorded one.
type Difference struct {
	// Run is the recorded run, Step the one whose request differs.
	Run  string
	Step int
	// Message is the number of the first message of the request that differs, counted from 0 among the shown ones.
	Message int
	What    string
}

// Error implements error.
func (d *Difference) Error() string {
	return fmt.Sprintf("replay: step %d shows another conversation than %s: message %d %s", d.Step, d.Run, d.Message, d.What)
}

// errInterrupted suspends an episode where the recorded one was interrupted. It never leaves this package.
var errInterrupted = &qa.SuspendedError{Reason: "the recorded episode was interrupted here"}

// overflow is the recorded refusal of a conversation that was too long.
func overflow(attempts []qa.Attempt) error {
	return &qa.CallError{
		Class: qa.FailContextOverflow, Attempts: attempts, Err: errors.New("the conversation was too long for the model"),
	}
}
