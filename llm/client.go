package llm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"airqa/internal/httpclient"
	"airqa/qa"
)

// client is the [llms.Model] of the built-in providers: each call makes one request in the protocol of its codec. It
// reads only the tools from the call options; sampling is set once, because langchaingo's options cannot express an
// explicit zero.
type client struct {
	site
	base     *url.URL
	model    string
	settings map[string]any
	codec    codec
	http     *http.Client
	// quirks are shared by all models with this name at the address.
	quirks *quirks
	notice func(text string)
}

// Call is the part of [llms.Model] that langchaingo deprecates.
func (c *client) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, c, prompt, options...)
}

// GenerateContent makes one request. Its error wraps an [HTTPError], a [Fault] or an error of net/http.
func (c *client) GenerateContent(
	ctx context.Context, chat []llms.MessageContent, options ...llms.CallOption,
) (*llms.ContentResponse, error) {
	var o llms.CallOptions
	for _, option := range options {
		option(&o)
	}
	m := c.quirks.withhold(chat)
	r, err := c.encode(chat, o.Tools)
	if err != nil {
		return nil, err
	}
	choice, err := c.post(ctx, r)
	if err != nil {
		return nil, c.adapt(m, r, err)
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}, nil
}

// request is a request as fields and as the bytes to send. Its key stays the same when its reply limit is lowered.
type request struct {
	full   map[string]any
	body   []byte
	key    [sha256.Size]byte
	images bool
}

func (c *client) encode(chat []llms.MessageContent, tools []llms.Tool) (request, error) {
	full, err := c.codec.body(chat, tools)
	if err != nil {
		return request{}, c.fault(qa.FailBadRequest, err.Error())
	}
	full["model"] = c.model
	maps.Copy(full, c.settings)
	c.quirks.apply(full, c.codec.stream)
	body, err := json.Marshal(full) // with sorted keys
	key := sha256.Sum256(body)
	if err == nil && c.quirks.fit(full, key) {
		body, err = json.Marshal(full)
	}
	if err != nil {
		return request{}, c.fault(qa.FailBadRequest, fmt.Sprintf("write the request: %v", err))
	}
	images := slices.ContainsFunc(chat, func(m llms.MessageContent) bool {
		return slices.ContainsFunc(m.Parts, func(p llms.ContentPart) bool { _, ok := p.(llms.BinaryContent); return ok })
	})
	return request{full, body, key, images}, nil
}

func (c *client) post(ctx context.Context, r request) (*llms.ContentChoice, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(c.codec.path).String(), bytes.NewReader(r.body))
	if err != nil {
		return nil, c.fault(qa.FailBadRequest, err.Error())
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "airqa")
	c.codec.authorize(req.Header, c.key)
	maps.Copy(req.Header, c.headers)
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	choice, err := c.answer(resp, r)
	if err != nil {
		return nil, answered{err, resp.StatusCode}
	}
	choice.GenerationInfo[infoStatus] = resp.StatusCode
	return choice, nil
}

// answered is an error of a request that got a response.
type answered struct {
	error
	status int
}

func (a answered) Unwrap() error { return a.error }

func (c *client) answer(resp *http.Response, r request) (*llms.ContentChoice, error) {
	body, err := httpclient.ReadAll(resp.Body, 32<<20)
	switch {
	case resp.StatusCode >= 300:
		own := readRefusal(body)
		own.message = cmp.Or(own.message, webPage(string(body)), string(body))
		return nil, c.httpError(resp, resp.StatusCode, own, r)
	case errors.Is(err, httpclient.ErrTooLarge):
		return nil, c.fault(qa.FailGarbage, err.Error())
	case err != nil:
		return nil, fmt.Errorf("read the reply: %w", err)
	}
	choice, err := c.read(resp, body)
	if err == nil {
		return choice, nil
	}
	var failed failedReply
	if !errors.As(err, &failed) {
		failed.refusal = readRefusal(body)
	}
	if !failed.found() {
		return nil, c.garbage(body, err)
	}
	e := c.httpError(resp, cmp.Or(failed.status(), http.StatusBadRequest), failed.refusal, r)
	if failed.status() == 0 && e.class() != qa.FailContextOverflow {
		return nil, c.fault(qa.FailGarbage, failed.message)
	}
	return nil, e
}

// read reads a successful response; the error is a [failedReply] if it contains an error.
func (c *client) read(resp *http.Response, body []byte) (*llms.ContentChoice, error) {
	if err := checkSuccess(body); err != nil {
		return nil, err
	}
	head := bytes.TrimLeft(body, " \r\n\t")
	stream := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") || // some servers send no content type
		slices.ContainsFunc([]string{":", "data:", "event:"}, func(w string) bool { return bytes.HasPrefix(head, []byte(w)) })
	read := c.codec.read
	if c.codec.readStream != nil && stream {
		read = c.codec.readStream
	}
	choice, err := read(body)
	if err == nil && failedFinish.MatchString(choice.StopReason) {
		err = failedReply{refusal{message: "the reply ended with the finish reason " + choice.StopReason}}
	}
	return choice, err
}

// garbage explains a success status without a reply.
func (c *client) garbage(body []byte, err error) error {
	text := c.redact(string(body))
	page := webPage(text)
	f := c.fault(qa.FailGarbage, fmt.Sprintf("%v: %s", err, text))
	if page != "" {
		f = c.fault(qa.FailGarbage, "the reply is "+page)
	}
	if page != "" || !json.Valid(body) && !errors.Is(err, errCutStream) {
		f.hint = "this is not a chat endpoint: most base URLs end in /v1"
	}
	return f
}
