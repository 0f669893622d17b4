package qa

import (
	"errors"
	"fmt"
)

// UsageError reports a value that the caller chose and has to change: an unknown name, settings that are mutually exclusive,
// an input that is not what it should be. It names the value, never a flag. The command line ends with the exit code of
// wrong use when it meets one.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a [UsageError]. It takes the arguments of [fmt.Errorf].
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

// FailedError reports that work ended although some of its examples failed; they can be retried. The command line ends with
// the exit code of failed examples when it meets one, and with that of a spent budget for a [SuspendedError].
type FailedError struct{ Err error }

func (e *FailedError) Error() string { return e.Err.Error() }

func (e *FailedError) Unwrap() error { return e.Err }

// Failedf returns a [FailedError]. It takes the arguments of [fmt.Errorf].
func Failedf(format string, args ...any) error { return &FailedError{fmt.Errorf(format, args...)} }

// ErrInterrupted is the cause of a context that ends because the user stops the program.
var ErrInterrupted = errors.New("interrupted")
