package sources

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

// OfflineError means that a host is unreachable: no network, no such host, connection refused.
type OfflineError struct {
	Host string
	Err  error
}

// Error names the host and a workaround.
func (e *OfflineError) Error() string {
	return fmt.Sprintf("cannot reach %s: %v; airqa needs the network only for this; download the file yourself and pass its path",
		e.Host, e.Err)
}

// Unwrap returns the system's error.
func (e *OfflineError) Unwrap() error { return e.Err }

// errStalled is the error of a request that receives no more data.
var errStalled = errors.New("the server stopped sending data")

// refusal is a redirect that is not followed.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

// failure classifies the error of a request to host.
func failure(ctx context.Context, host string, err error) error {
	if errors.Is(context.Cause(ctx), errStalled) {
		return &httpclient.Transient{Err: fmt.Errorf("fetch from %s: %w", host, errStalled)}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		if u, parseErr := url.Parse(outer.URL); parseErr == nil && u.Host != "" {
			host = u.Host // the target of a redirect
		}
		err = outer.Err
	}
	if no, ok := errors.AsType[*refusal](err); ok {
		return fmt.Errorf("fetch from %s: %w", host, no)
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Errorf("fetch from %s: %w", host, err)
	}
	_, noName := errors.AsType[*net.DNSError](err)
	op, ok := errors.AsType[*net.OpError](err)
	if noName || ok && (op.Op == "dial" || op.Op == "proxyconnect") {
		return &OfflineError{Host: host, Err: err}
	}
	return &httpclient.Transient{Err: fmt.Errorf("fetch from %s: %w", host, err)}
}

// postponed is the answer of a host that wants no requests for a long time.
type postponed struct{ error }

// exhausted is the error of a download after all tries.
type exhausted struct{ error }

// Unwrap returns the error with its causes.
func (e *exhausted) Unwrap() error { return e.error }

// statusError explains a response without a file.
func statusError(resp *http.Response, now time.Time) error {
	const maxWait = 5 * time.Minute // beyond that, the user is asked to retry later
	err := fmt.Errorf("%s answered %s", resp.Request.URL.Host, resp.Status)
	if !httpclient.Busy(resp.StatusCode) {
		return err
	}
	after := httpclient.RetryAfter(resp.Header, now)
	if after > maxWait {
		return &postponed{fmt.Errorf("%w and asks to wait %s; run the same command again then", err, after.Round(time.Second))}
	}
	return &httpclient.Transient{Err: err, After: after}
}
