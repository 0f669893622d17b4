package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
	"time"

	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
	"airqa/qa"
)

// HTTPError is a response with an error status.
type HTTPError struct {
	Status int
	// RetryAfter is the pause that the endpoint requested, or 0.
	RetryAfter time.Duration
	// Body is the start of the response body, redacted.
	Body string
	// Endpoint is the host and the path.
	Endpoint string
	// Location is the target of a redirect, without query and credentials.
	Location string
	method   string // empty for POST
}

// Error names the request, the status and the endpoint's own message.
func (e *HTTPError) Error() string {
	return fmt.Sprintf("%s %s: HTTP %d: %s", cmp.Or(e.method, http.MethodPost), e.Endpoint, e.Status, excerpt(e.message()))
}

func (e *HTTPError) message() string {
	if e.Status >= 300 && e.Status < 400 {
		return strings.TrimSpace("redirects are not followed; it points to " + cmp.Or(e.Location, "nowhere"))
	}
	if message, _ := errorObject([]byte(e.Body)); message != "" {
		return message
	}
	if page, ok := webPage(e.Body); ok {
		return page
	}
	return cmp.Or(strings.TrimSpace(e.Body), http.StatusText(e.Status))
}

var (
	pageStart = lazyregexp.New(`(?i)^\s*<(!doctype html|html|head|body|title|h1)\b`)
	pageTitle = lazyregexp.New(`(?is)<(title|h1)[^>]*>(.*?)</(title|h1)>`)
	pageTag   = lazyregexp.New(`<[^>]*>`)
)

// webPage reduces HTML to its title.
func webPage(body string) (string, bool) {
	if !pageStart.MatchString(body) {
		return "", false
	}
	found := pageTitle.FindStringSubmatch(body)
	if found == nil {
		return "a web page", true
	}
	return fmt.Sprintf("a web page, %q", excerpt(html.UnescapeString(pageTag.ReplaceAllString(found[2], " ")))), true
}

// Fault is a request that failed without an HTTP error.
type Fault struct {
	// Class is qa.FailNetwork, qa.FailUnreachable, qa.FailTimeout, qa.FailTLS, qa.FailGarbage or qa.FailBadRequest.
	Class qa.FailureClass
	// Endpoint is the host and the path; empty if there is no endpoint.
	Endpoint string
	// Detail describes the failure, redacted.
	Detail string
	hint   string
	method string // empty for POST
}

func (e *Fault) Error() string {
	if e.Endpoint == "" {
		return e.Detail
	}
	return fmt.Sprintf("%s %s: %s", cmp.Or(e.method, http.MethodPost), e.Endpoint, e.Detail)
}

// errorObject reads the error formats of endpoints: {"error": {"message", "code", "type"}}, {"error": "text"} (Ollama),
// {"message", "code"} (vLLM), {"detail": "text"} (FastAPI), and one of these as the only element of a list (Google).
func errorObject(body []byte) (message, code string) {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) == 1 {
		body = list[0]
	}
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Code    json.RawMessage `json:"code"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return "", ""
	}
	var inner struct{ Message, Code, Type json.RawMessage }
	if json.Unmarshal(outer.Error, &inner) != nil {
		return firstOf(outer.Error, outer.Message, outer.Detail), firstOf(outer.Code)
	}
	return firstOf(inner.Message), firstOf(inner.Code, inner.Type)
}

// firstOf returns the first value present, a string without its quotes and anything else as written.
func firstOf(values ...json.RawMessage) string {
	for _, value := range values {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// excerpt shortens a text to one line.
func excerpt(text string) string {
	return terminal.Truncate(strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " "), 300, " …")
}
