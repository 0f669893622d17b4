package llm

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"

	"airqa/qa"
)

// Queue is passed to [Config.OnWait] for a call that waits for others. It is not a failure.
const Queue qa.FailureClass = "queue"

// Classify returns the class of a request's failure; empty for nil.
func Classify(err error) qa.FailureClass {
	var status *HTTPError
	var fault *Fault
	var network net.Error
	var call *qa.CallError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &call):
		return call.Class
	case errors.As(err, &status):
		return status.class()
	case errors.As(err, &fault):
		return fault.Class
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return qa.FailCancelled
	case errors.As(err, &network) && network.Timeout():
		return qa.FailTimeout
	case errors.As(err, &network):
		return qa.FailNetwork
	}
	return qa.FailUnknown
}

func (e *HTTPError) class() qa.FailureClass {
	if e.refusesImages() {
		return qa.FailImages
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden:
		return qa.FailAuth
	case http.StatusTooManyRequests:
		return e.rateClass()
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return qa.FailTimeout
	case http.StatusRequestEntityTooLarge:
		return qa.FailContextOverflow
	case http.StatusInternalServerError:
		// Proxies and Ollama report an overflow as a server error.
		if e.overflows() {
			return qa.FailContextOverflow
		}
	}
	switch {
	case e.Status >= http.StatusInternalServerError:
		return qa.FailServer
	case e.overflows():
		return qa.FailContextOverflow
	case e.says("credit balance is too low", "api_key_invalid", "api key not valid"):
		// Anthropic and Google report these as bad requests.
		return qa.FailAuth
	}
	return qa.FailBadRequest
}

// rateClass separates a temporary limit from permanent failures that OpenAI reports with the same status: an empty
// account, and a request of more tokens than a whole minute allows.
func (e *HTTPError) rateClass() qa.FailureClass {
	switch {
	case e.says("insufficient_quota", "exceeded your current quota"):
		return qa.FailAuth
	case e.says("request too large"):
		return qa.FailContextOverflow
	}
	return qa.FailRateLimit
}

// overflows matches the messages of common servers. Tests list them.
func (e *HTTPError) overflows() bool {
	return e.says(
		"context_length_exceeded", "maximum context length", "context length", "context window", "exceed context limit",
		"exceed_context_size", "exceeds the available context", "prompt is too long", "token count exceeds",
		"exceeds the maximum number of tokens", "max_model_len", "maximum model length", "too long to fit into the model",
		"maximum prompt length", "inputs` tokens", "inputs tokens + max_new_tokens",
	)
}

// refusesImages matches the messages of common servers. They count with every status but 429: llama.cpp and Ollama
// report them as a server error, OpenRouter as a model that is not found.
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
