package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"

	"airqa/internal/httpclient"
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
}

// Error names the request, the status and the endpoint's own message.
func (e *HTTPError) Error() string {
	return fmt.Sprintf("POST %s: HTTP %d: %s", e.Endpoint, e.Status, excerpt(e.message()))
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
}

func (e *Fault) Error() string {
	if e.Endpoint == "" {
		return e.Detail
	}
	return fmt.Sprintf("POST %s: %s", e.Endpoint, e.Detail)
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

// site describes an endpoint, for errors.
type site struct {
	// where is the host and path of the requests.
	where string
	key   string
	now   func() time.Time
}

// where returns the host and path of an address.
func where(address *url.URL) string {
	path := address.EscapedPath()
	if path != "" && path[0] != '/' { // of a base URL without a path
		path = "/" + path
	}
	return address.Host + path
}

func (s site) fault(class qa.FailureClass, detail string) *Fault {
	return &Fault{Class: class, Endpoint: s.where, Detail: excerpt(s.redact(detail))}
}

func (s site) httpError(status int, header http.Header, body []byte) *HTTPError {
	kept := s.keep(body)
	return &HTTPError{
		Status: status, RetryAfter: max(httpclient.RetryAfter(header, s.now()), retryDelay(kept)), Body: kept, Endpoint: s.where,
		Location: s.redact(bareAddress(header.Get("Location"))),
	}
}

// bareAddress is an address without its query and credentials.
func bareAddress(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// keep returns the part of a body to keep in an error. It redacts before it truncates, so that no partial key remains,
// and uses the decoded message if JSON escapes hid a key.
func (s site) keep(body []byte) string {
	text := s.redact(string(body))
	if message, _ := errorObject([]byte(text)); s.redact(message) != message {
		text = s.redact(message)
	}
	return strings.ToValidUTF8(text[:min(len(text), maxErrorBody)], "?")
}

func (s site) redact(text string) string { return httpclient.Redact(text, s.key) }
