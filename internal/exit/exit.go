// Package exit pairs errors with the exit codes of the program, so that the packages that notice a mistake of the user's or a
// spent budget can say so. Start with [Misuse] and [Code].
package exit

import (
	"errors"
	"fmt"
)

// Exit codes.
const (
	Done   = 0
	Failed = 1
	Usage  = 2
	// FailedExamples: the work is done, but some examples failed and can be run again.
	FailedExamples = 3
	// Budget: a budget was reached; the same command with more resumes.
	Budget = 4
	// Interrupted: Ctrl-C or another signal stopped it; the same command resumes. Shells use this code for SIGINT.
	Interrupted = 130
)

// ErrInterrupted is the cause of a context that the second Ctrl-C cancelled.
var ErrInterrupted = errors.New("interrupted")

type coded struct {
	code int
	err  error
}

func (c coded) Error() string { return c.err.Error() }
func (c coded) Unwrap() error { return c.err }

// With gives an error an exit code.
func With(code int, err error) error { return coded{code, err} }

// Misuse is an error of the caller's, with the code [Usage].
func Misuse(format string, args ...any) error { return coded{Usage, fmt.Errorf(format, args...)} }

// Code is the exit code of an error: [Failed] unless it was given one, [Done] for nil.
func Code(err error) int {
	var c coded
	switch {
	case err == nil:
		return Done
	case errors.As(err, &c):
		return c.code
	}
	return Failed
}
