package qa

import "fmt"

// UsageError reports a value that the caller chose and has to change: an unknown name, settings that exclude each other,
// an input that is not what it should be. It names the value, never a flag. The command line ends with the exit code of
// wrong use when it meets one.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

func (e *UsageError) Unwrap() error { return e.Err }

// Usagef returns a [UsageError]. It takes the arguments of [fmt.Errorf].
func Usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }
