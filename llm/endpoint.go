package llm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tmc/langchaingo/llms"

	"airqa/internal/files"
	"airqa/internal/httpclient"
	"airqa/qa"
)

// Endpoint calls a model over HTTP through langchaingo's interface, one request per call. [Open] adds retries. Calls may
// overlap.
type Endpoint struct {
	site
	inner llms.Model
	// by identifies the model and its address in sealed data.
	by string
	// thinks is true for models that may start a reply with their reasoning, unopened if the opening tag may be
	// missing.
	thinks, unopened bool
	// systemAsUser is true for a model that accepts no system messages.
	systemAsUser bool
	// window is the model's context window in tokens; 0 if it is unknown.
	window  int
	timeout time.Duration
	limiter *httpclient.Limiter
	onWait  func(class qa.FailureClass) (over func())
}

// NewEndpoint makes the model that c.Spec names, of a built-in provider. It makes no request.
func NewEndpoint(c Config) (*Endpoint, error) {
	c = c.withDefaults()
	name, model := SplitSpec(c.Spec)
	v, ok := c.vendor()
	if !ok {
		return nil, fmt.Errorf("no endpoint speaks %q", name)
	}
	if model == "" {
		return nil, fmt.Errorf("the model's name is missing: want %s:MODEL", name)
	}
	base, err := v.parseBaseURL(c.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := v.checkKey(c.Key, base); err != nil && (!c.NoCalls || !errors.Is(err, ErrNoKey)) {
		return nil, err
	}
	if err := v.codec.checkExtra(c.extra()); err != nil {
		return nil, err
	}
	fields, _ := c.settled()
	place := base.String() + " " + model
	limiter := shared(c.Pool, c.Pool.limiters, place, func() *httpclient.Limiter { return httpclient.NewLimiter(c.Pool.ceiling, c.Now) })
	known := shared(c.Pool, c.Pool.refusals, place, func() *quirks {
		return &quirks{members: map[string]bool{}, room: map[[sha256.Size]byte]room{}}
	})
	e := &Endpoint{
		site: site{where: where(base.JoinPath(v.codec.path)), key: c.Key, headers: c.Headers, now: c.Now}, thinks: v.codec.thinks, unopened: c.reasons(),
		systemAsUser: c.listed().SystemAsUser, window: c.window(), timeout: c.Timeout,
		limiter: limiter, onWait: c.OnWait,
	}
	e.by = files.Hash([]byte(model + " at " + e.where))[:16] // as text, the log would redact a model that is a path
	settings := v.codec.settings(fields, scope{base.Hostname(), model, c.reasons(), c.listed().MaxCompletionTokens, c.window()})
	e.inner = &client{
		site: e.site, base: base, model: model, codec: v.codec, http: c.client(base),
		settings: merged(settings, c.extra()), quirks: known, notice: c.OnNotice,
	}
	return e, nil
}

// Complete makes one request when the limiter of its endpoint allows it. Images of a tool's result go into a user
// message after the results, because protocols allow none in results. The error is a [*qa.CallError]. When the context
// ends, Complete returns at once and the error wraps the context's.
func (e *Endpoint) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if err := checkMessages(r.Messages, r.Tools); err != nil {
		return qa.Reply{}, callError(nil, &Fault{Class: qa.FailBadRequest, Detail: err.Error()})
	}
	turn, queued, err := e.limiter.Acquire(ctx, func() func() { return e.onWait(Queue) })
	if err != nil {
		failed := callError(nil, fmt.Errorf("wait for a free connection: %w", err))
		if errors.Is(err, context.DeadlineExceeded) {
			failed.Class = qa.FailRateLimit // the endpoint's limit lasted too long
		}
		return qa.Reply{}, failed
	}
	start := e.now()
	var connecting atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { connecting.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { connecting.Store(false) },
	})
	reply, status, err := e.ask(traced, r)
	class := Classify(err)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) && connecting.Load() {
		class = qa.FailUnreachable
	}
	outcome := httpclient.Outcome{OK: err == nil, Refused: class == qa.FailRateLimit, Fault: class == qa.FailServer}
	var response *HTTPError
	if errors.As(err, &response) {
		outcome.RetryAfter = response.RetryAfter
	}
	e.limiter.Release(turn, outcome)
	attempts := []qa.Attempt{{
		Started: start, Seconds: e.now().Sub(start).Seconds(), Wait: queued.Seconds(), Status: status, Error: class,
	}}
	if err != nil {
		failed := callError(attempts, err)
		half := cmp.Or(e.window/2, 16000) // of the window, which is unknown for a model that is not listed
		failed.MaybeLong = response != nil && response.mayBeLong() && estimate(r, qa.Reply{}).Prompt > half
		return qa.Reply{}, failed
	}
	reply.Attempts = attempts
	return reply, nil
}

