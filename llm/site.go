package llm

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"airqa/internal/httpclient"
	"airqa/qa"
)

// site describes an endpoint, for errors.
type site struct {
	// where is the host and path of the requests.
	where string
	// method is that of HTTP, empty for POST.
	method string
	key    string
	now    func() time.Time
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
	return &Fault{Class: class, Endpoint: s.where, Detail: excerpt(s.redact(detail)), method: s.method}
}

func (s site) httpError(status int, header http.Header, body []byte) *HTTPError {
	kept := s.keep(body)
	return &HTTPError{
		Status: status, RetryAfter: max(httpclient.RetryAfter(header, s.now()), retryDelay(kept)), Body: kept, Endpoint: s.where,
		Location: s.redact(bareAddress(header.Get("Location"))), method: s.method,
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
