package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"airqa/qa"
)

// patience is how long the program waits for work in flight after a second Ctrl-C. Tests set it.
var patience = 10 * time.Second

// atOnce is how long a command without a grace period may take to end after SIGTERM.
const atOnce = 700 * time.Millisecond

// graceFlag is for the commands that pay for calls or hold read papers: they do not end at once after SIGTERM.
type graceFlag struct {
	Grace time.Duration `default:"30s" help:"Time after SIGTERM in which calls in flight may finish; more signals do not shorten it, but Ctrl-C twice does."`
}

// interrupts watches for Ctrl-C and SIGTERM. The first signal closes drain: work in flight may finish. The second Ctrl-C
// cancels the context, and so does the end of the grace period that begins with the first SIGTERM; another SIGTERM changes
// nothing, as schedulers send several. SIGHUP, from a closed terminal, counts as SIGTERM unless nohup ignores it. SIGUSR1 asks
// for an end without a limit: a job script passes on that its time limit is near, and SIGTERM follows. The reader of standard
// error, such as tee, may exit first; that must not end the program. stop releases the signals.
func (a *app) interrupts() (ctx context.Context, drain <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(a.ctx)
	draining, ended := make(chan struct{}), make(chan struct{})
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // never released: the last messages come after stop
	go a.watch(signals, ended, draining, cancel)
	return ctx, draining, func() {
		signal.Stop(signals)
		close(ended)
		cancel(nil)
	}
}

// watch closes draining and cancels the context of interrupts until ended is closed. If the work does not end then, it exits.
func (a *app) watch(signals <-chan os.Signal, ended <-chan struct{}, draining chan<- struct{}, cancel context.CancelCauseFunc) {
	var limit <-chan time.Time // the end of the grace period, or of the time to end after it
	drain := sync.OnceFunc(func() {
		a.interrupted.Store(true)
		close(draining)
	})
	cancelled, pressed := false, 0
	for {
		var received os.Signal // nil at the limit
		select {
		case received = <-signals:
		case <-limit:
		case <-ended:
			return
		}
		drain()
		switch received {
		case nil:
		case os.Interrupt:
			if pressed++; pressed == 1 {
				a.say("finishing calls in flight; Ctrl-C again stops now (nothing is lost either way)")
				continue
			}
		case syscall.SIGUSR1:
			a.say("finishing calls in flight")
			continue
		default:
			if limit == nil {
				limit = a.terminate()
			}
			continue
		}
		// Some work cannot be interrupted, such as reading a pipe. Files on disk are consistent.
		if cancelled {
			a.say("stopped immediately")
			os.Exit(exitInterrupted)
		}
		cancelled = true
		cancel(qa.ErrInterrupted)
		limit = a.lastMoment(received)
	}
}

// lastMoment returns the end of the time that cancelled work has.
func (a *app) lastMoment(received os.Signal) <-chan time.Time {
	if received == nil && a.grace == 0 {
		return time.After(atOnce)
	}
	return time.After(patience)
}

// terminate begins the grace period and returns its end.
func (a *app) terminate() <-chan time.Time {
	a.stopping.Do(func() { close(a.stopped) })
	if a.grace > 0 {
		a.say("finishing calls in flight for up to %s", a.grace)
	}
	return time.After(a.grace)
}
