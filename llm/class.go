package llm

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
)

// Classes of failure, as [Class] names them and [airqa/qa.Attempt] records them.
const (
	// ClassAuth is a refused key, a missing permission or an account without credit.
	ClassAuth = "auth"
	// ClassRateLimit is too many requests or tokens for now.
	ClassRateLimit = "rate_limit"
	// ClassServer is a fault at the endpoint.
	ClassServer = "server"
	// ClassNetwork is a connection that could not be made or broke.
	ClassNetwork = "network"
	// ClassTimeout is a request that took too long, by our clock or the endpoint's.
	ClassTimeout = "timeout"
	// ClassBadRequest is a request that the endpoint does not take, or that could not be built.
	ClassBadRequest = "bad_request"
	// ClassContextOverflow is a conversation too long for the model.
	ClassContextOverflow = "context_overflow"
	// ClassCancelled is a caller who gave up, by cancelling or by a deadline of its own.
	ClassCancelled = "cancelled"
	// ClassGarbage is a success without a reply in it: a web page, half an object, no choices.
	ClassGarbage = "garbage"
	// ClassUnknown is an error that is not of this package.
	ClassUnknown = "unknown"
)

// Class names the kind of failure; nil has the empty class.
func Class(err error) string {
	var status *HTTPError
	var fault *Fault
	var network net.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &status):
		return status.class()
	case errors.As(err, &fault):
		return fault.Class
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ClassCancelled
	case errors.As(err, &network) && network.Timeout():
		return ClassTimeout
	case errors.As(err, &network):
		return ClassNetwork
	}
	return ClassUnknown
}

// Retryable tells whether the same request may succeed later.
func Retryable(err error) bool {
	switch Class(err) {
	case ClassRateLimit, ClassServer, ClassNetwork, ClassTimeout, ClassGarbage:
		return true
	}
	return false
}

func (e *HTTPError) class() string {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return ClassAuth
	case http.StatusTooManyRequests:
		return e.rateClass()
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return ClassTimeout
	}
	if e.Status >= http.StatusInternalServerError {
		return ClassServer
	}
	if e.overflows() {
		return ClassContextOverflow
	}
	return ClassBadRequest
}

// rateClass tells a limit that passes from an empty account, which OpenAI reports with the same status and which no
// waiting mends.
func (e *HTTPError) rateClass() string {
	if strings.Contains(e.Body, "insufficient_quota") {
		return ClassAuth
	}
	return ClassRateLimit
}

// overflows looks for the words of the servers that people use: OpenAI and vLLM ("maximum context length",
// context_length_exceeded), llama.cpp (exceed_context_size_error), Anthropic's compatible endpoint ("prompt is too
// long"), Gemini's ("input token count exceeds"), SGLang ("longer than the model's context length").
func (e *HTTPError) overflows() bool {
	body := strings.ToLower(e.Body)
	for _, words := range []string{
		"context_length_exceeded", "maximum context length", "exceed_context_size", "exceeds the available context",
		"prompt is too long", "context length", "context window", "token count exceeds", "max_model_len",
	} {
		if strings.Contains(body, words) {
			return true
		}
	}
	return false
}
