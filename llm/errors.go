package llm

import (
	"cmp"
	"fmt"
	"html"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

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

// webPage reduces HTML to its title; it is empty for anything else.
func webPage(body string) string {
	if !pageStart.MatchString(body) {
		return ""
	}
	found := pageTitle.FindStringSubmatch(body)
	if found == nil {
		return "a web page"
	}
	return fmt.Sprintf("a web page, %q", excerpt(html.UnescapeString(pageTag.ReplaceAllString(found[2], " "))))
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

func excerpt(text string) string {
	return terminal.Truncate(strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " "), 300, " …")
}

// site describes an endpoint, for errors.
type site struct {
	// where is the host and path of the requests.
	where string
	// key and headers are removed from what the endpoint says.
	key     string
	headers http.Header
	now     func() time.Time
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
	location := &url.URL{} // without its query and credentials
	if u, err := url.Parse(resp.Header.Get("Location")); err == nil {
		location = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	}
	delay := own.delay
	if found := requestedDelay.FindStringSubmatch(message); found != nil {
		delay = max(delay, duration(found[1]))
	}
	return &HTTPError{
		Status: status, Message: message, Endpoint: s.where, codes: own.codes, images: r.images,
		RetryAfter: max(httpclient.RetryAfter(resp.Header, s.now()), delay),
		Location:   s.redact(location.String()),
	}
}

// echoWords is the number of consecutive words that a message has in common with a request only if it repeats it.
const echoWords = 6

// escapes replaces the escapes of JSON and of Python's repr.
var escapes = strings.NewReplacer(
	`\n`, " ", `\t`, " ", `\r`, " ", `\"`, `"`, `\'`, "'", `\\`, `\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&",
)

// word matches a word without its punctuation.
var word = lazyregexp.New(`[\pL\pN]+`)

// withoutEcho removes the runs of words that a message repeats of a request, which may be a conversation about limits.
func withoutEcho(message, sent string) string {
	message = escapes.Replace(message)
	var words []string
	places := word.FindAllStringIndex(message, -1)
	for _, at := range places {
		words = append(words, message[at[0]:at[1]])
	}
	repeated := map[string]bool{}
	for run := range runs(words) {
		repeated[run] = false
	}
	for run := range runs(word.FindAllString(escapes.Replace(sent), -1)) {
		if _, ok := repeated[run]; ok {
			repeated[run] = true
		}
	}
	var own strings.Builder
	end, i := 0, 0 // end is where the last run ends
	for run := range runs(words) {
		if from, to := places[i][0], places[i+echoWords-1][1]; repeated[run] {
			if from > end {
				own.WriteString(message[end:from] + "…")
			}
			end = to
		}
		i++
	}
	return own.String() + message[end:]
}

// runs yields every run of echoWords words.
func runs(words []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := echoWords; i <= len(words) && yield(strings.Join(words[i-echoWords:i], " ")); i++ {
		}
	}
}

func (s site) redact(text string) string { return httpclient.Redact(text, s.key, s.headers) }
