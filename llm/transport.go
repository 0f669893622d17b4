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

// shared returns the value of a name in one of p's maps, and makes it on first use.
func shared[T any](p *Pool, all map[string]*T, name string, make func() *T) *T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if all[name] == nil {
		all[name] = make()
	}
	return all[name]
}

func (c Config) client(base *url.URL) *http.Client {
	if c.HTTPClient != nil {
		return httpclient.NoRedirects(*c.HTTPClient)
	}
	return shared(c.Pool, c.Pool.clients, base.Scheme+"://"+base.Host, func() *http.Client { return httpclient.New(c.Pool.ceiling, 0) })
}

// HTTPClient makes a client for other kinds of endpoints, with a timeout per request, that follows no redirects.
func HTTPClient(timeout time.Duration) *http.Client {
	return httpclient.New(DefaultMaxConnections, timeout)
}
