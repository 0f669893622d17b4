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

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"airqa/internal/tokens"
	"airqa/qa"
)

// OpenAI asks an endpoint that speaks OpenAI's chat-completions protocol. Calls may overlap.
type OpenAI struct {
	model    string
	base     *url.URL
	key      string
	settings map[string]any
	timeout  time.Duration
	client   *http.Client
	now      func() time.Time
	retrier  retrier
	counts   tokens.Memo
}

// NewOpenAI makes the model that c.Spec names, "openai:MODEL". It makes no request.
func NewOpenAI(c Config) (*OpenAI, error) {
	c = c.withDefaults()
	_, model := SplitSpec(c.Spec)
	if model == "" {
		return nil, errors.New("the model's name is missing: want openai:MODEL")
	}
	base, err := parseBaseURL(c.BaseURL)
	if err != nil {
		return nil, err
	}
	if err := checkKey(c.APIKey, base); err != nil {
		return nil, err
	}
	return &OpenAI{
		model: model, base: base, key: c.APIKey, settings: wireSettings(c.Sampling, base, model),
		timeout: c.Timeout, client: httpClient(c.HTTPClient), now: c.Now, retrier: newRetrier(c),
	}, nil
}

// Complete asks for one reply. Requests that failed for a passing reason are repeated; the error is a [*CallError], or
// one about messages that cannot be sent. When the context ends, it returns at once with the context's error inside.
func (m *OpenAI) Complete(ctx context.Context, messages []qa.Message) (qa.Reply, error) {
	chat, err := toChat(messages)
	if err != nil {
		return qa.Reply{}, err
	}
	reply, err := m.retrier.call(ctx, func(ctx context.Context) (qa.Reply, int, error) { return m.ask(ctx, chat) })
	if err != nil {
		return qa.Reply{}, err
	}
	if reply.Usage.Prompt == 0 && reply.Usage.Completion == 0 {
		reply.Usage = estimate(&m.counts, messages, reply)
	}
	return reply, nil
}

// ask makes one request. A client for each costs an allocation and leaves nothing shared between calls.
func (m *OpenAI) ask(ctx context.Context, chat []llms.MessageContent) (qa.Reply, int, error) {
	bounded, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	d := &doer{model: m}
	client, err := openai.New(
		openai.WithToken(orPlaceholder(m.key)), openai.WithModel(placeholder), openai.WithBaseURL(m.base.String()),
		openai.WithOrganization(""), openai.WithHTTPClient(d),
	)
	if err != nil {
		return qa.Reply{}, 0, m.fault(ClassBadRequest, err.Error())
	}
	response, err := client.GenerateContent(bounded, chat)
	switch {
	case d.err != nil:
		return qa.Reply{}, d.status, m.explain(ctx, bounded, d.err)
	case err != nil:
		return qa.Reply{}, d.status, m.fault(ClassGarbage, err.Error())
	}
	reply := d.completion.reply()
	reply.Text = response.Choices[0].Content
	return reply, d.status, nil
}

// explain turns what a request died of into a typed error. The caller's own end comes first: it is no fault of the
// endpoint's.
func (m *OpenAI) explain(ctx, bounded context.Context, err error) error {
	var status *HTTPError
	var fault *Fault
	var network net.Error
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("ask %s: %w", m.base.Host, ctx.Err())
	case errors.As(err, &status):
		return status
	case errors.As(err, &fault):
		return fault
	case bounded.Err() != nil:
		return m.fault(ClassTimeout, fmt.Sprintf("no reply within %v", m.timeout))
	case errors.As(err, &network) && network.Timeout():
		return m.fault(ClassTimeout, cause(err))
	}
	return m.fault(ClassNetwork, cause(err))
}

// cause leaves out the method and the address in front of an error of net/http: the host is named already.
func cause(err error) string {
	var outer *url.Error
	if errors.As(err, &outer) {
		return outer.Err.Error()
	}
	return err.Error()
}

func (m *OpenAI) fault(class, detail string) *Fault {
	return &Fault{Class: class, Endpoint: m.base.Host, Detail: excerpt(m.redact(detail))}
}

// redact takes the key out of a text that an endpoint wrote: some repeat it when they refuse it. Keys of fewer than four
// characters are stand-ins for local servers, and would take ordinary words with them.
func (m *OpenAI) redact(text string) string {
	if len(m.key) < 4 {
		return text
	}
	return strings.ReplaceAll(text, m.key, "[key]")
}
