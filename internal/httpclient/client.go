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

// New makes a client for one host that follows no redirect. A request may take as long as timeout, 0 for no limit. It keeps
// idle connections for as many requests as may be in flight: with the default of two, every burst would dial anew. It speaks
// HTTP/1.1: with HTTP/2 all requests share one connection, and when that breaks all of them fail at once and are paid for again.
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

// NoRedirects returns a client that follows no redirect: it could carry texts and keys to another host.
func NoRedirects(c http.Client) *http.Client {
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// ErrTooLarge is wrapped by the error of a body beyond its limit.
var ErrTooLarge = errors.New("the reply is larger")

// ReadAll reads a body of at most limit bytes. What was read comes back with an error, too.
func ReadAll(body io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err == nil && int64(len(data)) > limit {
		return data[:limit], fmt.Errorf("%w than %d MiB", ErrTooLarge, limit>>20)
	}
	return data, err
}

// Redact takes a key out of a text that a server wrote: some repeat it when they refuse it. Keys of fewer than eight
// characters are stand-ins for local servers, and would take parts of ordinary words with them.
func Redact(text, key string) string {
	if len(key) < 8 {
		return text
	}
	return strings.ReplaceAll(text, key, "[key]")
}

// Bare is an error of net/http without the method and the address, which may hold a secret.
func Bare(err error) error {
	var outer *url.Error
	if errors.As(err, &outer) {
		return outer.Err
	}
	return err
}
