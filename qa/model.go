package qa

import (
	"context"
	"errors"
	"fmt"
)

// Model answers requests. It is implemented by endpoints and by their wrappers (retries, a budget, a cache). Calls
// may overlap. A call without a reply returns a [*CallError], a [*SuspendedError] if it may not be made now, or an error
// from before the first request; [ClassOf] handles all of them.
type Model interface {
	Complete(ctx context.Context, r Request) (Reply, error)
}

// Request is the input of a model. It is plain data.
type Request struct {
	Messages []Message
	// Tools are offered natively; empty if the model writes its actions as text.
	Tools []ToolSpec
	// UUID, Repeat and Step identify the request. They distinguish repeats in a cache and are not sent to
	// endpoints. Step counts from 1.
	UUID   string
	Repeat int
	Step   int
	// Left is the remaining allowance of the question; a budget enforces it for every request of the call.
	Left Allowance
	// Tried are the failed requests of this call so far, oldest first. The retrying wrapper sets it.
	Tried []Attempt
}

// Allowance limits a call, including its failed requests. Zero fields are unlimited.
type Allowance struct {
	// Tokens of prompts and replies together.
	Tokens int
	USD    float64
}

// FailureClass is a kind of failure of a request. [Attempt] records it.
type FailureClass string

// The classes of failure.
const (
	// FailAuth is a rejected key, a missing permission, or an account without credit or with a quota used up for the day.
	FailAuth FailureClass = "auth"
	// FailRateLimit is a rate limit for requests or tokens.
	FailRateLimit FailureClass = "rate_limit"
	// FailServer is an error of the endpoint.
	FailServer FailureClass = "server"
	// FailNetwork is a broken connection.
	FailNetwork FailureClass = "network"
	// FailUnreachable is a failed connection attempt: no request was sent, so it costs nothing.
	FailUnreachable FailureClass = "unreachable"
	// FailTLS is a failed TLS handshake: an untrusted certificate, or a server without https.
	FailTLS FailureClass = "tls"
	// FailImages is a request with an image to a model or server without image support.
	FailImages FailureClass = "images"
	// FailTimeout is a request that took too long, by our clock or the endpoint's.
	FailTimeout FailureClass = "timeout"
	// FailBadRequest is a request that the endpoint rejects, or that could not be built.
	FailBadRequest FailureClass = "bad_request"
	// FailContextOverflow is a conversation too long for the model.
	FailContextOverflow FailureClass = "context_overflow"
	// FailCancelled is a call cancelled by the caller or by the caller's own deadline.
	FailCancelled FailureClass = "cancelled"
	// FailGarbage is a successful response without a reply: a web page, truncated JSON, no choices, an error without a status.
	FailGarbage FailureClass = "garbage"
	// FailBudget is a request that was not retried because its question has too little budget left.
	FailBudget FailureClass = "budget"
	// FailUnknown is any other error.
	FailUnknown FailureClass = "unknown"
)

// FailureClasses returns all classes.
func FailureClasses() []FailureClass {
	return []FailureClass{
		FailAuth, FailRateLimit, FailServer, FailNetwork, FailUnreachable, FailTLS, FailImages, FailTimeout, FailBadRequest,
		FailContextOverflow, FailCancelled, FailGarbage, FailBudget, FailUnknown,
	}
}

// Transient reports whether the same request may succeed later.
func (c FailureClass) Transient() bool {
	switch c {
	case FailRateLimit, FailServer, FailNetwork, FailUnreachable, FailTimeout, FailGarbage:
		return true
	}
	return false
}

// CallError is a call without a reply.
type CallError struct {
	Class FailureClass
	// Attempts are the requests of the call, oldest first.
	Attempts []Attempt
	// Err is the last failure, or the context's error if the caller cancelled.
	Err error
	// Hint suggests a solution; may be empty.
	Hint string
	// MaybeLong reports that the refused conversation takes much of the model's window, so its length may be the reason.
	MaybeLong bool
}

// Error includes the number of requests and the hint.
func (e *CallError) Error() string {
	text := e.Err.Error()
	if len(e.Attempts) > 1 {
		text = fmt.Sprintf("after %d requests: %s", len(e.Attempts), text)
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// Unwrap returns the last failure.
func (e *CallError) Unwrap() error { return e.Err }

// ClassOf returns the class of a call's error; empty for nil.
func ClassOf(err error) FailureClass {
	var call *CallError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &call):
		return call.Class
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return FailCancelled
	}
	return FailUnknown
}

// Tried returns the requests of a failed call, oldest first; nil if there were none.
func Tried(err error) []Attempt {
	var call *CallError
	if errors.As(err, &call) {
		return call.Attempts
	}
	return nil
}

// SuspendedError leaves an episode unfinished, to be resumed later. It is not a failure: the call may not be made now,
// because a budget is spent.
type SuspendedError struct{ Reason string }

// Error returns the reason.
func (e *SuspendedError) Error() string { return e.Reason }

// Suspension returns the reason why an error leaves an episode unfinished, or "" if it does not.
func Suspension(err error) string {
	var s *SuspendedError
	if errors.As(err, &s) {
		return s.Reason
	}
	return ""
}

// UnavailableError is a transient failure of an external service that a tool needs, such as a vector store or an
// embedding endpoint. The question is not at fault, and the same action may succeed later.
type UnavailableError struct{ Err error }

func (e *UnavailableError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Err }
