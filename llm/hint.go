package llm

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"

	"airqa/qa"
)

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
		return "the base URL ends in front of /chat/completions or /messages"
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
