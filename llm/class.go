package llm

import (
	"context"
	"crypto/tls"
	"crypto/x509"
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

// hintOn returns a hint on fixing a failed call, for a run and airqa doctor; empty if the error is sufficient.
func hintOn(err error) string {
	var status *HTTPError
	if errors.As(err, &status) {
		if hint := status.hint(); hint != "" {
			return hint
		}
	}
	var fault *Fault
	if errors.As(err, &fault) && fault.hint != "" {
		return fault.hint
	}
	return classHints[Classify(err)]
}

var classHints = map[qa.FailureClass]string{
	qa.FailAuth:            "the key was rejected: check the provider's variable, and that the key is for this endpoint",
	qa.FailRateLimit:       "the endpoint is busy or a quota is used up: wait, or lower --max-connections",
	qa.FailServer:          "the fault is at the endpoint: see its log",
	qa.FailNetwork:         "the connection broke: check that the server stays up, and any proxy or tunnel on the way",
	qa.FailUnreachable:     "nothing is listening: check that the server runs, and the base URL",
	qa.FailTimeout:         "the endpoint is slow or stuck: is the model still loading? --timeout allows more time",
	qa.FailImages:          "the model or its server accepts no images, which only agentic-hybrid-view needs",
	qa.FailContextOverflow: "the conversation and the reply limit exceed the model's context window",
}

// hint is more specific than the class if status and text allow it.
func (e *HTTPError) hint() string {
	switch {
	case e.Status >= 300 && e.Status < 400:
		return "if that address is right, use it as the base URL"
	case strings.Count(e.Endpoint, "/chat/completions") > 1, strings.Count(e.Endpoint, "/messages") > 1:
		return "the base URL must not include /chat/completions or /messages"
	case e.says("to an https server", "sent to https port"):
		return "the server speaks https: write https:// in the base URL"
	case e.class() == qa.FailImages:
		return ""
	case e.Status == http.StatusNotFound, e.Status == http.StatusMethodNotAllowed:
		return "check the model's name and the base URL, which usually ends in /v1; GET /models there lists the names"
	case e.Status == http.StatusPaymentRequired,
		e.says("insufficient_quota", "exceeded your current quota", "credit balance", "insufficient credit", "insufficient balance"):
		return "the account has no credit or quota left; the key itself was accepted"
	case e.says("max_tokens", "max_completion_tokens") && e.says("too large", "exceed", "maximum context length", "context limit"):
		return "lower --max-tokens: the reply limit counts against the context window"
	}
	return ""
}

// tlsFault explains a TLS error; ok is false for any other error. All of them are permanent.
func tlsFault(err error) (hint string, ok bool) {
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &authority):
		return "the certificate authority is unknown: set SSL_CERT_FILE to a PEM file with its certificate", true
	case errors.As(err, &host):
		return "the certificate is for another host name: check the base URL", true
	case errors.As(err, &invalid):
		return "the certificate is not valid: check its expiry date and this machine's clock", true
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "the server does not speak https there: write http:// in the base URL", true
	}
	return "", false
}
