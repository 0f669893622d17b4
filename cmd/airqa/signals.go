package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// errInterrupted is the cause of a context that the second Ctrl-C cancelled.
var errInterrupted = errors.New("interrupted")

// interrupts watches for Ctrl-C and the signal that systems stop programs with. The first closes drain: what is under way
// may end. The second cancels the context. stop gives the signals back.
func (a *app) interrupts() (ctx context.Context, drain <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(a.ctx)
	draining := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-signals:
		case <-ctx.Done():
			return
		}
		a.say("finishing what is under way; Ctrl-C again stops it now (nothing is lost either way)")
		close(draining)
		select {
		case <-signals:
			cancel(errInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, draining, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}
