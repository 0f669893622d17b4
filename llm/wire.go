package llm

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"airqa/qa"
)

// Wire encodes requests and decodes replies exactly as the [Endpoint] of a configuration does, without sending them,
// for APIs that take many requests at once. [Wire.Send] reaches the other addresses of the endpoint. Calls may overlap.
type Wire struct {
	e *Endpoint
	c *client
}

// NewWire makes the wire of the model that c.Spec names, of a provider with a codec of this package. It makes no request.
func NewWire(c Config) (*Wire, error) {
	e, err := NewEndpoint(c)
	if err != nil {
		return nil, err
	}
	inner, ok := e.inner.(*client)
	if !ok {
		return nil, fmt.Errorf("the provider of %s uses its own protocol", c.Spec)
	}
	return &Wire{e, inner}, nil
}

// Encode returns the JSON body of a request, which is never one for a stream. The error is a [*qa.CallError].
func (w *Wire) Encode(r qa.Request) ([]byte, error) {
	err := w.e.check(r)
	var body []byte
	if err == nil {
		_, body, err = w.c.encode(w.e.chat(r.Messages), toTools(r.Tools), nil)
	}
	if err != nil {
		return nil, callError(nil, err)
	}
	return body, nil
}

// Decode reads the response to r: a reply, or a [*qa.CallError] with the class of the failure.
func (w *Wire) Decode(r qa.Request, status int, body []byte) (qa.Reply, error) {
	attempts := []qa.Attempt{{Started: w.e.now(), Status: status}}
	if status >= 300 {
		return qa.Reply{}, w.failure(attempts, w.c.httpError(status, nil, body))
	}
	choice, err := w.c.decode(body, w.c.codec.read)
	if err != nil {
		return qa.Reply{}, w.failure(attempts, err)
	}
	reply := w.e.reply(r, choice)
	reply.Attempts = attempts
	return reply, nil
}

func (w *Wire) failure(attempts []qa.Attempt, err error) error {
	attempts[0].Error = Classify(err)
	return callError(attempts, err)
}

// Send makes one request with the key, at a path below the base URL, which may have a query. It returns responses of a
// success status only; the caller closes the body. The error is a [*qa.CallError]. The endpoint's timeout limits the
// wait for the response, and for each read of its body.
func (w *Wire) Send(ctx context.Context, method, path, contentType string, body io.Reader) (*http.Response, error) {
	at, err := url.Parse(path)
	if err != nil {
		return nil, callError(nil, w.e.fault(qa.FailBadRequest, "the path is not valid"))
	}
	address := w.c.base.JoinPath(at.EscapedPath())
	address.RawQuery = at.RawQuery
	c := *w.c
	c.where, c.method = where(address), method
	bounded, cancel := context.WithCancel(ctx)
	timer := time.AfterFunc(w.e.timeout, cancel)
	resp, err := c.send(bounded, method, address, contentType, body)
	if err == nil && resp.StatusCode < 300 {
		resp.Body = &steady{resp.Body, timer, w.e.timeout, cancel}
		return resp, nil
	}
	defer cancel()
	defer timer.Stop()
	if err != nil {
		return nil, callError(nil, c.explain(ctx, bounded, w.e.timeout, err))
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody*4)) // a partial body is enough
	return nil, callError(nil, c.httpError(resp.StatusCode, resp.Header, text))
}

// steady is a body whose request is cancelled when a read takes too long.
type steady struct {
	io.ReadCloser
	timer   *time.Timer
	timeout time.Duration
	cancel  context.CancelFunc
}

func (s *steady) Read(p []byte) (int, error) {
	s.timer.Reset(s.timeout)
	return s.ReadCloser.Read(p)
}

func (s *steady) Close() error {
	s.timer.Stop()
	s.cancel()
	return s.ReadCloser.Close()
}
