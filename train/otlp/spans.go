package otlp

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train/windows"
)

// Episode is a recorded episode to write as spans.
type Episode struct {
	Run      *windows.Run
	Recorded runlog.Recorded
	// Score is nil if the answer was never scored; Scoring are its rules.
	Score   *qa.Score
	Scoring runlog.Scoring
	// Edit is the last change to every message: redaction, for example.
	Edit func(qa.Message) qa.Message
}

// Spans returns the spans of an episode: its calls and actions in order, and the episode itself at the end, if it has
// one.
func Spans(e Episode) []*tracepb.Span {
	providers := map[string]string{"google": "gcp.gemini", "mistral": "mistral_ai", "xai": "x_ai"}
	m := &maker{e: e, replies: make(map[int]bool), written: make(map[int]bool)}
	m.trace = digest("trace", e.Run.ID, e.Recorded.UUID, e.Recorded.Repeat)[:16]
	m.root = spanID(m.trace, kindEpisode, 0)
	for i, message := range e.Recorded.Messages {
		m.replies[i] = message.Role == qa.Assistant
	}
	described := e.Run.Config.Shape.Model
	provider, _ := described["provider"].(string)
	name, _ := described["model"].(string)
	m.model = cmp.Or(name, provider, "unknown")
	m.provider = cmp.Or(providers[provider], provider, "unknown")
	m.host, m.port = m.server(e.Run.Config.Note.BaseURL)
	for _, s := range e.Recorded.Steps {
		if s.Reply != nil {
			m.call(s)
		}
		if s.Observation != nil && s.Action != nil {
			m.action(s)
		}
	}
	for i, a := range e.Recorded.FailedAttempts {
		m.failedRequest(i, a)
	}
	if e.Recorded.Outcome != "" {
		m.episode()
	}
	return m.spans
}

// maker collects the spans of one episode.
type maker struct {
	e     Episode
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

// text is a redacted text of the model or the program.
func (m *maker) text(s string) string {
	return m.e.Edit(qa.Message{Role: qa.Assistant, Text: s}).Text
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
	rec, config := m.e.Recorded, m.e.Run.Config
	var list attributes
	list.add("gen_ai.operation.name", "invoke_agent")
	list.add("gen_ai.provider.name", m.provider)
	list.add("gen_ai.agent.name", config.Shape.Baseline)
	list.add("gen_ai.agent.version", config.Program)
	list.add("gen_ai.conversation.id", windows.RowID(m.e.Run.ID, rec.UUID, rec.Repeat, 0))
	list.add("gen_ai.data_source.id", config.Shape.Data)
	list.add("gen_ai.request.model", m.model)
	list.add("gen_ai.tool.definitions", m.tools())
	list.add("airqa.run.id", m.e.Run.ID)
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
	for _, t := range m.e.Run.Tools {
		list = append(list, definition{"function", t})
	}
	if list == nil {
		return ""
	}
	return encoded(list)
}

// encoded is the JSON of plain data.
func encoded(v any) string {
	line, err := ledger.Encode(v)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(string(line), "\n")
}

// evaluation returns the score as an event; nil if there is none.
func (m *maker) evaluation() *tracepb.Span_Event {
	score := m.e.Score
	if score == nil {
		return nil
	}
	var list attributes
	list.add("gen_ai.evaluation.name", "airqa."+m.e.Scoring.Mode+"."+m.e.Scoring.Judge)
	if score.Verdict == qa.Unscored {
		list.add("error.type", "unscored")
	} else {
		list.add("gen_ai.evaluation.score.value", score.Value)
	}
	list.add("gen_ai.evaluation.score.label", string(score.Verdict))
	list.add("gen_ai.evaluation.explanation", short(m.text(score.Reason), maxMessage))
	list.add("airqa.evaluation.function", score.Func)
	at := m.e.Scoring.Created
	if at.IsZero() {
		at = m.e.Recorded.Ended
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
	edited := m.e.Edit(qa.Message{Role: qa.Assistant, ToolCalls: []qa.ToolCall{{Arguments: raw}}})
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
