package recorded

import (
	"context"
	"fmt"
	"sync"

	"airqa/qa"
	"airqa/runlog"
)

// Source is a model that answers from the log of a run. Calls may overlap.
type Source struct {
	c    Config
	run  *runlog.Run
	held map[string]bool // episodes

	mu         sync.Mutex
	recordings map[string]*recording // of the episodes in flight
}

// Config selects a run to replay.
type Config struct {
	// Dir is the run directory.
	Dir string
	// Loose skips the comparison of conversations, and requests that failed before a reply.
	Loose bool
	// Redact is the redaction of the recorded log; nil is none.
	Redact func([]byte) []byte
}

// Open reads run.json and the line index of a run directory.
func Open(c Config) (*Source, error) {
	if c.Redact == nil {
		c.Redact = func(b []byte) []byte { return b }
	}
	r, err := runlog.Open(c.Dir)
	if err != nil {
		return nil, err
	}
	if r.Config.Note.Imported != nil {
		return nil, fmt.Errorf("replay %s: %w", c.Dir, runlog.ErrImported)
	}
	s := &Source{c: c, run: r, held: make(map[string]bool), recordings: make(map[string]*recording)}
	for _, id := range r.UUIDs() {
		s.held[id] = true
	}
	return s, nil
}

// Holds reports whether the run has an episode.
func (s *Source) Holds(uuid string, repeat int) bool {
	return s.held[qa.EpisodeID(uuid, repeat)]
}

// Dir is the directory of the recorded run.
func (s *Source) Dir() string { return s.c.Dir }

// Config is the recorded run's configuration.
func (s *Source) Config() runlog.Config { return s.run.Config }

// Complete returns the recorded reply to a request.
func (s *Source) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if err := ctx.Err(); err != nil {
		return qa.Reply{}, err
	}
	s.mu.Lock()
	t := s.recordings[qa.EpisodeID(r.UUID, r.Repeat)]
	s.mu.Unlock()
	if t == nil {
		return qa.Reply{}, fmt.Errorf("replay: episode %s was not started", qa.EpisodeID(r.UUID, r.Repeat))
	}
	return t.reply(r)
}

// load reads a recorded episode.
func (s *Source) load(uuid string, repeat int) (*recording, error) {
	rec, err := s.run.Episode(uuid, repeat)
	if err != nil {
		return nil, fmt.Errorf("replay: %s: %w", qa.EpisodeID(uuid, repeat), err)
	}
	events, err := s.run.Events(rec.Episode)
	if err != nil {
		return nil, fmt.Errorf("replay: %s: %w", rec.Episode, err)
	}
	return &recording{Config: s.c, rec: rec, events: events}, nil
}

func (s *Source) begin(id string, t *recording) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordings[id] = t
}

func (s *Source) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.recordings, id)
}

// Difference is a conversation that differs from the recorded one.
type Difference struct {
	// Run is the recorded run, Step the step whose request differs.
	Run  string
	Step int
	// Message is the index of the first differing message of the request.
	Message int
	What    string
}

func (d *Difference) Error() string {
	return fmt.Sprintf("replay: step %d shows another conversation than %s: message %d %s", d.Step, d.Run, d.Message, d.What)
}

// errInterrupted suspends an episode where the recorded one was interrupted. It never leaves this package.
var errInterrupted = &qa.SuspendedError{Reason: "the recorded episode was interrupted here"}
