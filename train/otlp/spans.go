package otlp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train"
)

// spansOf returns the spans of an episode: its calls and actions in order, and the episode itself at the end, if it has
// one.
func spansOf(m *maker) []*tracepb.Span {
	providers := map[string]string{"google": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai"}
	m.replies, m.written = make(map[int]bool), make(map[int]bool)
	m.trace = digest("trace", m.run.ID, m.rec.UUID, m.rec.Repeat)[:16]
	m.root = spanID(m.trace, kindEpisode, 0)
	for i, message := range m.rec.Messages {
		m.replies[i] = message.Role == qa.Assistant
	}
	described := m.run.Config.Shape.Model
	provider, _ := described["provider"].(string)
	name, _ := described["model"].(string)
	m.model = cmp.Or(name, provider, "unknown")
	m.provider = cmp.Or(providers[provider], provider, "unknown")
	m.host, m.port = m.server(m.run.Config.Note.BaseURL)
	for _, s := range m.rec.Steps {
		if s.Reply != nil {
			m.call(s)
		}
		if s.Observation != nil && s.Action != nil {
			m.action(s)
		}
	}
	for i, a := range m.rec.FailedAttempts { // of a call that brought no reply
		list := m.request()
		if a.Status > 0 {
			list.add("http.response.status_code", a.Status)
		}
		span := &tracepb.Span{SpanId: spanID(m.trace, kindFailed, i), Name: "chat " + m.model, Kind: tracepb.Span_SPAN_KIND_CLIENT}
		m.add(span, list, a.Started, a.Started.Add(time.Duration(a.Seconds*float64(time.Second))))
		failed(span, cmp.Or(string(a.Error), string(qa.FailUnknown)), "no reply")
	}
	if m.rec.Outcome != "" {
		m.episode()
	}
	return m.spans
}

type maker struct {
	run *train.Run
	rec runlog.Recorded
	// score is nil if the answer was never scored; scoring are its rules.
	score   *qa.Score
	scoring runlog.Scoring
	// edit is the last change to every message: redaction.
	edit func(qa.Message) qa.Message

	trace []byte
	root  []byte
	spans []*tracepb.Span
	// replies are the messages that are replies, written are those that an earlier call has.
	replies, written map[int]bool
	// last is the span of the last call.
	last []byte
	// model and provider as the conventions name them.
	model, provider string
	host            string
	port            int
}

// server returns the address of the endpoint, unless redaction would change it.
func (m *maker) server(base string) (string, int) {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" || m.text(base) != base {
		return "", 0
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		port = map[string]int{"https": 443, "http": 80}[u.Scheme]
	}
	return u.Hostname(), port
}

func (m *maker) text(s string) string {
	return m.edit(qa.Message{Role: qa.Assistant, Text: s}).Text
}

// add adds a span below the episode.
func (m *maker) add(s *tracepb.Span, list attributes, began, ended time.Time) *tracepb.Span {
	s.TraceId = m.trace
	if s.ParentSpanId == nil {
		s.ParentSpanId = m.root
	}
	s.Name = valid(s.Name)
	s.Attributes = list
	s.StartTimeUnixNano, s.EndTimeUnixNano = nanos(began), max(nanos(began), nanos(ended))
	m.spans = append(m.spans, s)
	return s
}

// episode adds the span of the whole episode. Usage is not repeated here: backends add up the spans of a trace.
func (m *maker) episode() {
	rec, config := m.rec, m.run.Config
	var list attributes
	list.add("gen_ai.operation.name", "invoke_agent")
	list.add("gen_ai.provider.name", m.provider)
	list.add("gen_ai.agent.name", config.Shape.Baseline)
	list.add("gen_ai.agent.version", config.Program)
	list.add("gen_ai.conversation.id", train.RowID(m.run.ID, rec.UUID, rec.Repeat, 0))
	list.add("gen_ai.data_source.id", config.Shape.Data)
	list.add("gen_ai.request.model", m.model)
	list.add("gen_ai.tool.definitions", m.tools())
	list.add("airqa.run.id", m.run.ID)
	list.add("airqa.question.uuid", rec.UUID)
	list.add("airqa.question.repeat", rec.Repeat)
	list.add("airqa.outcome", string(rec.Outcome))
	if rec.Answer.Given {
		list.add("airqa.answer", short(m.text(rec.Answer.Text), maxText))
	}
	s := m.add(&tracepb.Span{SpanId: m.root, Name: "invoke_agent " + config.Shape.Baseline, Kind: tracepb.Span_SPAN_KIND_INTERNAL}, list,
		rec.Started, rec.Ended)
	s.ParentSpanId = nil
	if rec.Outcome.Failed() {
		failed(s, string(rec.Outcome), m.text(rec.Reason))
	}
	if event := m.evaluation(); event != nil {
		s.Events = append(s.Events, event)
	}
}

// tools returns the tools that were offered natively, in the form of OpenAI's endpoints.
func (m *maker) tools() string {
	type definition struct {
		Type string `json:"type"`
		qa.ToolSpec
	}
	var list []definition
	for _, t := range m.run.Tools {
		list = append(list, definition{"function", t})
	}
	if list == nil {
		return ""
	}
	return encoded(list)
}

// encoded is the JSON of plain data, which always has one.
func encoded(v any) string {
	text, _ := ledger.EncodeText(v)
	return text
}

func (m *maker) evaluation() *tracepb.Span_Event {
	score := m.score
	if score == nil {
		return nil
	}
	var list attributes
	list.add("gen_ai.evaluation.name", "airqa."+m.scoring.Mode+"."+m.scoring.Judge)
	if score.Verdict == qa.Unscored {
		list.add("error.type", "unscored")
	} else {
		list.add("gen_ai.evaluation.score.value", score.Value)
	}
	list.add("gen_ai.evaluation.score.label", string(score.Verdict))
	list.add("gen_ai.evaluation.explanation", short(m.text(score.Reason), maxMessage))
	list.add("airqa.evaluation.function", score.Func)
	at := m.scoring.Created
	if at.IsZero() {
		at = m.rec.Ended
	}
	return &tracepb.Span_Event{TimeUnixNano: nanos(at), Name: "gen_ai.evaluation.result", Attributes: list}
}

// imageNames are the names of images in the run directory.
func imageNames(list []qa.Image) []string {
	var names []string
	for _, im := range list {
		names = append(names, "images/"+im.SHA256+".png")
	}
	return names
}

// arguments returns arguments as JSON, redacted.
func (m *maker) arguments(args any) string {
	raw := json.RawMessage(encoded(args))
	edited := m.edit(qa.Message{Role: qa.Assistant, ToolCalls: []qa.ToolCall{{Arguments: raw}}})
	return string(edited.ToolCalls[0].Arguments)
}

// The kinds of spans.
const (
	kindEpisode   = "episode"
	kindCall      = "call"
	kindAction    = "action"
	kindRetrieval = "retrieval"
	kindFailed    = "failed"
)

// spanID identifies a span of a trace; n is the number of a step, or of a request that failed.
func spanID(trace []byte, kind string, n int) []byte {
	return digest("span", hex.EncodeToString(trace), kind, n)[:8]
}

// digest is a hash of values that are separated by a zero byte.
func digest(values ...any) []byte {
	h := sha256.New()
	for _, v := range values {
		_, _ = fmt.Fprintf(h, "%v\x00", v)
	}
	return h.Sum(nil)
}
