package qa

// UnavailableError is a transient failure of something outside the program that a tool needs, such as a vector store or an
// embedding endpoint: nothing is wrong with the question, and the same action may succeed later.
type UnavailableError struct{ Err error }

// Error returns the text of the cause.
func (e *UnavailableError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }
