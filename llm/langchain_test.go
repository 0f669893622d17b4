package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

// foreign are the providers that langchaingo's own clients speak to, as a test server takes them.
func foreign(t *testing.T, s *openaitest.Server) map[string]llm.Config {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
	t.Setenv("AWS_SECRET_ACCESS_KEY", plantedKey)
	t.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
	bedrock, cloudflare := config(s, ""), config(s, "")
	bedrock.Spec, bedrock.BaseURL = "bedrock:anthropic.claude-x-v1:0", s.Root()
	cloudflare.Spec, cloudflare.BaseURL = "cloudflare:@cf/meta/llama", s.URL()+"/account"
	return map[string]llm.Config{"bedrock": bedrock, "cloudflare": cloudflare}
}

func TestForeignProviders(t *testing.T) {
	s := start(t, openaitest.Config{Reply: openaitest.Script("the answer"), Usage: &openaitest.Usage{Prompt: 100, Completion: 20}})
	all := foreign(t, s)
	for provider, want := range map[string]struct {
		path, authorization string
		usage               qa.Usage
	}{
		"bedrock":    {"/model/anthropic.claude-x-v1:0/invoke", "AWS4-HMAC-SHA256 Credential=AKIDTEST/", qa.Usage{Prompt: 100, Completion: 20}},
		"cloudflare": {"/v1/account/ai/run/@cf/meta/llama", "Bearer " + plantedKey, qa.Usage{Prompt: 12, Completion: 2, Estimated: true}},
	} {
		t.Run(provider, func(t *testing.T) {
			got, err := ask(t, all[provider], qa.Message{Role: qa.User, Text: "why?"}, qa.Message{Role: qa.Assistant, Text: "so"},
				qa.Message{Role: qa.User, Text: "and?"})
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != "the answer" || len(got.Attempts) != 1 {
				t.Errorf("reply %+v", got)
			}
			if !want.usage.Estimated {
				if diff := cmp.Diff(want.usage, got.Usage); diff != "" {
					t.Errorf("usage (-want +got):\n%s", diff)
				}
			} else if !got.Usage.Estimated || got.Usage.Prompt == 0 {
				t.Errorf("usage %+v, want an estimate", got.Usage)
			}
			r := s.Requests()[s.Calls()-1]
			if r.Path != want.path || !strings.HasPrefix(r.Header.Get("Authorization"), want.authorization) {
				t.Errorf("%s, authorization %q", r.Path, r.Header.Get("Authorization"))
			}
			if !strings.Contains(string(r.Body), "why?") || !strings.Contains(string(r.Body), "and?") {
				t.Errorf("sent %s", r.Body)
			}
		})
	}
}

func TestFailuresOfForeignProviders(t *testing.T) {
	s := start(t, openaitest.Config{})
	for provider, c := range foreign(t, s) {
		for name, test := range map[string]struct {
			fault openaitest.Fault
			class qa.FailureClass
			calls int
		}{
			"429":      {openaitest.RateLimited("7"), qa.FailRateLimit, 2},
			"503":      {openaitest.Body(503, `{"message":"busy"}`), qa.FailServer, 2},
			"401":      {openaitest.Body(401, `{"message":"bad key `+plantedKey+`"}`), qa.FailAuth, 1},
			"400":      {openaitest.Body(400, `{"message":"no such model"}`), qa.FailBadRequest, 1},
			"overflow": {openaitest.Body(400, `{"message":"prompt is too long: 2 tokens > 1 maximum"}`), qa.FailContextOverflow, 1},
			"cut":      {openaitest.Cut(), qa.FailNetwork, 2},
			"page":     {openaitest.Body(200, "<html>login</html>"), qa.FailGarbage, 2},
			"redirect": {openaitest.Redirect("http://127.0.0.1:1/"), qa.FailBadRequest, 1},
		} {
			t.Run(provider+"/"+name, func(t *testing.T) {
				before := s.Calls()
				s.Fail(test.fault, test.fault)
				clock := newClock()
				c.MaxRetries, c.Sleep, c.Now = 1, clock.Sleep, clock.Now
				c.Pool = llm.NewPool(0)
				_, err := ask(t, c)
				if qa.ClassOf(err) != test.class || s.Calls()-before != test.calls || len(qa.Tried(err)) != test.calls {
					t.Errorf("error %v of class %s after %d requests", err, qa.ClassOf(err), s.Calls()-before)
				}
				if strings.Contains(err.Error(), "planted") {
					t.Errorf("the key is in %v", err)
				}
				if name == "429" && (qa.Tried(err)[0].Status != 429 || len(clock.slept) != 1 || clock.slept[0].Seconds() != 7) {
					t.Errorf("attempts %+v, slept %v", qa.Tried(err), clock.slept)
				}
				for s.Calls()-before < 2 { // takes the fault that is left
					_, _ = ask(t, c)
				}
			})
		}
	}
}

