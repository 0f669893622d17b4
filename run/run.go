// Package run takes examples through a solver: [Runner] starts as many episodes at once as it is told, skips those
// that the run directory holds already, takes up those that it holds in part, and can be stopped without loss.
// It knows no baseline and no model; the log on disk is package run/runlog, what calls may cost package run/budget.
package run

import (
	"context"
	"errors"
	"sync"
	"time"

	"airqa/agent"
	"airqa/internal/pause"
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
	// Skip tells which recorded episodes are left as they are; nil skips those that are finished, so that failed ones are
	// run again.
	Skip func(runlog.Recorded) bool
	// Only tells which episodes belong to this start; nil takes all of them.
	Only func(uuid string, repeat int) bool
	// Workers is how many episodes run at once, at least 1.
	Workers int
	// Slots bounds the episodes of several runners together: each holds a value in it while it runs. nil bounds nothing.
	Slots chan struct{}
	// Repeats is how many episodes each question gets; 0 is one.
	Repeats int
	// Budget bounds each question.
	Budget agent.Budget
	// Progress is told of every finished episode, one call at a time. May be nil.
	Progress func(Event)
	Now      func() time.Time
	// MaxEqualFailures in a row, all for one reason, end the start: a wrong key fails every question alike. 0 lets it go on.
	// Where the endpoint has answered before and the reason may pass, it is an outage: then the start of further episodes
	// waits instead, longer each time.
	MaxEqualFailures int
	// Outage is called before such a wait with the last failure's reason. May be nil.
	Outage func(wait time.Duration, reason string)
	// Sleep waits and returns early with the context's error; nil waits by the clock.
	Sleep func(ctx context.Context, d time.Duration) error
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
	// Repeated is true when questions have several episodes each.
	Repeated bool
	// FailedBefore are those of Skipped that had failed in an earlier start, and were to be left so.
	FailedBefore int
	// Limits counts the outcomes other than an answer among those that finished, now or before.
	Limits map[qa.Outcome]int
	// FirstFailure is the reason of the first episode that failed.
	FirstFailure string
	Usage        qa.Usage
	// Suspended is why no further call could be made, "" when calls could: the run's budget is spent.
	Suspended string
}

// Noun is what is counted: questions, or episodes where each question has several.
func (s Summary) Noun() string {
	if s.Repeated {
		return "episodes"
	}
	return "questions"
}

// Runner runs episodes. It is used once.
type Runner struct {
	c   Config
	fed chan struct{} // closed when the last episode was started

	mu   sync.Mutex
	sum  Summary
	done int
	// equal failures in a row, and their kind
	equal   int
	failure string
	out     outage
	halt    sync.Once
	stop    chan struct{} // closed when no further episode may start
}

// New checks a configuration.
func New(c Config) (*Runner, error) {
	switch {
	case c.Solver == nil || c.Writer == nil:
		return nil, errors.New("runner: solver and writer are needed")
	case c.Workers < 1:
		return nil, errors.New("runner: at least one worker is needed")
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
		c.Sleep = pause.For
	}
	if c.Skip == nil {
		c.Skip = runlog.Recorded.Finished
	}
	return &Runner{c: c, sum: Summary{Limits: make(map[qa.Outcome]int)}, stop: make(chan struct{}), fed: make(chan struct{})}, nil
}

// Fed is closed when this runner will start no further episode: the next one may use the workers that get free.
func (r *Runner) Fed() <-chan struct{} { return r.fed }

// task is one episode to run.
type task struct {
	example qa.Example
	repeat  int
}

// Run solves the examples. When drain is closed it starts no further episode and returns when those under way have
// ended; when ctx is cancelled it stops them where they are, and the same run directory takes them up
// again. The summary holds also when there is an error; an error means that the log could not be written or that ctx
// was cancelled.
func (r *Runner) Run(ctx context.Context, drain <-chan struct{}, examples []qa.Example) (Summary, error) {
	tasks := r.due(examples)
	// One worker's lost log stops all of them.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	queue := make(chan task)
	var workers sync.WaitGroup
	for range min(r.c.Workers, max(r.sum.Total, 1)) {
		workers.Go(func() {
			for t := range queue {
				if err := r.one(ctx, t); err != nil {
					stop(err)
				}
				r.release()
			}
		})
	}
	r.feed(ctx, drain, queue, tasks)
	close(r.fed)
	workers.Wait()
	r.sum.Left = r.sum.Total - r.sum.Skipped - r.sum.Finished - r.sum.Failed
	return r.sum, context.Cause(ctx)
}

// due counts the episodes, lists those to run, a whole round of the questions before the next repeat of them, and tells of
// those that are skipped.
func (r *Runner) due(examples []qa.Example) []task {
	all := r.all(examples)
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

func (r *Runner) all(examples []qa.Example) []task {
	var all []task
	for repeat := range r.c.Repeats {
		for _, ex := range examples {
			if r.c.Only == nil || r.c.Only(ex.UUID, repeat) {
				all = append(all, task{ex, repeat})
			}
		}
	}
	return all
}

// feed hands out the episodes.
func (r *Runner) feed(ctx context.Context, drain <-chan struct{}, queue chan<- task, tasks []task) {
	defer close(queue)
	for _, t := range tasks {
		if !r.hand(ctx, drain, queue, t) {
			return
		}
	}
}

// hand gives a task to the next free worker; false when no further one may start.
func (r *Runner) hand(ctx context.Context, drain <-chan struct{}, queue chan<- task, t task) bool {
	r.sitOut(ctx, drain)
	if r.stopped(ctx, drain) || !r.acquire(ctx, drain) {
		return false
	}
	select {
	case queue <- t:
		return true
	case <-drain:
	case <-r.stop:
	case <-ctx.Done():
	}
	r.release()
	return false
}

func (r *Runner) stopped(ctx context.Context, drain <-chan struct{}) bool {
	select {
	case <-drain:
	case <-r.stop:
	case <-ctx.Done():
	default:
		return false
	}
	return true
}

// acquire waits for one of the shared slots.
func (r *Runner) acquire(ctx context.Context, drain <-chan struct{}) bool {
	if r.c.Slots == nil {
		return true
	}
	select {
	case r.c.Slots <- struct{}{}:
		return true
	case <-drain:
	case <-r.stop:
	case <-ctx.Done():
	}
	return false
}

func (r *Runner) release() {
	if r.c.Slots != nil {
		<-r.c.Slots
	}
}

func (r *Runner) one(ctx context.Context, t task) error {
	var prior *runlog.Recorded
	setup := agent.Setup{UUID: t.example.UUID, Repeat: t.repeat, Now: r.c.Now, Budget: r.c.Budget}
	if rec, ok := r.c.Recorded[qa.EpisodeID(t.example.UUID, t.repeat)]; ok {
		prior, setup.Prior = &rec, rec.Trajectory
	}
	log, err := r.c.Writer.Begin(t.example.UUID, t.repeat, prior)
	if err != nil {
		return err
	}
	setup.Log = log
	tr, err := r.c.Solver.Solve(ctx, t.example, setup)
	if why := qa.Suspension(err); why != "" {
		r.suspend(why)
		return nil
	}
	if err != nil {
		return err
	}
	r.note(Event{Trajectory: tr})
	return nil
}

// suspend lets no further episode start; those under way end or are suspended at their next call.
func (r *Runner) suspend(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sum.Suspended == "" {
		r.sum.Suspended = why
	}
	r.halt.Do(func() { close(r.stop) })
}

// note counts a finished episode and tells of it.
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
	e.Done, e.Total = r.done, r.sum.Total
	r.c.Progress(e)
}
