package llm

import (
	"net/http"
	"net/url"
	"sync"
	"time"
)

// DefaultMaxConnections is the ceiling of requests under way at one endpoint and model.
const DefaultMaxConnections = 64

// Pool is what the models of a program share: the connections to an endpoint, and of each model there the limiter and what
// the endpoint refused. Make
// one and put it in every [Config], so that two models of one name count against one limit. Calls may overlap.
type Pool struct {
	ceiling int

	mu       sync.Mutex
	clients  map[string]*http.Client
	limiters map[string]*limiter
	refusals map[string]*quirks
}

// NewPool makes a pool with a ceiling of requests under way at once for each endpoint and model; below 1 it is
// [DefaultMaxConnections].
func NewPool(maxConnections int) *Pool {
	if maxConnections < 1 {
		maxConnections = DefaultMaxConnections
	}
	return &Pool{ceiling: maxConnections, clients: map[string]*http.Client{}, limiters: map[string]*limiter{}, refusals: map[string]*quirks{}}
}

func (p *Pool) client(base *url.URL) *http.Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := base.Scheme + "://" + base.Host
	if p.clients[name] == nil {
		p.clients[name] = faithful(http.Client{Transport: p.transport()})
	}
	return p.clients[name]
}

func (p *Pool) limiter(base *url.URL, model string, now func() time.Time) *limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := base.String() + " " + model
	if p.limiters[name] == nil {
		p.limiters[name] = newLimiter(p.ceiling, now)
	}
	return p.limiters[name]
}

// quirks are those of a model at an address.
func (p *Pool) quirks(base *url.URL, model string) *quirks {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := base.String() + " " + model
	if p.refusals[name] == nil {
		p.refusals[name] = &quirks{}
	}
	return p.refusals[name]
}

func (c Config) client(base *url.URL) *http.Client {
	if c.HTTPClient != nil {
		return faithful(*c.HTTPClient)
	}
	return c.Pool.client(base)
}

// HTTPClient makes a client for other kinds of endpoints, with a limit of time for a request, that follows no redirect.
func HTTPClient(timeout time.Duration) *http.Client {
	return faithful(http.Client{Timeout: timeout, Transport: NewPool(0).transport()})
}

// faithful returns a client that follows no redirect: it could carry the conversation to another host.
func faithful(client http.Client) *http.Client {
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// transport keeps as many idle connections as there may be requests under way: with the default of two, every burst would
// dial anew. It speaks HTTP/1.1: with HTTP/2, which costs the same processor time, all requests share one connection, and
// when that breaks all of them fail at once and are paid for again.
func (p *Pool) transport() http.RoundTripper {
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport
	}
	own := standard.Clone()
	own.MaxIdleConns, own.MaxIdleConnsPerHost = 0, p.ceiling
	own.ForceAttemptHTTP2 = false
	own.Protocols = new(http.Protocols)
	own.Protocols.SetHTTP1(true)
	if own.TLSClientConfig != nil {
		own.TLSClientConfig.NextProtos = []string{"http/1.1"}
	}
	return own
}
