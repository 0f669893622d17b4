package llm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"airqa/internal/tokens"
	"airqa/qa"
)

// Endpoint asks a model over HTTP, in the protocol of its provider: one request for each call. [Open] puts retries around it.
// Calls may overlap.
type Endpoint struct {
	model    string
	base     *url.URL
	key      string
	settings map[string]any
	protocol protocol
	// mark is of the masks of its calls.
	mark string
	// unopened is true when reasoning may begin without its tag.
	unopened bool
	// systemAsUser is true for a model that takes no system messages.
	systemAsUser bool
	timeout      time.Duration
	client       *http.Client
	now          func() time.Time
	limiter      *limiter
	onWait       func(class qa.FailureClass) (over func())
	counts       tokens.Memo
	// quirks are shared by all models of the name at the address.
	quirks *quirks
	notice func(text string)
}

// NewEndpoint makes the model that c.Spec names, of a built-in provider. It makes no request.
func NewEndpoint(c Config) (*Endpoint, error) {
	c = c.withDefaults()
	name, model := SplitSpec(c.Spec)
	v, ok := findVendor(name)
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
	if err := v.checkKey(c.APIKey, base); err != nil {
		return nil, err
	}
	fields, _ := c.settled()
	reasoning := c.reasons()
	return &Endpoint{
		model: model, base: base, key: c.APIKey, protocol: v.protocol, mark: newMark(), unopened: reasoning,
		systemAsUser: c.systemAsUser(),
		settings:     v.protocol.settings(fields, scope{base.Hostname(), model, reasoning, c.newLimit(), c.ContextWindow}),
		timeout:      c.Timeout, client: c.client(base), now: c.Now, limiter: c.Pool.limiter(base, model, c.Now), onWait: c.OnWait,
		quirks: c.Pool.quirks(base, model), notice: c.OnNotice,
	}, nil
}

// Complete makes one request, when the limiter of its endpoint allows it. Images of a tool's result go out in a user message
// behind the results, since protocols allow no images in these. The error is a [*qa.CallError]. When the context ends, Complete
// returns at once with the context's error inside.
func (e *Endpoint) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	if err := checkMessages(r.Messages, r.Tools); err != nil {
		return qa.Reply{}, callError(nil, &Fault{Class: qa.FailBadRequest, Detail: err.Error()})
	}
	c := conversation{messages: e.shown(r.Messages), tools: r.Tools}
	turn, queued, err := e.limiter.acquireTold(ctx, func() func() { return e.onWait(Queue) })
	if err != nil {
		return qa.Reply{}, callError(nil, fmt.Errorf("wait for a free connection: %w", err))
	}
	start := e.now()
	reply, status, err := e.ask(ctx, c)
	e.limiter.release(turn, err)
	attempts := []qa.Attempt{{
		Started: start, Seconds: e.now().Sub(start).Seconds(), Wait: queued.Seconds(), Status: status, Error: Classify(err),
	}}
	if err != nil {
		return qa.Reply{}, callError(attempts, err)
	}
	if reply.Usage.Prompt == 0 && reply.Usage.Completion == 0 {
		reply.Usage = estimate(&e.counts, c, reply)
	}
	reply.Attempts = attempts
	return reply, nil
}

// shown are the messages as they go out.
func (e *Endpoint) shown(messages []qa.Message) []qa.Message {
	out := imagesApart(messages)
	for i := range out { // imagesApart made a copy
		if e.systemAsUser && out[i].Role == qa.System {
			out[i].Role = qa.User
		}
	}
	return out
}

// callError is a call that failed, with a hint.
func callError(attempts []qa.Attempt, err error) *qa.CallError {
	return &qa.CallError{Class: Classify(err), Attempts: attempts, Err: err, Hint: hintOn(err)}
}

// ask makes one request. A client of langchaingo's for each costs an allocation and leaves nothing shared between calls.
func (e *Endpoint) ask(ctx context.Context, c conversation) (qa.Reply, int, error) {
	bounded, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	d := &doer{endpoint: e, conversation: c, mask: newMask(e.mark)}
	err := e.protocol.ask(bounded, d, e.protocol.chat(c.messages, d.mask))
	switch {
	case d.err != nil:
		return qa.Reply{}, d.status, e.adapt(d, e.explain(ctx, bounded, d.err))
	case err != nil:
		return qa.Reply{}, d.status, e.fault(qa.FailBadRequest, err.Error())
	}
	if e.protocol.thinks {
		apart(&d.reply, e.unopened)
	}
	return d.reply, d.status, nil
}

// explain turns what a request died of into a typed error. The caller's own end comes first: it is no fault of the
// endpoint's.
func (e *Endpoint) explain(ctx, bounded context.Context, err error) error {
	var status *HTTPError
	var fault *Fault
	var network net.Error
	var dial *net.OpError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("POST %s: %w", e.where(), ctx.Err())
	case errors.As(err, &status):
		return status
	case errors.As(err, &fault):
		return fault
	case errors.As(err, &dial) && dial.Op == "proxyconnect":
		f := e.fault(qa.FailUnreachable, bare(err))
		f.hint = "the proxy that HTTP_PROXY or HTTPS_PROXY names cannot be reached"
		return f
	case errors.As(err, &dial) && dial.Op == "dial":
		return e.fault(qa.FailUnreachable, bare(err))
	case bounded.Err() != nil:
		return e.fault(qa.FailTimeout, fmt.Sprintf("no reply within %v", e.timeout))
	case errors.As(err, &network) && network.Timeout():
		return e.fault(qa.FailTimeout, bare(err))
	}
	if hint, ok := tlsFault(err); ok {
		f := e.fault(qa.FailTLS, bare(err))
		f.hint = hint
		return f
	}
	return e.fault(qa.FailNetwork, bare(err))
}

// where is the host and path of the requests.
func (e *Endpoint) where() string { return e.base.Host + e.base.EscapedPath() + e.protocol.path }

// bare leaves out the method and the address in front of an error of net/http: the host is named already.
func bare(err error) string {
	var outer *url.Error
	if errors.As(err, &outer) {
		return outer.Err.Error()
	}
	return err.Error()
}

func (e *Endpoint) fault(class qa.FailureClass, detail string) *Fault {
	return &Fault{Class: class, Endpoint: e.where(), Detail: excerpt(e.redact(detail))}
}

// redact takes the key out of a text that an endpoint wrote: some repeat it when they refuse it. Keys of fewer than eight
// characters are stand-ins for local servers, and would take parts of ordinary words with them.
func (e *Endpoint) redact(text string) string {
	if len(e.key) < 8 {
		return text
	}
	return strings.ReplaceAll(text, e.key, "[key]")
}
