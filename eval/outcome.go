package eval

import "fmt"

// outcome is what a function makes of one answer. unread says, where it does not pass, that the answer could
// not be read as the function needs it.
type outcome struct {
	pass   bool
	unread string
}

func passed(pass bool) outcome     { return outcome{pass: pass} }
func unread(reason string) outcome { return outcome{unread: reason} }

// raisedError stands for an exception of the authors' code, which scores 0.
type raisedError struct{ reason string }

// Error implements error.
func (e *raisedError) Error() string { return "the authors' evaluator fails: " + e.reason }

func raise(format string, args ...any) error {
	return &raisedError{fmt.Sprintf(format, args...)}
}
