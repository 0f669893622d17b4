// Package doctor checks the prerequisites of a run: endpoints, judges, embedder, data directory, search index, disk and
// clock. Each [Finding] describes the state and, if necessary, the fix. Start with [Run] and the functions that return
// checks.
package doctor

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// State is the result of a check.
type State string

// The states.
const (
	OK      State = "ok"
	Warning State = "warning"
	Failed  State = "failed"
	// Skipped checks were not requested, or follow a failed one.
	Skipped State = "skipped"
)

// Finding is the outcome of a check and, if it is not good, the fix.
type Finding struct {
	State State  `json:"state"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"`
}

// Good is a successful finding.
func Good(format string, args ...any) Finding {
	return Finding{State: OK, Text: fmt.Sprintf(format, args...)}
}

// Bad is a failure with its fix.
func Bad(err error, fix string) Finding { return Finding{State: Failed, Text: err.Error(), Fix: fix} }

// Doubtful is a warning with its fix.
func Doubtful(text, fix string) Finding { return Finding{State: Warning, Text: text, Fix: fix} }

// Unchecked is a skipped check.
func Unchecked(why string) Finding { return Finding{State: Skipped, Text: why} }

// Check is a single check.
type Check struct {
	Name string
	Run  func(ctx context.Context) Finding
}

// Result is the finding of a named check.
type Result struct {
	Name string `json:"check"`
	Finding
	Seconds float64 `json:"seconds"`
}

// Run runs all checks, each with a time limit, and reports the results in order. Groups run concurrently; the checks of
// a group run in sequence, and after a failure the rest of the group is skipped. A check that ignores the end of its
// context is abandoned and keeps running until the program ends.
func Run(ctx context.Context, limit time.Duration, groups [][]Check, tell func(Result)) {
	results := make([]chan Result, len(groups))
	var all sync.WaitGroup
	for i, group := range groups {
		results[i] = make(chan Result, len(group))
		all.Go(func() {
			defer close(results[i])
			broken := ""
			for _, c := range group {
				if broken != "" {
					results[i] <- Result{Name: c.Name, Finding: Unchecked("skipped because " + broken + " failed")}
					continue
				}
				r := one(ctx, limit, c)
				if r.State == Failed {
					broken = c.Name
				}
				results[i] <- r
			}
		})
	}
	for _, r := range results {
		for result := range r {
			tell(result)
		}
	}
	all.Wait()
}

func one(ctx context.Context, limit time.Duration, c Check) Result {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found := make(chan Finding, 1)
	start := time.Now()
	go func() { found <- c.Run(ctx) }()
	r := Result{Name: c.Name}
	select {
	case r.Finding = <-found:
	case <-ctx.Done():
		select {
		case r.Finding = <-found: // both at once
		case <-time.After(grace):
			r.Finding = Finding{Failed, fmt.Sprintf("no answer within %s", limit), "it may hang; --timeout allows more time"}
		}
	}
	r.Seconds = time.Since(start).Seconds()
	return r
}

// grace is the time that a check has to report an error after its context ends.
const grace = 500 * time.Millisecond

// Broken is a check that failed before it could start.
func Broken(name string, err error, fix string) []Check {
	return []Check{check(name, func() Finding { return Bad(err, fix) })}
}

// Omitted is a check that was not requested, or that has nothing to check.
func Omitted(name, why string) []Check {
	return []Check{check(name, func() Finding { return Unchecked(why) })}
}

// check makes a check that needs no context.
func check(name string, run func() Finding) Check {
	return Check{Name: name, Run: func(context.Context) Finding { return run() }}
}
