package eval

import (
	"errors"
	"fmt"

	"airqa/qa"
)

// Mode names the rules by which answers are scored.
type Mode string

// The modes.
const (
	// Reference does what the authors' code does, quirks included, as in published numbers.
	Reference Mode = "reference"
	// Fixed corrects the known faults of the reference: unordered matching by assignment, typed numbers, empty lists,
	// misspelled options, golds that are lists.
	Fixed Mode = "fixed"
)

func result(o outcome, err error) qa.Score {
	var raised *raisedError
	switch {
	case errors.As(err, &raised):
		return qa.Score{Verdict: qa.Wrong, Reason: err.Error()}
	case err != nil:
		return qa.Score{Verdict: qa.Unscored, Reason: err.Error()}
	case o.pass:
		return qa.Score{Value: 1, Verdict: qa.Right}
	case o.unread != "":
		return qa.Score{Verdict: qa.Unparseable, Reason: o.unread}
	}
	return qa.Score{Verdict: qa.Wrong}
}

// outcome is the result of one function on one answer. If it does not pass, unread is the reason why the answer could
// not be read as the function needs it.
type outcome struct {
	pass   bool
	unread string
}

func passed(pass bool) outcome     { return outcome{pass: pass} }
func unread(reason string) outcome { return outcome{unread: reason} }

// raisedError represents an exception in the authors' code, which scores 0.
type raisedError struct{ reason string }

func (e *raisedError) Error() string { return "the authors' evaluator fails: " + e.reason }

func raise(format string, args ...any) error {
	return &raisedError{fmt.Sprintf(format, args...)}
}

// faultyError is a fault of an evaluator. It leaves an answer unscored.
type faultyError struct{ reason string }

func (e *faultyError) Error() string { return "the evaluator is faulty: " + e.reason }
