package otlp

import (
	"fmt"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"airqa/qa"
)

func (m *maker) call(s qa.Step) {
	list := m.request()
	list.add("gen_ai.response.id", s.Reply.ID)
	list.add("gen_ai.response.model", s.Reply.Model)
	if s.Reply.Finish != "" {
		list.add("gen_ai.response.finish_reasons", []string{s.Reply.Finish})
	}
	m.usage(&list, s.Reply)
	m.input(&list, s)
	list.add("gen_ai.output.messages", encoded([]message{m.output(s)}))
	list.add("airqa.step", s.N)
	if s.ParseError != nil {
		list.add("airqa.parse_error", s.ParseError.Kind)
	}
	ended := s.Ended
	if !s.Acted.IsZero() {
		ended = s.Acted
	}
	span := &tracepb.Span{SpanId: spanID(m.trace, kindCall, s.N), Name: "chat " + m.model, Kind: tracepb.Span_SPAN_KIND_CLIENT}
	if m.last != nil {
		span.Links = []*tracepb.Span_Link{{TraceId: m.trace, SpanId: m.last}}
	}
	tried := s.Reply.Attempts
	if len(tried) < 2 {
		tried = nil // the span says all of it
	}
	const limit = 128 // the most events that a span may have
	if len(tried) > limit {
		span.DroppedEventsCount = uint32(len(tried) - limit) //nolint:gosec // a count
		tried = tried[len(tried)-limit:]
	}
	for _, a := range tried {
		var list attributes
		list.add("error.type", string(a.Error))
		if a.Status > 0 {
			list.add("http.response.status_code", a.Status)
		}
		list.add("airqa.seconds", a.Seconds)
		list.add("airqa.wait_seconds", a.Wait)
		span.Events = append(span.Events, &tracepb.Span_Event{TimeUnixNano: nanos(a.Started), Name: "airqa.request", Attributes: list})
	}
	m.add(span, list, s.Started, ended)
	m.last = span.SpanId
}

func (m *maker) request() attributes {
	var list attributes
	list.add("gen_ai.operation.name", "chat")
	list.add("gen_ai.provider.name", m.provider)
	list.add("gen_ai.request.model", m.model)
	list.add("server.address", m.host)
	if m.port > 0 {
		list.add("server.port", m.port)
	}
	sampling, _ := m.run.Config.Shape.Model["sampling"].(map[string]any)
	for _, name := range []string{"temperature", "top_p"} {
		list.add("gen_ai.request."+name, sampling[name])
	}
	for _, name := range []string{"max_tokens", "seed"} {
		if n, ok := sampling[name].(float64); ok {
			list.add("gen_ai.request."+name, int(n))
		}
	}
	list.add("gen_ai.request.stop_sequences", sampling["stop"])
	return list
}

// usage adds the tokens of a reply. One from a cache has none: its first request has them already.
func (m *maker) usage(list *attributes, r *qa.Reply) {
	if r.Cached {
		list.add("airqa.from_cache", true)
		return
	}
	list.add("gen_ai.usage.input_tokens", r.Usage.Prompt)
	list.add("gen_ai.usage.output_tokens", r.Usage.Completion)
	if r.Usage.Cached > 0 {
		list.add("gen_ai.usage.cache_read.input_tokens", r.Usage.Cached)
	}
	if r.Usage.Reasoning > 0 {
		list.add("gen_ai.usage.reasoning.output_tokens", r.Usage.Reasoning)
	}
	if price := m.run.Config.Note.Price; price != nil {
		list.add("airqa.cost_usd", price.Of(r.Usage))
	}
}

// input adds the messages that the model saw and no earlier call of the episode has. airqa.shown has the numbers of all
// that it saw.
func (m *maker) input(list *attributes, s qa.Step) {
	var fresh []qa.Message
	var shown []string
	for _, span := range s.Shown {
		shown = append(shown, fmt.Sprintf("%d-%d", span.First, span.End-1))
		for i := max(span.First, 0); i < min(span.End, len(m.rec.Messages)); i++ {
			if !m.written[i] && !m.replies[i] {
				fresh = append(fresh, m.rec.Messages[i])
			}
			m.written[i] = true
		}
	}
	limit := min(maxText, maxTexts/max(len(fresh), 1))
	var input []message
	var instructions []part
	for _, one := range fresh {
		shortened := m.message(one, limit)
		if one.Role == qa.System {
			instructions = append(instructions, shortened.Parts...)
			continue
		}
		input = append(input, shortened)
	}
	if len(instructions) > 0 {
		list.add("gen_ai.system_instructions", encoded(instructions))
	}
	if len(input) > 0 {
		list.add("gen_ai.input.messages", encoded(input))
	}
	list.add("airqa.shown", strings.Join(shown, ","))
}
