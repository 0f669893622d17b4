package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"airqa/internal/httpclient"
)

// OfflineError says that a host could not be reached at all: no network, no such host, nobody listening.
type OfflineError struct {
	Host string
	Err  error
}

// Error names the host and the way out.
func (e *OfflineError) Error() string {
	return fmt.Sprintf("cannot reach %s: %v; airqa needs the network only for this; download the file yourself and give its path",
		e.Host, e.Err)
}

// Unwrap returns what the system said.
func (e *OfflineError) Unwrap() error { return e.Err }

// errStalled ends a request that nothing comes from any more.
var errStalled = errors.New("the server fell silent")

// refusal is a redirect that is not followed.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

// failure sorts the error of a request to host.
func failure(ctx context.Context, host string, err error) error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return &httpclient.Transient{Err: fmt.Errorf("fetch from %s: %w", host, errStalled)}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		if u, parseErr := url.Parse(outer.URL); parseErr == nil && u.Host != "" {
			host = u.Host // that of a redirect
		}
		err = outer.Err
	}
	var no *refusal
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &no):
		return fmt.Errorf("fetch from %s: %w", host, no)
	case errors.As(err, &certificate):
		return fmt.Errorf("fetch from %s: %w", host, err)
	case unreachable(err):
		return &OfflineError{Host: host, Err: err}
	}
	return &httpclient.Transient{Err: fmt.Errorf("fetch from %s: %w", host, err)}
}

// unreachable tells an address that no connection can be made to from one whose connection broke.
func unreachable(err error) bool {
	var name *net.DNSError
	var op *net.OpError
	return errors.As(err, &name) || errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
}

// longWait is the longest pause that a server may ask for; for a longer one the person is asked to come back.
const longWait = 5 * time.Minute

// statusError says what an answer means that carries no file.
func statusError(resp *http.Response, now time.Time) error {
	err := fmt.Errorf("%s answered %s", resp.Request.URL.Host, resp.Status)
	if !httpclient.Busy(resp.StatusCode) {
		return err
	}
	after := httpclient.RetryAfter(resp.Header, now)
	if after > longWait {
		return fmt.Errorf("%w and asks to wait %s; run the same command then", err, after.Round(time.Second))
	}
	return &httpclient.Transient{Err: err, After: after}
}
