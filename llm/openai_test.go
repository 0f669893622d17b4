package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

const plantedKey = "sk-planted/key<42>"

// clock is a time that only sleeping moves.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

func start(t *testing.T, c openaitest.Config) *openaitest.Server {
	t.Helper()
	s := openaitest.New(c)
	t.Cleanup(s.Close)
	return s
}

// config asks the server with a fixed clock and no jitter.
func config(s *openaitest.Server, model string) llm.Config {
	c := newClock()
	return llm.Config{
		Spec: "openai:" + model, Access: llm.Access{BaseURL: s.URL(), Key: plantedKey},
		Sleep: c.Sleep, Now: c.Now, Rand: func() float64 { return 0 },
	}
}

func open(t *testing.T, c llm.Config) qa.Model {
	t.Helper()
	m, err := llm.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask(t *testing.T, c llm.Config, messages ...qa.Message) (qa.Reply, error) {
	t.Helper()
	if len(messages) == 0 {
		messages = []qa.Message{{Role: qa.User, Text: "why?"}}
	}
	return open(t, c).Complete(t.Context(), qa.Request{Messages: messages})
}

func TestRequestBody(t *testing.T) {
	tests := []struct {
		name     string
		model    string
		sampling qa.Sampling
		want     string
	}{
		{"nothing set", "m", qa.Sampling{}, `{"model":"m"}`},
		{"temperature 0", "m", qa.Sampling{Temperature: new(0.0)}, `{"model":"m","temperature":0}`},
		{"temperature", "m", qa.Sampling{Temperature: new(0.7)}, `{"model":"m","temperature":0.7}`},
		{
			"sampling of a model that refuses it", "o3",
			qa.Sampling{Temperature: new(1.0), TopP: new(0.9), Seed: new(1)},
			`{"model":"o3","seed":1}`,
		},
		{"reasoning model, nothing set", "o4-mini", qa.Sampling{}, `{"model":"o4-mini"}`},
		{"top p", "m", qa.Sampling{TopP: new(0.95)}, `{"model":"m","top_p":0.95}`},
		{"seed", "m", qa.Sampling{Seed: new(42)}, `{"model":"m","seed":42}`},
		{"seed 0", "m", qa.Sampling{Seed: new(0)}, `{"model":"m","seed":0}`},
		{"max tokens", "m", qa.Sampling{MaxTokens: 100}, `{"max_tokens":100,"model":"m"}`},
		{"max tokens, new name, other server", "gpt-5", qa.Sampling{MaxTokens: 9}, `{"max_tokens":9,"model":"gpt-5"}`},
		{"all", "a/b:c", qa.Sampling{
			Temperature: new(0.1), TopP: new(1.0), Seed: new(-1), MaxTokens: 5, ReasoningEffort: "low",
		}, `{"max_tokens":5,"model":"a/b:c","reasoning_effort":"low","seed":-1,"temperature":0.1,"top_p":1}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{Key: plantedKey})
			c := config(s, test.model)
			c.Sampling = test.sampling
			if _, err := ask(t, c); err != nil {
				t.Fatal(err)
			}
			want := strings.Replace(test.want, `"model"`, `"messages":[{"role":"user","content":"why?"}],"model"`, 1)
			if diff := cmp.Diff(want, string(s.Requests()[0].Body)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

// bodyOf answers in the place of api.openai.com and keeps the request.
func bodyOf(t *testing.T, c llm.Config) (host, body string) {
	t.Helper()
	s := start(t, openaitest.Config{})
	c.Key, c.Sampling.MaxTokens = plantedKey, 7
	c.HTTPClient = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		host = r.URL.Scheme + "://" + r.URL.Host
		r.URL.Scheme, r.URL.Host = "http", s.Host()
		return http.DefaultTransport.RoundTrip(r)
	})}
	if _, err := ask(t, c); err != nil {
		t.Fatal(err)
	}
	return host, string(s.Requests()[0].Body)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestTokenLimitAtOpenAI(t *testing.T) {
	for model, field := range map[string]string{
		"gpt-4o": "max_tokens", "gpt-4.1-mini": "max_tokens", "omni": "max_tokens",
		"o1": "max_completion_tokens", "o3-mini": "max_completion_tokens", "gpt-5.1-nano": "max_completion_tokens",
		"ft:o4-mini:me": "max_completion_tokens", "tuned": "max_completion_tokens",
	} {
		t.Run(model, func(t *testing.T) {
			c := llm.Config{Spec: "openai:" + model}
			if model == "tuned" {
				c.Sampling.ReasoningEffort = "low"
			}
			host, body := bodyOf(t, c)
			if host != "https://api.openai.com" {
				t.Errorf("host %s", host)
			}
			var fields map[string]json.RawMessage
			if err := json.Unmarshal([]byte(body), &fields); err != nil {
				t.Fatal(err)
			}
			delete(fields, "messages")
			delete(fields, "model")
			delete(fields, "reasoning_effort")
			if diff := cmp.Diff(map[string]json.RawMessage{field: json.RawMessage("7")}, fields); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMessagesKeepTheirRoles(t *testing.T) {
	messages := []qa.Message{
		{Role: qa.System, Text: "be <brief> & exact"},
		{Role: qa.User, Text: "look", Images: []qa.Image{{Data: []byte("png"), MIME: "image/png"}, {Data: []byte("x")}}},
		{Role: qa.Assistant, Text: "Thought: …"},
		{Role: qa.User},
		{Role: qa.System, Text: "late"},
		{Role: qa.User, Images: []qa.Image{{Data: []byte("jpg"), MIME: "image/jpeg"}}},
	}
	want := []openaitest.Message{
		{Role: "system", Text: "be <brief> & exact"},
		{Role: "user", Text: "look", Images: []string{"data:image/png;base64,cG5n", "data:image/png;base64,eA=="}},
		{Role: "assistant", Text: "Thought: …"},
		{Role: "user"},
		{Role: "system", Text: "late"},
		{Role: "user", Images: []string{"data:image/jpeg;base64,anBn"}},
	}
	asUser := slices.Clone(want)
	asUser[0].Role, asUser[4].Role = "user", "user"
	for _, model := range []string{"gpt-4o", "o1", "o1-mini", "o1-preview", "o3", "O3-MINI", "gpt-5", "deepseek-ai/DeepSeek-R1"} {
		t.Run(model, func(t *testing.T) {
			want := want
			if model == "o1-mini" || model == "o1-preview" || strings.HasSuffix(model, "R1") {
				want = asUser
			}
			s := start(t, openaitest.Config{})
			if _, err := ask(t, config(s, model), messages...); err != nil {
				t.Fatal(err)
			}
			got, err := s.Requests()[0].Messages()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSystemMessageAlone(t *testing.T) {
	s := start(t, openaitest.Config{})
	if _, err := ask(t, config(s, "o1"), qa.Message{Role: qa.System, Text: "alone"}); err != nil {
		t.Fatal(err)
	}
	want := `{"messages":[{"role":"system","content":"alone"}],"model":"o1"}`
	if diff := cmp.Diff(want, string(s.Requests()[0].Body)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

func TestReply(t *testing.T) {
	s := start(t, openaitest.Config{
		Reply: openaitest.Script("the answer"), Reasoning: "let me think", Model: "m-2026-01-01",
		Usage: &openaitest.Usage{Prompt: 100, Completion: 20, Cached: 64, Reasoning: 12},
	})
	c := config(s, "m")
	got, err := ask(t, c)
	if err != nil {
		t.Fatal(err)
	}
	want := qa.Reply{
		Text: "the answer", Reasoning: "let me think", Model: "m-2026-01-01", ID: "chatcmpl-test", Finish: "stop",
		Usage:    qa.Usage{Prompt: 100, Completion: 20, Cached: 64, Reasoning: 12},
		Attempts: []qa.Attempt{{Started: c.Now(), Status: 200}},
	}
	got.Sealed = nil // see TestMembersGoBack
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

func TestUsageIsEstimatedWhenMissing(t *testing.T) {
	s := start(t, openaitest.Config{Reply: openaitest.Script("hello world"), Reasoning: "one two three", OmitUsage: true})
	got, err := ask(t, config(s, "m"),
		qa.Message{Role: qa.System, Text: "hello world"},
		qa.Message{Role: qa.User, Text: "hello", Images: []qa.Image{{Data: []byte("x"), Width: 1024, Height: 1024}}})
	if err != nil {
		t.Fatal(err)
	}
	want := qa.Usage{Prompt: 3 + 2 + 4 + 1 + 4 + 765, Completion: 2 + 3, Reasoning: 3, Estimated: true}
	if diff := cmp.Diff(want, got.Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

func TestReplyForms(t *testing.T) {
	const usage = `"usage":{"prompt_tokens":1,"completion_tokens":2,"prompt_cache_hit_tokens":1}`
	tests := []struct{ name, body, text, reasoning string }{
		{"null content", `{"choices":[{"message":{"content":null},"finish_reason":null}],` + usage + `}`, "", ""},
		{"parts", `{"choices":[{"message":{"content":[{"type":"thinking","text":"x"},{"type":"text","text":"a"},` +
			`{"type":"text","text":"b"}]}}],` + usage + `}`, "ab", ""},
		{"other name of the reasoning", `{"choices":[{"message":{"content":"a","reasoning":"r"}}],` + usage + `}`, "a", "r"},
		{"blank lines first", "\n\n \n" + `{"choices":[{"message":{"content":"a"}}],` + usage + `}`, "a", ""},
		{"unknown fields", `{"x":{},"choices":[{"y":1,"message":{"content":"a","tool_calls":null}}],` + usage + `}`, "a", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(200, test.body))
			got, err := ask(t, config(s, "m"))
			if err != nil {
				t.Fatal(err)
			}
			got.Attempts, got.Sealed = nil, nil
			want := qa.Reply{
				Text: test.text, Reasoning: test.reasoning, Usage: qa.Usage{Prompt: 1, Completion: 2, Cached: 1},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnsendableMessages(t *testing.T) {
	tests := []struct {
		name     string
		messages []qa.Message
		want     string
	}{
		{"none", []qa.Message{}, "no messages"},
		{"role", []qa.Message{{Role: "robot"}}, `message 1: unknown role "robot"`},
		{
			"image",
			[]qa.Message{{Role: qa.User}, {Role: qa.User, Images: []qa.Image{{SHA256: "ab"}}}},
			"message 2: image ab has no data",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			_, err := open(t, config(s, "m")).Complete(t.Context(), qa.Request{Messages: test.messages})
			if err == nil || err.Error() != test.want || qa.ClassOf(err) != qa.FailBadRequest {
				t.Errorf("error %v of class %s", err, qa.ClassOf(err))
			}
			if s.Calls() != 0 {
				t.Errorf("%d requests", s.Calls())
			}
		})
	}
}

func TestOverlappingCalls(t *testing.T) {
	s := start(t, openaitest.Config{Reply: func(m []openaitest.Message) string { return m[0].Text }})
	m := open(t, config(s, "m"))
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			text := strings.Repeat("x", i+1)
			got, err := m.Complete(t.Context(), qa.Request{Messages: []qa.Message{{Role: qa.User, Text: text}}})
			if err != nil || got.Text != text {
				t.Errorf("got %q, %v", got.Text, err)
			}
		})
	}
	wg.Wait()
}

func TestCancelReturnsAtOnce(t *testing.T) {
	s := start(t, openaitest.Config{})
	ctx, cancel := context.WithCancel(t.Context())
	s.Fail(openaitest.Hang(cancel))
	_, err := open(t, config(s, "m")).Complete(ctx, qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "why?"}}})
	var call *qa.CallError
	if !errors.Is(err, context.Canceled) || qa.ClassOf(err) != qa.FailCancelled || !errors.As(err, &call) {
		t.Fatalf("error %v of class %s", err, qa.ClassOf(err))
	}
	if len(call.Attempts) != 1 || call.Attempts[0].Error != qa.FailCancelled || s.Calls() != 1 {
		t.Errorf("attempts %+v", call.Attempts)
	}
	if _, err = open(t, config(s, "m")).Complete(ctx, qa.Request{}); err == nil || s.Calls() != 1 {
		t.Errorf("a dead context: error %v, %d requests", err, s.Calls())
	}
}

func TestSeedAtMistral(t *testing.T) {
	s := start(t, openaitest.Config{})
	c := config(s, "")
	c.Spec, c.Sampling = "mistral:m", qa.Sampling{Seed: new(7)}
	if _, err := ask(t, c); err != nil {
		t.Fatal(err)
	}
	if body := string(s.Requests()[0].Body); !strings.Contains(body, `"random_seed":7`) || strings.Contains(body, `"seed"`) {
		t.Errorf("sent %s", body)
	}
}
