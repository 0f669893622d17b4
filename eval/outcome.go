package eval

import "fmt"

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
