// Package run runs examples through a solver. [Runner] runs a number of episodes concurrently, skips those that the run
// directory already has, resumes incomplete ones, and can be stopped without loss. It knows no baseline and no model;
// the log on disk is package runlog, budgets are package run/budget.
package run

import (
	"context"
	"errors"
	"sync"
	"time"

	"airqa/agent"
	"airqa/internal/concurrent"
	"airqa/qa"
	"airqa/runlog"
)

// Solver answers one question. setup has the identity of the episode, its log and its recorded part. A failure of the
// endpoint or a tool is an outcome; an error means that the episode is not finished.
type Solver interface {
	Solve(ctx context.Context, ex qa.Example, setup agent.Setup) (qa.Trajectory, error)
}

// Config configures a [Runner].
type Config struct {
	Solver Solver
	Writer *runlog.Writer
	// Recorded has the logged part of each episode, by "uuid#repeat".
	Recorded map[string]runlog.Recorded
	// Skip reports which recorded episodes not to run; nil skips finished ones, so that failed ones are retried.
	Skip func(runlog.Recorded) bool
	// Only reports which episodes belong to this invocation; nil means all of them.
	Only func(uuid string, repeat int) bool
	// Workers is the number of concurrent episodes, at least 1.
	Workers int
	// Slots limits the concurrent episodes of several runners: each sends a value to it while it runs. nil is
	// unlimited.
	Slots chan struct{}
	// Repeats is the number of episodes per question; 0 means one.
	Repeats int
	// Budget limits each question.
	Budget agent.Budget
	// Progress is called after every finished episode, one call at a time. May be nil.
	Progress func(Event)
	// Watch is called after each new reply and each new observation is logged, by the goroutine of its episode. May be
	// nil.
	Watch func(uuid string, s qa.Step)
	Now   func() time.Time
	// MaxEqualFailures consecutive failures of one kind end the invocation: a wrong key fails every question. 0
	// disables this. If the endpoint has answered before and the failure is transient, it is an outage: further
	// episodes wait instead, longer each time.
	MaxEqualFailures int
	// Outage is called before such a wait with the last failure's reason. May be nil.
	Outage func(wait time.Duration, reason string)
	// Sleep waits and returns early with the context's error; nil uses the clock.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Event reports one finished episode.
type Event struct {
	Trajectory qa.Trajectory
	// Done counts episodes, including those of earlier invocations.
	Done int
	// Skipped is true for an episode finished by an earlier invocation.
	Skipped bool
}

// Summary counts the episodes of one invocation.
type Summary struct {
	Total, Skipped, Finished, Failed, Left int
	// Repeated is true if questions have several episodes each.
	Repeated bool
	// FailedBefore counts the Skipped episodes that failed in an earlier invocation and are not retried.
	FailedBefore int
	// Limits counts the outcomes other than an answer among finished episodes, of this invocation or before.
	Limits map[qa.Outcome]int
	// FirstFailure is the reason of the first episode that failed.
	FirstFailure string
	Usage        qa.Usage
	// Suspended is why no further call was possible, such as a spent budget, or "".
	Suspended string
}

// Noun is the unit of the counts: questions, or episodes if questions have several.
func (s Summary) Noun() string {
	if s.Repeated {
		return "episodes"
	}
	return "questions"
}

// Runner runs episodes. It is used once.
type Runner struct {
	c          Config
	dispatched chan struct{} // closed when no further episode starts
	halt       context.CancelFunc

	mu   sync.Mutex
	sum  Summary
	done int
	// number and kind of consecutive equal failures
	equal   int
	failure string
	out     outage
}

// New validates a configuration.
func New(c Config) (*Runner, error) {
	switch {
	case c.Solver == nil || c.Writer == nil:
		return nil, errors.New("runner: solver and writer are required")
	case c.Workers < 1:
		return nil, errors.New("runner: at least one worker is required")
	case c.Repeats < 0:
		return nil, errors.New("runner: repeats must not be negative")
	}
	c.Repeats = max(c.Repeats, 1)
	if c.Progress == nil {
		c.Progress = func(Event) {}
	}
	if c.Outage == nil {
		c.Outage = func(time.Duration, string) {}
	}
	if c.Sleep == nil {
		c.Sleep = concurrent.Sleep
	}
	if c.Slots == nil {
		c.Slots = make(chan struct{}, c.Workers)
	}
	if c.Skip == nil {
		c.Skip = runlog.Recorded.Finished
	}
	return &Runner{c: c, sum: Summary{Limits: make(map[qa.Outcome]int)}, dispatched: make(chan struct{})}, nil
}

// Dispatched is closed once this runner starts no further episode: another one may use the free workers.
func (r *Runner) Dispatched() <-chan struct{} { return r.dispatched }

// task is one episode to run.
type task struct {
	example qa.Example
	repeat  int
}

// Run solves the examples. When drain is closed, it starts no further episode and returns when those in flight have
// ended. When ctx is cancelled, it stops them where they are; the run directory can resume them. The summary is valid
// even with an error, which means that the log could not be written or that ctx was cancelled.
func (r *Runner) Run(ctx context.Context, drain <-chan struct{}, examples []qa.Example) (Summary, error) {
	// A log error of one worker stops all of them.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	starting, halt := concurrent.Until(ctx, drain, qa.ErrInterrupted) // ends when no further episode may start
	defer halt()
	r.halt = halt
	workers := make(chan struct{}, r.c.Workers)
	var episodes sync.WaitGroup
	for _, t := range r.due(examples) {
		r.waitOutage(starting)
		if !acquire(starting, drain, r.c.Slots) {
			break
		}
		if !acquire(starting, drain, workers) {
			<-r.c.Slots
			break
		}
		episodes.Go(func() {
			if err := r.runTask(ctx, t); err != nil {
				stop(err)
			}
			<-r.c.Slots
			<-workers
		})
	}
	close(r.dispatched)
	episodes.Wait()
	r.sum.Left = r.sum.Total - r.sum.Skipped - r.sum.Finished - r.sum.Failed
	return r.sum, context.Cause(ctx)
}

// acquire waits for a slot; false if no further episode may start.
func acquire(starting context.Context, drain <-chan struct{}, slots chan<- struct{}) bool {
	select {
	case <-drain:
		return false
	case <-starting.Done():
		return false
	default:
	}
	select {
	case slots <- struct{}{}:
		return true
	case <-drain:
	case <-starting.Done():
	}
	return false
}

// due returns the episodes to run, one round of all questions per repeat, and reports those that are skipped.
func (r *Runner) due(examples []qa.Example) []task {
	var all []task
	for repeat := range r.c.Repeats {
		for _, ex := range examples {
			if r.c.Only == nil || r.c.Only(ex.UUID, repeat) {
				all = append(all, task{ex, repeat})
			}
		}
	}
	r.sum.Total, r.sum.Repeated = len(all), r.c.Repeats > 1
	var tasks []task
	for _, t := range all {
		if rec, ok := r.c.Recorded[qa.EpisodeID(t.example.UUID, t.repeat)]; ok && r.c.Skip(rec) {
			r.note(Event{Trajectory: rec.Trajectory, Skipped: true})
			continue
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// runTask runs one episode. The error means that the log cannot be written or that ctx ended.
func (r *Runner) runTask(ctx context.Context, t task) error {
	var prior *runlog.Recorded
	setup := agent.Setup{UUID: t.example.UUID, Repeat: t.repeat, Now: r.c.Now, Budget: r.c.Budget, Redact: r.c.Writer.Redact}
	if rec, ok := r.c.Recorded[qa.EpisodeID(t.example.UUID, t.repeat)]; ok {
		prior, setup.Prior = &rec, rec.Trajectory
	}
	log, err := r.c.Writer.Begin(t.example.UUID, t.repeat, prior)
	if err != nil {
		return err
	}
	setup.Log = log
	if r.c.Watch != nil {
		setup.Log = watched{log, t.example.UUID, r.c.Watch}
	}
	tr, err := r.c.Solver.Solve(ctx, t.example, setup)
	if why := qa.Suspension(err); why != "" {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.sum.Suspended == "" {
			r.sum.Suspended = why
		}
		r.halt() // episodes in flight end or are suspended at their next call
		return nil
	}
	if err != nil {
		return err
	}
	r.note(Event{Trajectory: tr})
	return nil
}

// note counts and reports a finished episode.
func (r *Runner) note(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done++
	failed := e.Trajectory.Outcome.Failed()
	if !failed && e.Trajectory.Outcome != qa.Answered {
		r.sum.Limits[e.Trajectory.Outcome]++
	}
	switch {
	case e.Skipped && failed:
		r.sum.Skipped++
		r.sum.FailedBefore++
	case e.Skipped:
		r.sum.Skipped++
	case failed:
		r.sum.Failed++
		if r.sum.FirstFailure == "" {
			r.sum.FirstFailure = e.Trajectory.Reason
		}
	default:
		r.sum.Finished++
	}
	if !e.Skipped {
		r.sum.Usage = r.sum.Usage.Add(e.Trajectory.Usage())
		r.watch(e.Trajectory)
	}
	e.Done = r.done
	r.c.Progress(e)
}

// watched is the log of an episode that reports each step once it is written: first with its reply, then with its
// observation.
type watched struct {
	agent.Log
	uuid  string
	watch func(uuid string, s qa.Step)
}

// Call writes a reply.
func (w watched) Call(s qa.Step) error { return w.after(w.Log.Call(s), s) }

// Observation writes the result of an action.
func (w watched) Observation(s qa.Step) error { return w.after(w.Log.Observation(s), s) }

func (w watched) after(err error, s qa.Step) error {
	if err == nil {
		w.watch(w.uuid, s)
	}
	return err
}
