// Package exit attaches the program's exit codes to errors, so that packages that detect wrong use or a spent budget
// can set the code. Start with [Misuse] and [Code].
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
	// FailedExamples means that the work is done, but some examples failed and can be retried.
	FailedExamples = 3
	// Budget means that a budget was reached; the same command with a larger budget resumes.
	Budget = 4
	// Short means that a synthesis accepted fewer rows than asked for, because its candidates ran out.
	Short = 5
	// Interrupted means that Ctrl-C or another signal stopped the program; the same command resumes. Shells use this
	// code for SIGINT.
	Interrupted = 130
)

type coded struct {
	code int
	err  error
}

func (c coded) Error() string { return c.err.Error() }
func (c coded) Unwrap() error { return c.err }

// With attaches an exit code to an error.
func With(code int, err error) error { return coded{code, err} }

// Misuse is an error in the use of the program, with the code [Usage].
func Misuse(format string, args ...any) error { return coded{Usage, fmt.Errorf(format, args...)} }

// Code is the exit code of an error: [Failed] by default, [Done] for nil.
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
