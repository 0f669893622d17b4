package otlp

import (
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"airqa/qa"
)

type document struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

// action adds an action with its result, and the search inside of a retrieval.
func (m *maker) action(s qa.Step) {
	o := s.Observation
	var list attributes
	list.add("gen_ai.operation.name", "execute_tool")
	list.add("gen_ai.tool.name", s.Action.Name)
	kind := "function"
	if len(o.Hits) > 0 || o.Touched != nil { // it read papers
		kind = "datastore"
	}
	list.add("gen_ai.tool.type", kind)
	if s.Called != nil {
		list.add("gen_ai.tool.call.id", s.Called.ID)
	}
	list.add("gen_ai.tool.call.arguments", short(m.arguments(s.Action.Args), maxText))
	edited := m.edit(qa.Message{Role: qa.ToolResult, Text: o.Text})
	list.add("gen_ai.tool.call.result", short(edited.Text, maxText))
	list.add("airqa.step", s.N)
	list.add("airqa.by", s.By)
	list.add("airqa.status", string(o.Status))
	list.add("airqa.images", imageNames(o.Images))
	if o.Cut != nil {
		list.add("airqa.cut", o.Cut.Reason)
	}
	span := &tracepb.Span{
		SpanId: spanID(m.trace, kindAction, s.N), Name: "execute_tool " + s.Action.Name,
		Kind: tracepb.Span_SPAN_KIND_INTERNAL,
	}
	if s.Reply != nil {
		span.Links = []*tracepb.Span_Link{{TraceId: m.trace, SpanId: spanID(m.trace, kindCall, s.N)}}
	}
	m.add(span, list, s.Acted, s.Ended)
	if o.Status.Failed() {
		failed(span, "tool_error", short(edited.Text, maxMessage))
	}
	if len(o.Hits) > 0 {
		m.retrieval(s, span)
	}
}

// retrieval adds the search of a retrieval, with the passages that the model got.
func (m *maker) retrieval(s qa.Step, parent *tracepb.Span) {
	var list attributes
	list.add("gen_ai.operation.name", "retrieval")
	list.add("gen_ai.data_source.id", m.run.Config.Shape.Data)
	if limit, ok := s.Action.Args["limit"].(int64); ok {
		list.add("gen_ai.retrieval.top_k", int(limit))
	}
	if query, ok := s.Action.Args["query"].(string); ok {
		list.add("gen_ai.retrieval.query.text", short(m.text(query), maxText))
	}
	var found []document
	for _, hit := range s.Observation.Hits {
		if !hit.Beyond {
			found = append(found, document{hit.ID, hit.Score})
		}
	}
	list.add("gen_ai.retrieval.documents", encoded(found))
	span := &tracepb.Span{
		SpanId: spanID(m.trace, kindRetrieval, s.N), ParentSpanId: parent.SpanId, Name: "retrieval " + s.Action.Name, Kind: tracepb.Span_SPAN_KIND_CLIENT,
	}
	m.add(span, list, s.Acted, s.Ended)
}