// callError is a failed call with a hint on fixing it; empty if the error is sufficient.
func callError(attempts []qa.Attempt, err error) *qa.CallError {
	var status *HTTPError
	var fault *Fault
	hint := ""
	if errors.As(err, &status) {
		hint = status.hint()
	}
	if errors.As(err, &fault) {
		hint = cmp.Or(hint, fault.hint)
	}
	class := Classify(err)
	return &qa.CallError{Class: class, Attempts: attempts, Err: err, Hint: cmp.Or(hint, classHints[class])}
}

func (e *Endpoint) ask(ctx context.Context, r qa.Request) (qa.Reply, int, error) {
	bounded, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	var options []llms.CallOption
	if len(r.Tools) > 0 {
		options = append(options, llms.WithTools(toTools(r.Tools)))
	}
	chat := toChat(r.Messages, e.by)
	for i := range chat {
		if e.systemAsUser && chat[i].Role == llms.ChatMessageTypeSystem {
			chat[i].Role = llms.ChatMessageTypeHuman
		}
	}
	got, err := e.inner.GenerateContent(bounded, chat, options...)
	if err != nil {
		var a answered
		errors.As(err, &a)
		return qa.Reply{}, a.status, e.explain(ctx, bounded, err)
	}
	status, _ := got.Choices[0].GenerationInfo[infoStatus].(int)
	return e.reply(r, got.Choices[0]), status, nil
}

// reply is the reply to r, with an estimated usage if the endpoint reported none.
func (e *Endpoint) reply(r qa.Request, choice *llms.ContentChoice) qa.Reply {
	reply := toReply(choice)
	if s, _ := choice.GenerationInfo[infoSealed].(*sealed); s != nil {
		s.By = e.by
		reply.Sealed, _ = json.Marshal(s) // it was read from JSON
	}
	if e.thinks {
		apart(&reply, e.unopened)
	}
	if reply.Usage.Prompt == 0 && reply.Usage.Completion == 0 {
		reply.Usage = estimate(r, reply)
	}
	return reply
}

// explain turns the error of a request into a typed one. Cancellation by the caller comes first: it is not the
// endpoint's failure.
func (e *Endpoint) explain(ctx, bounded context.Context, err error) error {
	var dial *net.OpError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("POST %s: %w", e.where, ctx.Err())
	case errors.As(err, new(*HTTPError)), errors.As(err, new(*Fault)):
		return err
	case errors.As(err, &dial) && (dial.Op == "dial" || dial.Op == "proxyconnect"):
		f := e.fault(qa.FailUnreachable, httpclient.Bare(err).Error())
		if dial.Op == "proxyconnect" {
			f.hint = "the proxy that HTTP_PROXY or HTTPS_PROXY names cannot be reached"
		}
		return f
	case bounded.Err() != nil:
		return e.fault(qa.FailTimeout, fmt.Sprintf("no reply within %v", e.timeout))
	}
	if hint, ok := tlsFault(err); ok {
		f := e.fault(qa.FailTLS, httpclient.Bare(err).Error())
		f.hint = hint
		return f
	}
	class := qa.FailNetwork // also if the connection broke while the reply was read
	if Classify(err) == qa.FailTimeout {
		class = qa.FailTimeout
	}
	return e.fault(class, httpclient.Bare(err).Error())
}

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
