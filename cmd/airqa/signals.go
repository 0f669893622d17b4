package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"airqa/internal/exit"
)

// patience is how long the program waits after a second Ctrl-C for the work in flight to end. Tests set it.
var patience = 10 * time.Second

// interrupts watches for Ctrl-C and the signal that systems stop programs with. The first closes drain: what is under way
// may end. The second cancels the context. A terminal that is closed counts as one, unless nohup said that it should not. Who
// reads standard error, such as tee, may be gone first: that must not end the program. stop gives the signals back.
func (a *app) interrupts() (ctx context.Context, drain <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(a.ctx)
	draining, ended := make(chan struct{}), make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // for good: the last words come after stop
	go func() {
		select {
		case <-signals:
		case <-ctx.Done():
			return
		}
		a.interrupted.Store(true)
		a.say("finishing what is in flight; Ctrl-C again stops it now (nothing is lost either way)")
		close(draining)
		select {
		case <-signals:
			cancel(exit.ErrInterrupted)
		case <-ctx.Done():
			return
		}
		// Something that cannot be interrupted, such as reading a pipe: whatever is on the disk is whole.
		select {
		case <-signals:
		case <-time.After(patience):
		case <-ended:
			return
		}
		a.say("stopped where it was")
		os.Exit(exit.Interrupted)
	}()
	return ctx, draining, func() {
		signal.Stop(signals)
		close(ended)
		cancel(nil)
	}
}
