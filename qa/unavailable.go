package qa

// UnavailableError is a transient failure of an external service that a tool needs, such as a vector store or an
// embedding endpoint. The question is not at fault, and the same action may succeed later.
type UnavailableError struct{ Err error }

func (e *UnavailableError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }
