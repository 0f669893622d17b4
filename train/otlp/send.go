package otlp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"airqa/internal/terminal"
	"airqa/qa"
)

// Limits of a request, and of its repetitions.
const (
	maxBatch      = 2 << 20 // bytes
	maxBatchSpans = 512
	timeout       = 30 * time.Second
	retryFor      = time.Minute
)

// sender sends the spans that an endpoint does not have yet.
type sender struct {
	Config
	client otlptrace.Client
	host   string
	target string
	sum    Summary
	// live leaves out the span of an episode that may still get more steps.
	live bool
}

// Send sends to an OTLP endpoint (HTTP with Protobuf) every span that it has not acknowledged yet, as the ledgers in the
// run directories have it. Headers, such as a key, come from the variable OTEL_EXPORTER_OTLP_HEADERS. A request is
// repeated for up to a minute.
func Send(ctx context.Context, c Config, endpoint string) (Summary, error) {
	s, err := newSender(ctx, c, endpoint)
	if err != nil {
		return Summary{}, err
	}
	defer func() { _ = s.client.Stop(context.WithoutCancel(ctx)) }()
	stage := c.progress().Stage("send spans", len(c.Runs))
	defer func() { stage.Close(terminal.Plural(s.sum.Spans, "span")) }()
	for i, dir := range c.Runs {
		stage.Set(i, dir)
		if err := s.run(ctx, dir); err != nil {
			return s.sum, err
		}
	}
	return s.sum, nil
}

func newSender(ctx context.Context, c Config, endpoint string) (*sender, error) {
	u, err := tracesURL(endpoint)
	if err != nil {
		return nil, err
	}
	// Telemetry about the exporter itself stays off, and its errors come back from the call.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	client := otlptracehttp.NewClient(
		otlptracehttp.WithEndpointURL(u.String()),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression),
		otlptracehttp.WithTimeout(timeout),
		otlptracehttp.WithProxy(onlyTo(u)),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: time.Second, MaxInterval: 10 * time.Second,
			MaxElapsedTime: retryFor,
		}),
	)
	if err := client.Start(ctx); err != nil {
		return nil, fmt.Errorf("send spans to %s: %w", u.Host, err)
	}
	return &sender{Config: c, client: client, host: u.Host, target: u.String()}, nil
}

// onlyTo is the choice of a proxy that refuses all other hosts. The exporter follows redirects, and would send the headers
// with their key along; it asks for the proxy of every request.
func onlyTo(u *url.URL) func(*http.Request) (*url.URL, error) {
	return func(r *http.Request) (*url.URL, error) {
		if r.URL.Scheme != u.Scheme || r.URL.Host != u.Host {
			return nil, fmt.Errorf("redirected to %s, which was not named", r.URL.Host)
		}
		return http.ProxyFromEnvironment(r)
	}
}

// tracesURL returns the address for traces of an endpoint, which may be given without its path.
func tracesURL(endpoint string) (*url.URL, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, qa.Usagef("want a URL such as http://localhost:4318")
	}
	if u.User != nil || u.RawQuery != "" {
		return nil, qa.Usagef("keys do not belong in the URL; set OTEL_EXPORTER_OTLP_HEADERS, for example to \"Authorization=Basic ...\"")
	}
	if path.Clean("/"+u.Path) == "/" {
		u.Path = "/v1/traces"
	}
	return u, nil
}

// run sends the new spans of a run directory.
func (s *sender) run(ctx context.Context, dir string, names ...string) (err error) {
	src, err := s.open(dir)
	if err != nil {
		return err
	}
	acks, err := openAcks(dir, s.target)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, acks.Close()) }()
	b := batch{sender: s, acks: acks}
	for e, err := range s.episodes(src, names...) {
		if err != nil {
			return err
		}
		if err := b.episode(ctx, e); err != nil {
			return err
		}
	}
	return b.flush(ctx)
}

// batch collects the spans of a request.
type batch struct {
	*sender
	acks  *acks
	spans []*tracepb.Span
	keys  []string
	bytes int
}

// episode adds the new spans of an episode.
func (b *batch) episode(ctx context.Context, e Episode) error {
	before := b.sum.Spans + len(b.spans)
	for _, span := range Spans(e) {
		var err error
		switch {
		case span.ParentSpanId == nil:
			err = b.root(ctx, e, span)
		case b.acks.has(Key(span)):
			b.sum.Known++
		default:
			err = b.add(ctx, span, Key(span))
		}
		if err != nil {
			return err
		}
	}
	if b.sum.Spans+len(b.spans) > before {
		b.sum.Episodes++
	}
	return nil
}

// root adds the span of the episode itself, with its score, or the score alone if the endpoint has the rest.
func (b *batch) root(ctx context.Context, e Episode, span *tracepb.Span) error {
	keys := []string{Key(span)}
	if e.Score != nil {
		keys = append(keys, Key(&tracepb.Span{TraceId: span.TraceId, SpanId: evaluationID(e)}))
	}
	switch known := b.acks.has(keys[0]); {
	case known && e.Score != nil && !b.acks.has(keys[1]):
		b.sum.Known++
		return b.add(ctx, Evaluation(e), keys[1])
	case known:
		b.sum.Known++
		return nil
	case b.live && unfinished(e.Recorded.Outcome):
		return nil
	}
	return b.add(ctx, span, keys...)
}

// add adds a span, and sends the batch before it if that is full. keys are what its receipt acknowledges: the span, and
// the score that is an event of it.
func (b *batch) add(ctx context.Context, span *tracepb.Span, keys ...string) error {
	size := proto.Size(span)
	if len(b.spans) > 0 && (b.bytes+size > maxBatch || len(b.spans) == maxBatchSpans) {
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	b.spans, b.keys, b.bytes = append(b.spans, span), append(b.keys, keys...), b.bytes+size
	return nil
}

// flush sends the batch, and notes the receipt.
func (b *batch) flush(ctx context.Context) error {
	if len(b.spans) == 0 {
		return nil
	}
	if err := b.client.UploadTraces(ctx, []*tracepb.ResourceSpans{b.packed(b.spans)}); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("send %s to %s: %s\n  %d were sent before; the same command sends the rest",
			terminal.Plural(len(b.spans), "span"), b.host, strings.TrimSpace(err.Error()), b.sum.Spans)
	}
	b.sum.Spans += len(b.spans)
	err := b.acks.add(b.keys)
	b.spans, b.keys, b.bytes = nil, nil, 0
	return err
}

// unfinished reports whether an episode may get more spans.
func unfinished(o qa.Outcome) bool { return o == "" || o.Again() }

// HeaderVariables are the variables of the headers, which are keys.
func HeaderVariables() []string {
	return []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}
}

// HeaderValues returns the values of the headers that the environment sets for endpoints: they may be keys.
func HeaderValues(getenv func(string) string) []string {
	var values []string
	for _, name := range HeaderVariables() {
		for pair := range strings.SplitSeq(getenv(name), ",") {
			_, value, _ := strings.Cut(pair, "=")
			value = strings.TrimSpace(value)
			plain, err := url.PathUnescape(value)
			if err != nil {
				plain = value
			}
			_, bare, _ := strings.Cut(plain, " ") // after "Basic" or "Bearer"
			values = append(values, value, plain, bare)
		}
	}
	return values
}
