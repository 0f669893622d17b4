package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

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
	own      refusal
}

// Error names the request, the status and the endpoint's own message.
func (e *HTTPError) Error() string {
	return fmt.Sprintf("POST %s: HTTP %d: %s", e.Endpoint, e.Status, excerpt(e.message()))
}

func (e *HTTPError) message() string {
	if e.Status >= 300 && e.Status < 400 {
		return strings.TrimSpace("redirects are not followed; it points to " + cmp.Or(e.Location, "nowhere"))
	}
	if page, ok := webPage(e.Body); ok {
		return page
	}
	return cmp.Or(strings.TrimSpace(e.refusal().message), http.StatusText(e.Status))
}

// refusal is the error without what it repeats of the request; of a body in no known format, all of it.
func (e *HTTPError) refusal() refusal {
	own := e.own
	if own.message == "" {
		own = readRefusal([]byte(e.Body))
	}
	return refusal{cmp.Or(own.message, e.Body), own.codes}
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

// refusal is what an endpoint says about a failed request.
type refusal struct {
	message string
	// codes are the parts for programs: codes, types, the parameter and the names of exceeded quotas.
	codes []string
}

// readRefusal reads the error formats of endpoints: {"error": {"message", "code", "type"}}, {"error": "text"} (Ollama),
// {"message", "code"} (vLLM), {"detail": "text"} or {"detail": [{"msg"}]} (FastAPI), and one of these as the only element
// of a list (Google). OpenRouter has the error of its backend as a text in the metadata.
func readRefusal(body []byte) refusal {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) == 1 {
		body = list[0]
	}
	var outer struct {
		Error                            json.RawMessage
		Message, Detail, Msg, Code, Type json.RawMessage
	}
	if decode(body, &outer) != nil {
		return refusal{}
	}
	var inner struct {
		Message, Code, Type, Status, Param json.RawMessage
		Metadata                           struct{ Raw string }
		Details                            []struct{ Violations []struct{ QuotaID string } }
	}
	if decode(outer.Error, &inner) != nil {
		inner.Message = outer.Error
	}
	own := refusal{
		firstOf(outer.Message, inner.Message, detailText(outer.Detail), outer.Msg),
		texts(inner.Code, inner.Type, inner.Status, inner.Param, outer.Code, outer.Type),
	}
	if cause := readRefusal([]byte(inner.Metadata.Raw)); cause.message != "" {
		own.message += ": " + cause.message
		own.codes = append(own.codes, cause.codes...)
	}
	for _, d := range inner.Details {
		for _, v := range d.Violations {
			own.codes = append(own.codes, v.QuotaID)
		}
	}
	return own
}

// detailText is FastAPI's detail without the rejected input, which repeats the conversation.
func detailText(detail json.RawMessage) json.RawMessage {
	var faults []struct{ Msg string }
	if json.Unmarshal(detail, &faults) != nil {
		return detail
	}
	var all []string
	for _, f := range faults {
		all = append(all, f.Msg)
	}
	return json.RawMessage(strings.Join(all, "; ")) // a text that is no JSON stays as it is
}

// status is the HTTP status among the codes; 0 if there is none.
func (r refusal) status() int {
	for _, code := range r.codes {
		if status, err := strconv.Atoi(code); err == nil && status >= 400 && status <= 599 {
			return status
		}
	}
	return 0
}

// texts returns the values present.
func texts(values ...json.RawMessage) []string {
	var all []string
	for _, value := range values {
		if text := firstOf(value); text != "" {
			all = append(all, text)
		}
	}
	return all
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

// httpError is the error in a response to a request with the body sent.
func (s site) httpError(status int, header http.Header, body, sent []byte) *HTTPError {
	text := s.redact(string(body))
	own := readRefusal([]byte(text))
	own.message = withoutEcho(s.redact(cmp.Or(own.message, text)), string(sent))
	for i := range own.codes {
		own.codes[i] = s.redact(own.codes[i])
	}
	return &HTTPError{
		Status: status, RetryAfter: max(httpclient.RetryAfter(header, s.now()), retryDelay(text)), Body: s.keep(body), Endpoint: s.where,
		Location: s.redact(bareAddress(header.Get("Location"))), own: own,
	}
}

// echoWords is the number of consecutive words that a message has in common with a request only if it repeats it.
const echoWords = 6

// escapes are those of JSON and of Python's repr.
var escapes = strings.NewReplacer(
	`\n`, " ", `\t`, " ", `\r`, " ", `\"`, `"`, `\'`, "'", `\\`, `\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&",
)

// withoutEcho removes the runs of words that a message repeats of a request, which may be a conversation about limits.
func withoutEcho(message, sent string) string {
	fields := strings.Fields(escapes.Replace(message))
	request := " " + strings.Join(bareWords(strings.Fields(escapes.Replace(sent))), " ") + " "
	words := bareWords(fields)
	own, repeated := fields[:0:0], 0 // repeated is the end of the run
	for i := range words {
		if end := i + echoWords; end <= len(words) && strings.Contains(request, " "+strings.Join(words[i:end], " ")+" ") {
			repeated = end
		}
		switch {
		case i >= repeated:
			own = append(own, fields[i])
		case len(own) == 0 || own[len(own)-1] != "…":
			own = append(own, "…")
		}
	}
	return strings.Join(own, " ")
}

// bareWords are words without punctuation.
func bareWords(fields []string) []string {
	words := make([]string, len(fields))
	for i, field := range fields {
		words[i] = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, field)
	}
	return words
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
	if message := readRefusal([]byte(text)).message; s.redact(message) != message {
		text = s.redact(message)
	}
	return strings.ToValidUTF8(text[:min(len(text), maxErrorBody)], "?")
}

func (s site) redact(text string) string { return httpclient.Redact(text, s.key) }
