package llm

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"airqa/internal/httpclient"
	"airqa/internal/lazyregexp"
	"airqa/internal/terminal"
	"airqa/qa"
)

// HTTPError is a response with an error status, or an error in a successful response.
type HTTPError struct {
	Status int
	// RetryAfter is the pause that the endpoint requested, or 0.
	RetryAfter time.Duration
	// Message is the endpoint's own, redacted and without what it repeats of the request; may be empty.
	Message string
	// Endpoint is the host and the path.
	Endpoint string
	// Location is the target of a redirect, without query and credentials.
	Location string
	// codes are the parts of the error for programs, redacted; images is true if the request had images.
	codes  []string
	images bool
}

// Error names the request, the status and the endpoint's own message.
func (e *HTTPError) Error() string {
	message := cmp.Or(e.Message, http.StatusText(e.Status))
	if e.Status >= 300 && e.Status < 400 {
		message = "redirects are not followed; it points to " + cmp.Or(e.Location, "nowhere")
	}
	return fmt.Sprintf("POST %s: HTTP %d: %s", e.Endpoint, e.Status, excerpt(message))
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

// httpError is the error that a response to r contains.
func (s site) httpError(resp *http.Response, status int, own refusal, r request) *HTTPError {
	for i, code := range own.codes {
		own.codes[i] = s.redact(code)
	}
	message := withoutEcho(s.redact(own.message), string(r.body))
	return &HTTPError{
		Status: status, Message: message, Endpoint: s.where, codes: own.codes, images: r.images,
		RetryAfter: max(httpclient.RetryAfter(resp.Header, s.now()), own.delay, delayIn(message)),
		Location:   s.redact(bareAddress(resp.Header.Get("Location"))),
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
	words, request := bareWords(fields), bareWords(strings.Fields(escapes.Replace(sent)))
	if len(words) < echoWords {
		return message
	}
	run := func(words []string, at int) string { return strings.Join(words[at:at+echoWords], " ") }
	sentRuns := map[string]bool{}
	for i := range len(request) - echoWords + 1 {
		sentRuns[run(request, i)] = true
	}
	own, repeated := fields[:0:0], 0 // repeated is the end of the run
	for i := range words {
		if i+echoWords <= len(words) && sentRuns[run(words, i)] {
			repeated = i + echoWords
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

func (s site) redact(text string) string { return httpclient.Redact(text, s.key) }
