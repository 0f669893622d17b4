package sources

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"syscall"
	"time"
)

const (
	maxRedirects  = 10
	dialTimeout   = 20 * time.Second
	headerTimeout = 60 * time.Second
)

func transport(control func(network, address string, c syscall.RawConn) error) *http.Transport {
	dialer := &net.Dialer{Timeout: dialTimeout, Control: control}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: dialTimeout,
		ResponseHeaderTimeout: headerTimeout, ForceAttemptHTTP2: true,
	}
}

// paced is a transport that waits for a host's turn before each request, redirects included.
type paced struct {
	http.RoundTripper
	wait func(req *http.Request) error
}

// RoundTrip waits and sends the request.
func (p paced) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := p.wait(req); err != nil {
		return nil, err
	}
	return p.RoundTripper.RoundTrip(req)
}

// client returns the client for a request. The watch stops while a request waits for its turn. A paper's URL may be in the local network, because a person entered it, but a
// redirect from elsewhere must not lead there.
func (s *session) client(req *http.Request, watch *time.Timer) *http.Client {
	local := isLocal(req.Context(), req.URL.Hostname())
	client := &http.Client{Transport: s.guarded}
	if s.Client != nil {
		*client = *s.Client
	} else if proxy, err := http.ProxyFromEnvironment(req); local || err == nil && proxy != nil { // a proxy often has a local address
		client.Transport = s.open
	}
	client.Transport = paced{cmp.Or(client.Transport, http.DefaultTransport), func(req *http.Request) error {
		watch.Stop()
		defer watch.Reset(headerTimeout + s.Stall)
		return s.wait(req.Context(), req.URL.Host)
	}}
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		switch {
		case len(via) > maxRedirects:
			return &refusal{fmt.Sprintf("more than %d redirects: probably a redirect loop", maxRedirects)}
		case req.URL.Scheme != "http" && req.URL.Scheme != "https":
			return &refusal{fmt.Sprintf("redirected to %s, which is not an http or https URL", req.URL.Redacted())}
		case !local && isLocal(req.Context(), req.URL.Hostname()):
			return &refusal{fmt.Sprintf("redirected to %s, an address in the local network", req.URL.Host)}
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
		return &refusal{fmt.Sprintf("%s is an address of the local network", address)}
	}
	return nil
}

func localAddr(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return true
	}
	for _, text := range []string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "64:ff9b::/96"} {
		if netip.MustParsePrefix(text).Contains(a) {
			return true
		}
	}
	return false
}

// turn is the right to send a request to a host.
type turn struct {
	mu    sync.Mutex
	asked time.Time // of the last request
}

// wait waits until the minimum delay since the last request to a host has passed.
func (s *session) wait(ctx context.Context, host string) error {
	const arxivDelay = 3 * time.Second // that arXiv grants to programs between two requests
	s.mu.Lock()
	t := s.turns[host]
	if t == nil {
		t = new(turn)
		s.turns[host] = t
	}
	s.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	delay := s.Delay
	switch host {
	case "arxiv.org", "www.arxiv.org", "export.arxiv.org":
		if delay > 0 {
			delay = max(delay, arxivDelay)
		}
	}
	if rest := delay - s.Now().Sub(t.asked); rest > 0 {
		if err := s.Sleep(ctx, rest); err != nil {
			return err
		}
	}
	t.asked = s.Now()
	return ctx.Err()
}
