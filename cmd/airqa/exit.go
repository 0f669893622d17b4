package main

import (
	"errors"

	"airqa/qa"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
	// exitFailedExamples means that the work is done, but some examples failed and can be retried.
	exitFailedExamples = 3
	// exitBudget means that a budget was reached; the same command with a larger budget resumes.
	exitBudget = 4
	// exitShort means that a synthesis accepted fewer rows than asked for, because its candidates ran out.
	exitShort = 5
	// exitInterrupted means that Ctrl-C or another signal stopped the program; the same command resumes. Shells use this
	// code for SIGINT.
	exitInterrupted = 130
)

// codedError is an error with an exit code of its own.
type codedError struct {
	code int
	err  error
}

func (c codedError) Error() string { return c.err.Error() }
func (c codedError) Unwrap() error { return c.err }

func withCode(code int, err error) error { return codedError{code, err} }

// exitCode returns the exit code of an error: that attached to it, or that of its type; [exitFailed] for others and
// [exitDone] for nil.
func exitCode(err error) int {
	var attached codedError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, new(*qa.UsageError)):
		return exitUsage
	case errors.As(err, new(*qa.SuspendedError)):
		return exitBudget
	case errors.As(err, new(*qa.FailedError)):
		return exitFailedExamples
	case errors.As(err, &attached):
		return attached.code
	}
	return exitFailed
}
