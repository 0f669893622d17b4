package sources

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"time"

	"airqa/internal/httpclient"
)

const (
	dialTimeout   = 20 * time.Second
	headerTimeout = 60 * time.Second
)

// host is a server. Its papers are fetched one after the other.
type host struct {
	*session
	name     string
	answered bool  // it has sent a paper
	failed   int   // papers in a row that failed after all tries
	down     error // it gets no more requests

	turn  sync.Mutex // redirects of other hosts' papers wait for their turn, too
	asked time.Time  // of the last request
}

func (s *session) host(name string) *host {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts[name]
	if h == nil {
		h = &host{session: s, name: name}
		s.hosts[name] = h
	}
	return h
}

// wait waits until the minimum delay since the last request to the host has passed.
func (h *host) wait(ctx context.Context) error {
	const arxivDelay = 3 * time.Second // that arXiv grants to programs between two requests
	h.turn.Lock()
	defer h.turn.Unlock()
	delay := h.Delay
	if delay > 0 && isArxiv(h.name) {
		delay = max(delay, arxivDelay)
	}
	if rest := delay - h.Now().Sub(h.asked); rest > 0 {
		if err := h.Sleep(ctx, rest); err != nil {
			return err
		}
	}
	h.asked = h.Now()
	return ctx.Err()
}

func transport(control func(network, address string, c syscall.RawConn) error) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, Control: control}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: dialTimeout,
		ResponseHeaderTimeout: headerTimeout, ForceAttemptHTTP2: true,
	}
}

type roundTrip func(req *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// client returns the client for a request. Each request, redirects included, waits for its host's turn, and the watch stops
// meanwhile. A paper's URL may be in the local network, because a person entered it, but a redirect from elsewhere must not
// lead there.
func (s *session) client(req *http.Request, watch *time.Timer) *http.Client {
	const maxRedirects = 10
	local := isLocal(req.Context(), req.URL.Hostname())
	client := &http.Client{Transport: s.guarded}
	if s.Client != nil {
		*client = *s.Client
	} else if proxy, err := http.ProxyFromEnvironment(req); local || err == nil && proxy != nil { // a proxy often has a local address
		client.Transport = s.open
	}
	send := cmp.Or(client.Transport, http.DefaultTransport)
	client.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
		watch.Stop()
		err := s.host(req.URL.Host).wait(req.Context())
		watch.Reset(headerTimeout + s.Stall)
		if err != nil {
			return nil, err
		}
		return send.RoundTrip(req)
	})
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		switch {
		case len(via) > maxRedirects:
			return refusal(fmt.Sprintf("more than %d redirects: probably a redirect loop", maxRedirects))
		case req.URL.Scheme != "http" && req.URL.Scheme != "https":
			return refusal(fmt.Sprintf("redirected to %s, which is not an http or https URL", req.URL.Redacted()))
		case !local && isLocal(req.Context(), req.URL.Hostname()):
			return refusal(fmt.Sprintf("redirected to %s, an address in the local network", req.URL.Host))
		}
		return nil
	}
	return client
}

// isLocal reports whether a host is or resolves to an address of this machine or its network. An unknown name is not
// local: the request will report the error.
func isLocal(ctx context.Context, host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return localAddr(addr)
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	return err == nil && slices.ContainsFunc(addrs, localAddr)
}

// refuseLocal refuses local addresses when a connection is made, regardless of the earlier name lookup.
func refuseLocal(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || localAddr(to.Addr()) {
		return refusal(fmt.Sprintf("%s is an address of the local network", address))
	}
	return nil
}

func localAddr(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return true
	}
	special := []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "64:ff9b::/96"}
	return slices.ContainsFunc(special, func(text string) bool { return netip.MustParsePrefix(text).Contains(a) })
}

// refusal is the reason why a redirect or a connection is not made.
type refusal string

func (r refusal) Error() string { return string(r) }

// unavailableError means that further requests to a host are pointless.
type unavailableError struct{ error }

func (e *unavailableError) Unwrap() error { return e.error }

// failure classifies the error of a request to the host or to the target of a redirect.
func (h *host) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx) // the request stalled, or the caller stopped it
	}
	name := h.name
	if outer, ok := errors.AsType[*url.Error](err); ok {
		if u, parseErr := url.Parse(outer.URL); parseErr == nil && u.Host != "" {
			name = u.Host
		}
		err = outer.Err
	}
	no, refused := errors.AsType[refusal](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, unknown := errors.AsType[*net.DNSError](err)
	op, ok := errors.AsType[*net.OpError](err)
	offline := unknown || ok && slices.Contains([]string{"dial", "proxyconnect"}, op.Op)
	switch {
	case refused:
		return fmt.Errorf("fetch from %s: %w", name, no)
	case untrusted:
		return fmt.Errorf("fetch from %s: %w", name, err)
	case offline:
		const advice = "airqa needs the network only for this; download the file yourself and pass its path"
		err = &unavailableError{fmt.Errorf("cannot reach %s: %w; %s", name, err, advice)}
		if !h.answered {
			return err
		}
		return &httpclient.Transient{Err: err} // the host may be back soon
	}
	return &httpclient.Transient{Err: fmt.Errorf("fetch from %s: %w", name, err)}
}

// statusError explains a response without a file.
func statusError(resp *http.Response, now time.Time) error {
	const maxWait = 5 * time.Minute // beyond that, the user is asked to retry later
	err := fmt.Errorf("%s answered %s", resp.Request.URL.Host, resp.Status)
	if !httpclient.Busy(resp.StatusCode) {
		return err
	}
	after := httpclient.RetryAfter(resp.Header, now)
	if after > maxWait {
		return &unavailableError{fmt.Errorf("%w and asks to wait %s; run the same command again then", err, after.Round(time.Second))}
	}
	return &httpclient.Transient{Err: err, After: after}
}
