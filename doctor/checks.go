// Package doctor checks what a program run needs: endpoints, judges, embedder, data directory, search index, disk and clock. Each
// finding says what is there and what to do where that is not good. Start with [Run] and the functions that return checks.
package doctor

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// State is how a check came out.
type State string

// The states.
const (
	OK      State = "ok"
	Warning State = "warning"
	Failed  State = "failed"
	// Skipped checks were not asked for, or could not be made because of the one before.
	Skipped State = "skipped"
)

// Finding is what a check found: what is there, and what to do where that is not good.
type Finding struct {
	State State  `json:"state"`
	Text  string `json:"text"`
	Fix   string `json:"fix,omitempty"`
}

// Good is a finding without fault.
func Good(format string, args ...any) Finding {
	return Finding{State: OK, Text: fmt.Sprintf(format, args...)}
}

// Bad is a failure and what to do about it.
func Bad(err error, fix string) Finding { return Finding{State: Failed, Text: err.Error(), Fix: fix} }

// Doubtful is a warning and what to do about it.
func Doubtful(text, fix string) Finding { return Finding{State: Warning, Text: text, Fix: fix} }

// Unchecked is a check that was not made.
func Unchecked(why string) Finding { return Finding{State: Skipped, Text: why} }

// Check is one question.
type Check struct {
	Name string
	Run  func(ctx context.Context) Finding
}

// Result is what came of a check.
type Result struct {
	Name string `json:"check"`
	Finding
	Seconds float64 `json:"seconds"`
}

// Run makes all checks, each within a limit of time, and tells of them in their order. Those of one group follow each other,
// and after a failure the rest of the group is left; groups run at the same time. A check that does not heed the end of its
// context is given up: it goes on by itself until the program ends.
func Run(ctx context.Context, limit time.Duration, groups [][]Check, tell func(Result)) {
	results := make([]chan Result, len(groups))
	var all sync.WaitGroup
	for i, group := range groups {
		results[i] = make(chan Result, len(group))
		all.Go(func() {
			defer close(results[i])
			runGroup(ctx, limit, group, results[i])
		})
	}
	for _, r := range results {
		for result := range r {
			tell(result)
		}
	}
	all.Wait()
}

func runGroup(ctx context.Context, limit time.Duration, group []Check, out chan<- Result) {
	broken := ""
	for _, c := range group {
		if broken != "" {
			out <- Result{Name: c.Name, Finding: Unchecked("not checked, since " + broken + " failed")}
			continue
		}
		r := one(ctx, limit, c)
		if r.State == Failed {
			broken = c.Name
		}
		out <- r
	}
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
			r.Finding = Finding{Failed, fmt.Sprintf("no answer within %s", limit), "see whether it hangs; --timeout gives it longer"}
		}
	}
	r.Seconds = time.Since(start).Seconds()
	return r
}

// grace is what a check that heeds its context gets to say why it ended.
const grace = 500 * time.Millisecond

// Broken is a check that failed before it could be made.
func Broken(name string, err error, fix string) []Check {
	return []Check{check(name, func() Finding { return Bad(err, fix) })}
}

// Omitted is a check that was not asked for, or that has nothing to look at.
func Omitted(name, why string) []Check {
	return []Check{check(name, func() Finding { return Unchecked(why) })}
}

// check is one that cannot be kept waiting.
func check(name string, run func() Finding) Check {
	return Check{Name: name, Run: func(context.Context) Finding { return run() }}
}
