package qa

import (
	"context"
	"errors"
	"fmt"
)

// Model answers requests. Everything that answers a conversation is one: an endpoint, and what stands around it (retries, a
// budget, a cache, a recording). Calls may overlap. A call without a reply returns a [*CallError], a [*SuspendedError] where
// it may not be made now, or an error that was found before anything was asked; [ClassOf] understands all of them.
type Model interface {
	Complete(ctx context.Context, r Request) (Reply, error)
}

// Request is what a model is asked. It is plain data.
type Request struct {
	Messages []Message
	// Tools are offered natively; empty where the model writes its actions as text.
	Tools []ToolSpec
	// UUID, Repeat and Step identify the request: a cache and a replay tell repeats apart by them, and no endpoint sees
	// them. Step counts from 1.
	UUID   string
	Repeat int
	Step   int
	// Left is what the question may still use; a budget enforces it for every request of the call.
	Left Allowance
	// Tried are the failed requests of this call so far, oldest first: what repeats requests sets it.
	Tried []Attempt
}

// Allowance bounds what a call may use, its failed requests included. Zero fields are unlimited.
type Allowance struct {
	// Tokens of prompts and replies together.
	Tokens int
	USD    float64
}

// FailureClass is a kind of failure of a request. [Attempt] records it.
type FailureClass string

// The classes of failure.
const (
	// FailAuth is a refused key, a missing permission or an account without credit.
	FailAuth FailureClass = "auth"
	// FailRateLimit is too many requests or tokens for now.
	FailRateLimit FailureClass = "rate_limit"
	// FailServer is a fault at the endpoint.
	FailServer FailureClass = "server"
	// FailNetwork is a connection that broke.
	FailNetwork FailureClass = "network"
	// FailUnreachable is a connection that could not be made: nothing was asked, so nothing was paid.
	FailUnreachable FailureClass = "unreachable"
	// FailTLS is an encrypted connection that could not be made: a certificate that is not trusted, or a server without https.
	FailTLS FailureClass = "tls"
	// FailImages is a request with an image to a model or server that takes none.
	FailImages FailureClass = "images"
	// FailTimeout is a request that took too long, by our clock or the endpoint's.
	FailTimeout FailureClass = "timeout"
	// FailBadRequest is a request that the endpoint rejects, or that could not be built.
	FailBadRequest FailureClass = "bad_request"
	// FailContextOverflow is a conversation too long for the model.
	FailContextOverflow FailureClass = "context_overflow"
	// FailCancelled is a caller who gave up, by cancelling or by a deadline of its own.
	FailCancelled FailureClass = "cancelled"
	// FailGarbage is a success without a reply in it: a web page, half an object, no choices.
	FailGarbage FailureClass = "garbage"
	// FailBudget is a request that was not repeated, since its question has too little left.
	FailBudget FailureClass = "budget"
	// FailUnknown is any other error.
	FailUnknown FailureClass = "unknown"
)

// Transient reports whether the same request may succeed later.
func (c FailureClass) Transient() bool {
	switch c {
	case FailRateLimit, FailServer, FailNetwork, FailUnreachable, FailTimeout, FailGarbage:
		return true
	}
	return false
}

// CallError is a call that got no reply.
type CallError struct {
	Class FailureClass
	// Attempts are the requests that were made, oldest first.
	Attempts []Attempt
	// Err is the last failure, or the context's error when the caller gave up.
	Err error
	// Hint is what to do about it; may be empty.
	Hint string
}

// Error says after how many requests the call ended, and what to do about it.
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

// ClassOf is the class of a call's error; empty for nil.
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

// Tried returns the requests behind the error of a call, oldest first; nil when none was made.
func Tried(err error) []Attempt {
	var call *CallError
	if errors.As(err, &call) {
		return call.Attempts
	}
	return nil
}

// SuspendedError leaves an episode unfinished, to be resumed later: nothing failed, but the call may not be made now, because a
// budget is spent.
type SuspendedError struct{ Reason string }

// Error returns the reason.
func (e *SuspendedError) Error() string { return e.Reason }

// Suspension returns why an error leaves an episode unfinished; empty when it does not.
func Suspension(err error) string {
	var s *SuspendedError
	if errors.As(err, &s) {
		return s.Reason
	}
	return ""
}