func TestCancelledForeignCall(t *testing.T) {
	s := start(t, openaitest.Config{})
	for provider, c := range foreign(t, s) {
		t.Run(provider, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			s.Fail(openaitest.Hang(cancel))
			_, err := open(t, c).Complete(ctx, qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "why?"}}})
			if !errors.Is(err, context.Canceled) || qa.ClassOf(err) != qa.FailCancelled {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestToolsAtBedrock(t *testing.T) {
	s := start(t, openaitest.Config{
		Reply: openaitest.Script(""),
		ToolCalls: func([]openaitest.Message) []openaitest.ToolCall {
			return []openaitest.ToolCall{{ID: "a", Name: "Retrieve", Arguments: `{"query":"x"}`}}
		},
	})
	all := foreign(t, s)
	got, err := open(t, all["bedrock"]).Complete(t.Context(), qa.Request{Messages: requests[3].messages, Tools: []qa.ToolSpec{lookup}})
	if err != nil {
		t.Fatal(err)
	}
	want := []qa.ToolCall{{ID: "a", Name: "Retrieve", Arguments: json.RawMessage(`{"query":"x"}`)}}
	if diff := cmp.Diff(want, got.ToolCalls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	body := string(s.Requests()[0].Body)
	for _, part := range []string{`"input_schema":{"type":"object"`, `"tool_use_id":"a"`, `"data":"cG5n"`} {
		if !strings.Contains(body, part) {
			t.Errorf("no %s in %s", part, body)
		}
	}
	for name, r := range map[string]qa.Request{
		"bad_request": {Messages: requests[0].messages, Tools: []qa.ToolSpec{lookup}}, "images": {Messages: requests[1].messages},
	} {
		if _, err := open(t, all["cloudflare"]).Complete(t.Context(), r); string(qa.ClassOf(err)) != name {
			t.Errorf("%s at Cloudflare: %v", name, err)
		}
	}
}

func TestForeignSampling(t *testing.T) {
	s := start(t, openaitest.Config{})
	all := foreign(t, s)
	for provider, want := range map[string][]string{
		"bedrock":    {"reasoning_effort", "seed", "temperature"},
		"cloudflare": {"max_tokens", "reasoning_effort", "seed", "stop", "temperature", "top_p"},
	} {
		c := all[provider]
		c.Sampling = everything
		said, err := llm.Describe(c)
		if err != nil {
			t.Fatal(err)
		}
		unsent, _ := said["not_sent"].([]string)
		for _, name := range want {
			if !strings.Contains(strings.Join(unsent, " "), name) {
				t.Errorf("%s: not_sent %v, want %s in it", provider, unsent, name)
			}
		}
	}
	c := all["bedrock"]
	c.Sampling = qa.Sampling{Temperature: new(0.5), TopP: new(0.9), MaxTokens: 77, Stop: []string{"x"}}
	if _, err := ask(t, c); err != nil {
		t.Fatal(err)
	}
	var sent map[string]any
	if err := json.Unmarshal(s.Requests()[0].Body, &sent); err != nil {
		t.Fatal(err)
	}
	if sent["temperature"] != 0.5 || sent["top_p"] != 0.9 || sent["max_tokens"] != 77.0 {
		t.Errorf("sent %v", sent)
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

// Any model of langchaingo's can be asked.
func TestAdapt(t *testing.T) {
	m, err := llm.Adapt(llm.Config{Spec: "fake:m", BaseURL: "http://h"}, double{reply: "<think>hm</think>yes"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Complete(t.Context(), qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "why?"}}})
	if err != nil || got.Text != "yes" || got.Reasoning != "hm" || !got.Usage.Estimated {
		t.Errorf("reply %+v, error %v", got, err)
	}
	m, err = llm.Adapt(llm.Config{Spec: "broken:m"}, double{err: llms.NewError(llms.ErrCodeQuotaExceeded, "broken", "pay")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Complete(t.Context(), qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "why?"}}})
	if qa.ClassOf(err) != qa.FailAuth || len(qa.Tried(err)) != 1 {
		t.Errorf("error %v", err)
	}
}

// double is a model of langchaingo's with one reply or error.
type double struct {
	reply string
	err   error
}

func (d double) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: d.reply}}}, d.err
}

func (d double) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return d.reply, d.err
}
