package llm

import (
	"net/http"
	"net/url"
	"sync"
	"time"

	"airqa/internal/httpclient"
)

// DefaultMaxConnections is the maximum number of concurrent requests to one endpoint and model.
const DefaultMaxConnections = 64

// Pool is the state that the models of a program share: the connections to an endpoint, and per model there the limiter
// and the rejected settings. Use one for every [Config], so that two models of one name share a limit. Calls may
// overlap.
type Pool struct {
	ceiling int

	mu       sync.Mutex
	clients  map[string]*http.Client
	limiters map[string]*httpclient.Limiter
	refusals map[string]*quirks
}

// NewPool makes a pool with a maximum number of concurrent requests per endpoint and model; below 1 it is
// [DefaultMaxConnections].
func NewPool(maxConnections int) *Pool {
	if maxConnections < 1 {
		maxConnections = DefaultMaxConnections
	}
	return &Pool{ceiling: maxConnections, clients: map[string]*http.Client{}, limiters: map[string]*httpclient.Limiter{}, refusals: map[string]*quirks{}}
}

func (p *Pool) client(base *url.URL) *http.Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := base.Scheme + "://" + base.Host
	if p.clients[name] == nil {
		p.clients[name] = httpclient.New(p.ceiling, 0)
	}
	return p.clients[name]
}

func (p *Pool) limiter(base *url.URL, model string, now func() time.Time) *httpclient.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	name := base.String() + " " + model
	if p.limiters[name] == nil {
		p.limiters[name] = httpclient.NewLimiter(p.ceiling, now)
	}
	return p.limiters[name]
}

// quirks returns the quirks of a model at an address.
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
		return httpclient.NoRedirects(*c.HTTPClient)
	}
	return c.Pool.client(base)
}

// HTTPClient makes a client for other kinds of endpoints, with a timeout per request, that follows no redirects.
func HTTPClient(timeout time.Duration) *http.Client {
	return httpclient.New(DefaultMaxConnections, timeout)
}
