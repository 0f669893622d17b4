package otlp_test

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"airqa/internal/files"
	"airqa/internal/testkit/recordtest"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train/otlp"
)

// collector is an OTLP receiver.
type collector struct {
	*httptest.Server
	mu       sync.Mutex
	spans    []*tracepb.Span
	requests int
	header   http.Header
	// refuse, if not nil, answers in place of the receiver when it returns true.
	refuse func(w http.ResponseWriter, request int) bool
}

func receive(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests++
		c.header = r.Header
		body, err := gzip.NewReader(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL, err)
			return
		}
		raw, err := io.ReadAll(body)
		var in coltracepb.ExportTraceServiceRequest
		if err != nil || proto.Unmarshal(raw, &in) != nil || len(raw) > 20<<20 {
			t.Errorf("a request of %d bytes cannot be read: %v", len(raw), err)
			return
		}
		if c.refuse != nil && c.refuse(w, c.requests) {
			return
		}
		for _, rs := range in.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				c.spans = append(c.spans, ss.Spans...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// unique returns the spans by key, and fails for one that was sent twice.
func (c *collector) unique(t *testing.T) map[string]*tracepb.Span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]*tracepb.Span)
	for _, s := range c.spans {
		if all[key(s)] != nil {
			t.Errorf("span %s was sent twice", s.Name)
		}
		all[key(s)] = s
	}
	return all
}

// key identifies a span.
func key(s *tracepb.Span) string {
	return hex.EncodeToString(s.TraceId) + ":" + hex.EncodeToString(s.SpanId)
}

func record(t *testing.T, c recordtest.Config) recordtest.Made {
	t.Helper()
	if c.Dir == "" {
		c.Dir = recordtest.Dir(t, "run")
	}
	c.Baseline = "agentic-hybrid-view"
	if c.Settings.Turns == 0 {
		c.Settings = qa.DefaultSettings()
	}
	return recordtest.Make(t, c)
}

func config(runs ...string) otlp.Config { return otlp.Config{Runs: runs, Program: "airqa test"} }

