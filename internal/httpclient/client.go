// Package httpclient has the common parts of clients for remote services: clients without redirects ([New]), retries
// with back-off ([Retry], [Backoff]), Retry-After in all its forms ([RetryAfter]), an adaptive limit on requests in
// flight ([Limiter]), bounded bodies ([ReadAll]) and redaction of keys ([Redact]). It knows no protocol and no
// provider.
package httpclient

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// New makes a client for one host that follows no redirects. timeout limits a request; 0 is no limit. It keeps idle
// connections for the maximum number of requests in flight, because with the default of two every burst would dial
// again. It uses HTTP/1.1: with HTTP/2, all requests would share one connection and fail together when it breaks.
func New(connections int, timeout time.Duration) *http.Client {
	c := NoRedirects(http.Client{Timeout: timeout})
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return c
	}
	own := standard.Clone()
	own.MaxIdleConns, own.MaxIdleConnsPerHost = 0, connections
	own.ForceAttemptHTTP2 = false
	own.Protocols = new(http.Protocols)
	own.Protocols.SetHTTP1(true)
	if own.TLSClientConfig != nil {
		own.TLSClientConfig.NextProtos = []string{"http/1.1"}
	}
	c.Transport = own
	return c
}

// NoRedirects returns a client that follows no redirects, which could send texts and keys to another host.
func NoRedirects(c http.Client) *http.Client {
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// ErrTooLarge is wrapped by the error for a body beyond its limit.
var ErrTooLarge = errors.New("the reply is larger")

// ReadAll reads a body of at most limit bytes. With an error it also returns the data read so far.
func ReadAll(body io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err == nil && int64(len(data)) > limit {
		return data[:limit], fmt.Errorf("%w than %d MiB", ErrTooLarge, limit>>20)
	}
	return data, err
}

// Redact removes a key, the values of headers and the words in them ("Bearer KEY") from a server's text: some servers repeat
// a key they reject. Those of fewer than eight characters are placeholders for local servers, and would match parts of
// ordinary words.
func Redact(text, key string, headers http.Header) string {
	for _, secret := range append(Secrets(headers), key) {
		if len(secret) >= 8 {
			text = strings.ReplaceAll(text, secret, "[key]")
		}
	}
	return text
}

// Secrets returns the values of headers, and the words in them.
func Secrets(headers http.Header) []string {
	var all []string
	for _, values := range headers {
		for _, value := range values {
			all = append(append(all, value), strings.Fields(value)...)
		}
	}
	return all
}

// Bare is an error of net/http without the method and address, which may contain a secret.
func Bare(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		return outer.Err
	}
	return err
}
