package llm

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
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
	// ClassNetwork is a connection that broke.
	ClassNetwork = "network"
	// ClassUnreachable is a connection that could not be made: nothing was asked, so nothing was paid.
	ClassUnreachable = "unreachable"
	// ClassTLS is an encrypted connection that could not be made: a certificate that is not trusted, or a server without https.
	ClassTLS = "tls"
	// ClassImages is a request with an image to a model or server that takes none.
	ClassImages = "images"
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
	// ClassQueue is no failure: a call waits for others, since the endpoint was asked too much at once.
	ClassQueue = "queue"
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
	case ClassRateLimit, ClassServer, ClassNetwork, ClassUnreachable, ClassTimeout, ClassGarbage:
		return true
	}
	return false
}

func (e *HTTPError) class() string {
	if e.refusesImages() {
		return ClassImages
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return ClassAuth
	case http.StatusTooManyRequests:
		return e.rateClass()
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return ClassTimeout
	case http.StatusRequestEntityTooLarge:
		return ClassContextOverflow
	case http.StatusInternalServerError:
		// Proxies and Ollama wrap an overflow in a fault of their own.
		if e.overflows() {
			return ClassContextOverflow
		}
	}
	switch {
	case e.Status >= http.StatusInternalServerError:
		return ClassServer
	case e.overflows():
		return ClassContextOverflow
	case e.says("credit balance is too low", "api_key_invalid", "api key not valid"):
		// Anthropic and Google report these as bad requests.
		return ClassAuth
	}
	return ClassBadRequest
}

// rateClass tells a limit that passes from what OpenAI reports with the same status and no waiting mends: an empty
// account, and a request of more tokens than a whole minute allows.
func (e *HTTPError) rateClass() string {
	switch {
	case e.says("insufficient_quota", "exceeded your current quota"):
		return ClassAuth
	case e.says("request too large"):
		return ClassContextOverflow
	}
	return ClassRateLimit
}

// overflows looks for the words of the servers that people use. Tests hold their texts.
func (e *HTTPError) overflows() bool {
	return e.says(
		"context_length_exceeded", "maximum context length", "context length", "context window", "exceed context limit",
		"exceed_context_size", "exceeds the available context", "prompt is too long", "token count exceeds",
		"exceeds the maximum number of tokens", "max_model_len", "maximum model length", "too long to fit into the model",
		"maximum prompt length", "inputs` tokens", "inputs tokens + max_new_tokens",
	)
}

// refusesImages looks for the words of the servers that people use. An overloaded proxy never says this, so it counts with
// every status but 429: llama.cpp and Ollama report it as a fault of their own, OpenRouter as a model that is not found.
func (e *HTTPError) refusesImages() bool {
	return e.Status >= 400 && e.Status != http.StatusTooManyRequests && e.says(
		"image input is not supported", "images are not supported", "image inputs are not supported", "not support image",
		"n't support image", "support image input", "image_url is only supported", "is not a multimodal model",
		"not support multimodal", "not a vision model", "not support vision", "at most 0 image", "unknown variant `image_url`",
		"missing data required for image input", "image content is not supported", "image input not supported",
	)
}

func (e *HTTPError) says(words ...string) bool {
	body := strings.ToLower(e.Body)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(body, w) })
}
