package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"time"

	"airqa/qa"
)

// HTTPError is an answer that is not a success.
type HTTPError struct {
	Status int
	// RetryAfter is the pause that the endpoint asked for; 0 when it asked for none.
	RetryAfter time.Duration
	// Body is the start of the answer's body, the key taken out.
	Body string
	// Endpoint is the host and the path.
	Endpoint string
	// Location is where a redirect points to, without query and credentials.
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
	pageStart = regexp.MustCompile(`(?i)^\s*<(!doctype html|html|head|body|title|h1)\b`)
	pageTitle = regexp.MustCompile(`(?is)<(title|h1)[^>]*>(.*?)</(title|h1)>`)
	pageTag   = regexp.MustCompile(`<[^>]*>`)
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
	// Endpoint is the host and the path; empty when there is no endpoint.
	Endpoint string
	// Detail says what happened, the key taken out.
	Detail string
	hint   string
}

// Error names the endpoint and what happened.
func (e *Fault) Error() string {
	if e.Endpoint == "" {
		return e.Detail
	}
	return fmt.Sprintf("POST %s: %s", e.Endpoint, e.Detail)
}

// errorObject reads the forms in which endpoints say what is wrong: {"error": {"message", "code", "type"}},
// {"error": "text"} (Ollama), {"message", "code"} (vLLM), {"detail": "text"} (FastAPI), and one of these alone in a list
// (Google).
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

// firstOf returns the first value that is there, a string without its quotes and anything else as it is written.
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

// excerpt makes one short line of a text.
func excerpt(text string) string {
	const limit = 300
	line := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " "))
	if len(line) > limit {
		return string(line[:limit]) + " …"
	}
	return string(line)
}