func send(t *testing.T, c otlp.Config, url string) otlp.Summary {
	t.Helper()
	sum, err := otlp.Send(t.Context(), c, url)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func attribute(s *tracepb.Span, name string) string {
	for _, a := range s.Attributes {
		if a.Key == name {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

func number(s *tracepb.Span, name string) int64 {
	for _, a := range s.Attributes {
		if a.Key == name {
			return a.Value.GetIntValue()
		}
	}
	return 0
}

// A receiver gets every span once, in whole trees within the default limits.
func TestSend(t *testing.T) {
	for _, protocol := range []qa.Protocol{qa.ReActText, qa.NativeTools} {
		t.Run(string(protocol), func(t *testing.T) {
			settings := qa.DefaultSettings()
			settings.Protocol = protocol
			made := record(t, recordtest.Config{Settings: settings, Repeats: 3, Thinking: true, Scored: true, Interrupt: true})
			c := receive(t)
			sum := send(t, config(made.Run.Dir), c.URL)
			spans := c.unique(t)
			if sum.Spans != len(spans) || sum.Episodes != 12 {
				t.Errorf("%+v, %d received", sum, len(spans))
			}
			checkTrees(t, made.Run, spans)
			checkFile(t, made.Run.Dir, spans)
		})
	}
}

// checkTrees checks the spans against the log.
func checkTrees(t *testing.T, r *runlog.Run, spans map[string]*tracepb.Span) {
	t.Helper()
	var usage qa.Usage
	calls, actions, scores, roots := 0, 0, 0, 0
	for _, s := range spans {
		if len(s.Attributes) > 128 || len(s.Events) > 128 || len(s.Links) > 128 || s.EndTimeUnixNano < s.StartTimeUnixNano || s.StartTimeUnixNano == 0 {
			t.Errorf("%s: %d attributes, %d events, from %d to %d", s.Name, len(s.Attributes), len(s.Events), s.StartTimeUnixNano, s.EndTimeUnixNano)
		}
		if parent := (&tracepb.Span{TraceId: s.TraceId, SpanId: s.ParentSpanId}); s.ParentSpanId != nil && spans[key(parent)] == nil {
			t.Errorf("%s has no parent", s.Name)
		}
		usage.Prompt += int(number(s, "gen_ai.usage.input_tokens"))
		usage.Completion += int(number(s, "gen_ai.usage.output_tokens"))
		switch attribute(s, "gen_ai.operation.name") {
		case "invoke_agent":
			roots++
			scores += len(s.Events)
			checkHistory(t, r, s, spans)
		case "chat":
			calls++
		case "execute_tool":
			actions++
			if !json.Valid([]byte(attribute(s, "gen_ai.tool.call.arguments"))) {
				t.Errorf("arguments %q", attribute(s, "gen_ai.tool.call.arguments"))
			}
		}
	}
	var want qa.Usage
	turns, acted := 0, 0
	for rec, err := range r.Episodes() {
		if err != nil {
			t.Fatal(err)
		}
		want = want.Add(rec.Usage())
		turns += rec.Turns() + len(rec.FailedAttempts)
		for _, s := range rec.Steps {
			if s.Action != nil && s.Observation != nil {
				acted++
			}
		}
	}
	if usage.Prompt != want.Prompt || usage.Completion != want.Completion || calls != turns || actions != acted || roots != len(r.UUIDs()) || scores != roots {
		t.Errorf("%d calls of %d, %d actions of %d, %d episodes with %d scores, usage %+v of %+v", calls, turns, actions, acted, roots, scores, usage, want)
	}
}

// checkHistory checks that the calls of an episode have each message that the model saw once.
func checkHistory(t *testing.T, r *runlog.Run, root *tracepb.Span, spans map[string]*tracepb.Span) {
	t.Helper()
	rec, err := r.Episode(attribute(root, "airqa.question.uuid"), int(number(root, "airqa.question.repeat")))
	if err != nil {
		t.Fatal(err)
	}
	type message struct {
		Role  string
		Parts []struct{ Content, Response string }
	}
	var got, want []string
	for _, s := range spans {
		if hex.EncodeToString(s.TraceId) != hex.EncodeToString(root.TraceId) {
			continue
		}
		var list []message
		for _, name := range []string{"gen_ai.input.messages", "gen_ai.output.messages"} {
			if text := attribute(s, name); text != "" {
				if err := json.Unmarshal([]byte(text), &list); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			for _, m := range list {
				if name == "gen_ai.input.messages" {
					got = append(got, m.Parts[0].Content+m.Parts[0].Response)
				}
			}
		}
	}
	shown := make(map[int]bool)
	for _, s := range rec.Steps {
		for _, span := range s.Shown {
			for i := span.First; i < span.End; i++ {
				shown[i] = true
			}
		}
	}
	for i, m := range rec.Messages {
		if shown[i] && (m.Role == qa.User || m.Role == qa.ToolResult) {
			want = append(want, m.Text)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: messages of users and tools (-log +spans):\n%s", rec.Episode, diff)
	}
}

// checkFile checks that the file has the same spans, and the same bytes each time.
func checkFile(t *testing.T, dir string, spans map[string]*tracepb.Span) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "t")
	for i := range 2 {
		if _, unchanged, err := otlp.WriteFile(config(dir), out, false); err != nil || unchanged != (i == 1) {
			t.Fatalf("write %d: unchanged is %v, %v", i, unchanged, err)
		}
	}
	raw, err := os.ReadFile(filepath.Join(out, otlp.FileName))
	if err != nil {
		t.Fatal(err)
	}
	// The names are those of the version that is stated.
	if !strings.Contains(string(raw), `"schemaUrl":"https://opentelemetry.io/schemas/gen-ai/0.1.0"`) || !strings.Contains(string(raw), "gen_ai.retrieval.documents") ||
		!strings.Contains(string(raw), "gen_ai.retrieval.top_k") || strings.Contains(string(raw), "gen_ai.request.top_k") {
		t.Error("the names do not follow version 0.1.0 of the GenAI conventions")
	}
	n := 0
	for line := range strings.Lines(string(raw)) {
		var data struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Spans []struct {
						TraceID, SpanID, Name string
						Kind                  int
						StartTimeUnixNano     string
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(line), &data); err != nil {
			t.Fatal(err)
		}
		for _, s := range data.ResourceSpans[0].ScopeSpans[0].Spans {
			sent := spans[s.TraceID+":"+s.SpanID]
			if sent == nil || sent.Name != s.Name || int(sent.Kind) != s.Kind {
				t.Errorf("%s is in the file only", s.Name)
			}
			n++
		}
	}
	if n != len(spans) {
		t.Errorf("%d spans in the file, %d were sent", n, len(spans))
	}
	other := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := otlp.WriteFile(config(dir), other, false); !errors.As(err, new(*files.OccupiedError)) {
		t.Errorf("another file was replaced: %v", err)
	}
	if _, _, err := otlp.WriteFile(config(dir), other, true); err != nil {
		t.Error(err)
	}
}

// A failure names the host, its reason and how many spans arrived.
func TestFailure(t *testing.T) {
	made := record(t, recordtest.Config{Repeats: 60})
	c := receive(t)
	c.refuse = func(w http.ResponseWriter, request int) bool {
		if request == 2 {
			http.Error(w, "the disk is full", http.StatusInsufficientStorage)
		}
		return request == 2
	}
	sum, err := otlp.Send(t.Context(), config(made.Run.Dir), c.URL)
	host := strings.TrimPrefix(c.URL, "http://")
	if err == nil || !strings.Contains(err.Error(), host) || !strings.Contains(err.Error(), "disk is full") || sum.Spans != len(c.unique(t)) {
		t.Fatalf("%+v, %v", sum, err)
	}
}

// Spans that the receiver rejects are an error, though the request succeeds.
func TestRejected(t *testing.T) {
	made := record(t, recordtest.Config{})
	c := receive(t)
	c.refuse = func(w http.ResponseWriter, _ int) bool {
		raw, err := proto.Marshal(&coltracepb.ExportTraceServiceResponse{PartialSuccess: &coltracepb.ExportTracePartialSuccess{RejectedSpans: 2, ErrorMessage: "too old"}})
		if err != nil {
			return false
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(raw)
		return true
	}
	if _, err := otlp.Send(t.Context(), config(made.Run.Dir), c.URL); err == nil || !strings.Contains(err.Error(), "too old") {
		t.Errorf("error %v", err)
	}
}

// Nothing follows a redirect to another host: the headers hold a key.
func TestRedirect(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=c2VjcmV0")
	elsewhere := receive(t)
	from := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/v1/traces", http.StatusPermanentRedirect))
	t.Cleanup(from.Close)
	made := record(t, recordtest.Config{})
	_, err := otlp.Send(t.Context(), config(made.Run.Dir), from.URL)
	if err == nil || !strings.Contains(err.Error(), "which was not named") || elsewhere.requests > 0 {
		t.Errorf("%v, %d requests elsewhere", err, elsewhere.requests)
	}
}

// A key in the environment is sent, and is in no error.
func TestHeader(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Basic%20c2VjcmV0")
	made := record(t, recordtest.Config{})
	c := receive(t)
	send(t, config(made.Run.Dir), c.URL)
	if got := c.header.Get("Authorization"); got != "Basic c2VjcmV0" {
		t.Errorf("header %q", got)
	}
	for _, want := range []string{"Basic c2VjcmV0", "c2VjcmV0"} {
		if !slices.Contains(otlp.HeaderValues(os.Getenv), want) {
			t.Errorf("%q is not redacted", want)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for _, endpoint := range []string{"", "localhost:4318", "ftp://x", "http://user:key@host", "http://host/v1/traces?key=x", "http://"} {
		if _, err := otlp.Send(t.Context(), config(), endpoint); !errors.As(err, new(*qa.UsageError)) {
			t.Errorf("%q: %v", endpoint, err)
		}
	}
	made := record(t, recordtest.Config{})
	c := receive(t)
	c.Close()
	if _, err := otlp.Send(t.Context(), config(made.Run.Dir), c.URL); err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(c.URL, "http://")) {
		t.Errorf("error %v does not name the host", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := otlp.Send(ended, config(made.Run.Dir), receive(t).URL); err == nil {
		t.Error("a cancelled export succeeds")
	}
}
