// Package run takes examples through a solver: [Runner] starts as many episodes at once as it is told, skips those
// that the run directory holds already, takes up those that it holds in part, and can be stopped without loss.
// It knows no baseline and no model; the log on disk is package run/runlog.
package run

import (
	"context"
	"errors"
	"sync"
	"time"

	"airqa/agent"
	"airqa/qa"
	"airqa/run/runlog"
)

// Solver answers one question. setup carries the identity of the episode, its log and what was recorded of it
// before. A failure of the endpoint or of a tool is an outcome; an error means that the episode is not finished.
type Solver interface {
	Solve(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error)
}

// Config is what a [Runner] is made of.
type Config struct {
	Solver Solver
	Writer *runlog.Writer
	// Recorded holds what the log has of each episode, by "uuid#repeat".
	Recorded map[string]runlog.Recorded
	// Workers is how many episodes run at once, at least 1.
	Workers int
	// Progress is told of every finished episode, one call at a time. May be nil.
	Progress func(Event)
	Now      func() time.Time
	// MaxEqualFailures in a row, all for one reason, end the start: a wrong key fails every question alike. 0 lets it go on.
	MaxEqualFailures int
}

// Event tells of one finished episode.
type Event struct {
	Trajectory qa.Trajectory
	// Done and Total count episodes, those of earlier starts included.
	Done, Total int
	// Skipped is true for an episode that an earlier start had finished.
	Skipped bool
}

// Summary counts the episodes of one start.
type Summary struct {
	Total, Skipped, Finished, Failed, Left int
	// FirstFailure is the reason of the first episode that failed.
	FirstFailure string
	Usage        qa.Usage
}

// Runner runs episodes. It is used once.
type Runner struct {
	c    Config
	mu   sync.Mutex
	sum  Summary
	done int
	// equal failures in a row, and their reason
	equal  int
	reason string
	stop   chan struct{} // closed when there were too many
}

// New checks a configuration.
func New(c Config) (*Runner, error) {
	switch {
	case c.Solver == nil || c.Writer == nil:
		return nil, errors.New("runner: solver and writer are needed")
	case c.Workers < 1:
		return nil, errors.New("runner: at least one worker is needed")
	}
	if c.Progress == nil {
		c.Progress = func(Event) {}
	}
	return &Runner{c: c, stop: make(chan struct{})}, nil
}

// Run solves the examples. When drain is closed it starts no further episode and returns when those under way have
// ended; when ctx is cancelled it stops them where they are, and the same run directory takes them up
// again. The summary holds also when there is an error; an error means that the log could not be written or that ctx
// was cancelled.
func (r *Runner) Run(ctx context.Context, drain <-chan struct{}, examples []qa.Example) (Summary, error) {
	r.sum.Total = len(examples)
	// One worker's lost log stops all of them.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	queue := make(chan qa.Example)
	var workers sync.WaitGroup
	for range r.c.Workers {
		workers.Go(func() {
			for ex := range queue {
				if err := r.one(ctx, ex); err != nil {
					stop(err)
				}
			}
		})
	}
	r.feed(ctx, drain, queue, examples)
	workers.Wait()
	r.sum.Left = r.sum.Total - r.sum.Skipped - r.sum.Finished - r.sum.Failed
	return r.sum, context.Cause(ctx)
}

func (r *Runner) feed(ctx context.Context, drain <-chan struct{}, queue chan<- qa.Example, examples []qa.Example) {
	defer close(queue)
	for _, ex := range examples {
		if rec, ok := r.c.Recorded[qa.EpisodeID(ex.UUID, 0)]; ok && rec.Finished() {
			r.note(Event{Trajectory: rec.Trajectory, Skipped: true})
			continue
		}
		select {
		case <-drain:
			return
		case <-r.stop:
			return
		case <-ctx.Done():
			return
		default:
		}
		select {
		case queue <- ex:
		case <-drain:
			return
		case <-r.stop:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (r *Runner) one(ctx context.Context, ex qa.Example) error {
	var prior *runlog.Recorded
	setup := agent.Setup{UUID: ex.UUID, Now: r.c.Now}
	if rec, ok := r.c.Recorded[qa.EpisodeID(ex.UUID, 0)]; ok {
		prior, setup.Prior = &rec, rec.Trajectory
	}
	log, err := r.c.Writer.Begin(ex.UUID, 0, prior)
	if err != nil {
		return err
	}
	setup.Log = log
	t, err := r.c.Solver.Solve(ctx, ex, setup)
	if err != nil {
		return err
	}
	r.note(Event{Trajectory: t})
	return nil
}

// note counts a finished episode and tells of it.
func (r *Runner) note(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	switch {
	case e.Skipped:
		r.sum.Skipped++
	case e.Trajectory.Outcome.Failed():
		r.sum.Failed++
		if r.sum.FirstFailure == "" {
			r.sum.FirstFailure = e.Trajectory.Reason
		}
	default:
		r.sum.Finished++
	}
	if !e.Skipped {
		r.sum.Usage = r.sum.Usage.Add(e.Trajectory.Usage())
	}
	if !e.Skipped {
		r.watch(e.Trajectory)
	}
	e.Done, e.Total = r.done, r.sum.Total
	r.c.Progress(e)
}

// watch stops the start when episode after episode fails for the same reason.
func (r *Runner) watch(t qa.Trajectory) {
	if !t.Outcome.Failed() || t.Reason != r.reason {
		r.equal, r.reason = 0, t.Reason
	}
	if !t.Outcome.Failed() {
		return
	}
	r.equal++
	if r.equal == r.c.MaxEqualFailures {
		close(r.stop)
	}
}
