package otlp

import (
	"context"
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

type sender struct {
	Config
	client otlptrace.Client
	host   string
	sum    Summary
	spans  []*tracepb.Span
	bytes  int
}

// Send sends every span to an OTLP endpoint (HTTP with Protobuf). Headers, such as a key, come from the variable
// OTEL_EXPORTER_OTLP_HEADERS. A request is repeated for up to a minute.
func Send(ctx context.Context, c Config, endpoint string) (Summary, error) {
	s, err := newSender(ctx, c, endpoint)
	if err != nil {
		return Summary{}, err
	}
	defer func() { _ = s.client.Stop(context.WithoutCancel(ctx)) }()
	stage := c.Progress.Stage("send spans", len(c.Runs))
	defer func() { stage.Close(terminal.Plural(s.sum.Spans, "span")) }()
	err = c.each(stage, func(spans []*tracepb.Span) error {
		for _, span := range spans {
			if err := s.add(ctx, span); err != nil {
				return err
			}
		}
		s.sum.Episodes++
		return nil
	})
	if err == nil {
		err = s.flush(ctx)
	}
	return s.sum, err
}

func newSender(ctx context.Context, c Config, endpoint string) (*sender, error) {
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
	// Telemetry about the exporter itself stays off, and its errors come back from the call.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	client := otlptracehttp.NewClient(
		otlptracehttp.WithEndpointURL(u.String()),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression),
		otlptracehttp.WithTimeout(timeout),
		// The exporter follows redirects, and would send the headers with their key along; it asks for the proxy of every request.
		otlptracehttp.WithProxy(func(r *http.Request) (*url.URL, error) {
			if r.URL.Scheme != u.Scheme || r.URL.Host != u.Host {
				return nil, fmt.Errorf("redirected to %s, which was not named", r.URL.Host)
			}
			return http.ProxyFromEnvironment(r)
		}),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{
			Enabled: true, InitialInterval: time.Second, MaxInterval: 10 * time.Second,
			MaxElapsedTime: retryFor,
		}),
	)
	if err := client.Start(ctx); err != nil {
		return nil, fmt.Errorf("send spans to %s: %w", u.Host, err)
	}
	return &sender{Config: c, client: client, host: u.Host}, nil
}

// add adds a span, and sends the batch before it if that is full.
func (s *sender) add(ctx context.Context, span *tracepb.Span) error {
	size := proto.Size(span)
	if len(s.spans) > 0 && (s.bytes+size > maxBatch || len(s.spans) == maxBatchSpans) {
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	s.spans, s.bytes = append(s.spans, span), s.bytes+size
	return nil
}

func (s *sender) flush(ctx context.Context) error {
	if len(s.spans) == 0 {
		return nil
	}
	if err := s.client.UploadTraces(ctx, []*tracepb.ResourceSpans{s.packed(s.spans)}); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("send %s to %s: %s\n  %d were sent before; the same command sends all again, with the same ids",
			terminal.Plural(len(s.spans), "span"), s.host, strings.TrimSpace(err.Error()), s.sum.Spans)
	}
	s.sum.Spans += len(s.spans)
	s.spans, s.bytes = nil, 0
	return nil
}

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
