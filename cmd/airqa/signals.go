package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"airqa/qa"
)

// patience is how long the program waits for work in flight after a second Ctrl-C. Tests set it.
var patience = 10 * time.Second

// interrupts watches for Ctrl-C and SIGTERM. The first signal closes drain: work in flight may finish. The second cancels the
// context. SIGHUP, from a closed terminal, counts as a signal too unless nohup ignores it. The reader of standard error, such
// as tee, may exit first; that must not end the program. stop releases the signals.
func (a *app) interrupts() (ctx context.Context, drain <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(a.ctx)
	draining, ended := make(chan struct{}), make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // never released: the last messages come after stop
	go func() {
		select {
		case <-signals:
		case <-ctx.Done():
			return
		}
		a.interrupted.Store(true)
		a.say("finishing calls in flight; Ctrl-C again stops now (nothing is lost either way)")
		close(draining)
		select {
		case <-signals:
			cancel(qa.ErrInterrupted)
		case <-ctx.Done():
			return
		}
		// Some work cannot be interrupted, such as reading a pipe. Files on disk are consistent.
		select {
		case <-signals:
		case <-time.After(patience):
		case <-ended:
			return
		}
		a.say("stopped immediately")
		os.Exit(exitInterrupted)
	}()
	return ctx, draining, func() {
		signal.Stop(signals)
		close(ended)
		cancel(nil)
	}
}
