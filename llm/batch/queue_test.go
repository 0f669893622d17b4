package batch_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/batchtest"
	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/llm/batch"
	"airqa/qa"
)

// TestRepliesAreThoseOfSingleCalls compares a batch with the same requests sent one by one.
func TestRepliesAreThoseOfSingleCalls(t *testing.T) {
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			b := newBench(t, provider, batchtest.Config{
				Polls: 3, Key: plantedKey, End: func(int) batchtest.End { return batchtest.End{Reverse: true, Twice: true} },
			})
			q := b.start()
			requests := asked(7)
			if sent, err := q.Submit(t.Context(), append(requests, requests...)); err != nil || sent != 7 {
				t.Fatalf("sent %d: %v", sent, err)
			}
			if err := q.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			single := b.config.Model
			single.BaseURL = b.chat.URL()
			model, err := llm.Open(single)
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			for got, err := range q.Results(t.Context(), requests) {
				if err != nil || got.Err != nil {
					t.Fatal(err, got.Err)
				}
				i := int(got.ID[len(got.ID)-1] - '0')
				want, err := model.Complete(t.Context(), requests[i].Request)
				if err != nil {
					t.Fatal(err)
				}
				seen++
				got.Reply.Attempts, want.Attempts = nil, nil
				if diff := cmp.Diff(want, got.Reply); diff != "" {
					t.Errorf("%s (-single +batch):\n%s", got.ID, diff)
				}
			}
			if seen != 7 {
				t.Errorf("%d results", seen)
			}
			b.once(7)
		})
	}
}

func TestNotices(t *testing.T) {
	want := map[string][]string{
		"openai": {
			"sending, 0 of 2", "batch batch_0001: sent, 0 of 2 requests done", "in_progress, 0 of 2", "finalizing, 0 of 2",
			"batch batch_0001: completed, 2 of 2 requests done, 1 failed",
		},
		"anthropic": {
			"sending, 0 of 2", "batch msgbatch_0001: sent, 0 of 2 requests done", "in_progress, 0 of 2",
			"batch msgbatch_0001: ended, 2 of 2 requests done, 1 failed",
		},
	}
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			b := newBench(t, provider, batchtest.Config{Polls: 4})
			b.chat.Fail(openaitest.Status(400, "invalid_request_error", "no"))
			if _, err := all(t.Context(), b.start(), asked(2)); err != nil {
				t.Fatal(err)
			}
			if len(b.notices) != len(want[provider]) {
				t.Fatalf("notices %q", b.notices)
			}
			for i, text := range want[provider] {
				if !strings.Contains(b.notices[i], text) {
					t.Errorf("notice %d: %q, want %q", i, b.notices[i], text)
				}
			}
		})
	}
}

// TestEnds are batches that do not end well: each request has a reply or a failure, and none is sent again by itself.
func TestEnds(t *testing.T) {
	odd := func(i int) bool { return i%2 == 1 }
	tests := []struct {
		name string
		end  batchtest.End
		want string // the class of the odd requests
	}{
		{"expired", batchtest.End{State: "expired", Skip: odd}, "timeout"},
		{"cancelled", batchtest.End{State: "cancelled", Skip: odd}, "cancelled"},
		{"incomplete", batchtest.End{Omit: odd, Reverse: true}, "garbage"},
	}
	for _, provider := range providers {
		for _, test := range tests {
			t.Run(provider+" "+test.name, func(t *testing.T) {
				b := newBench(t, provider, batchtest.Config{Polls: 1, End: func(n int) batchtest.End {
					if n > 1 {
						return batchtest.End{}
					}
					return test.end
				}})
				want := replies(4)
				want["id 1"], want["id 3"] = test.want, test.want
				for range 2 {
					got, err := all(t.Context(), b.start(), asked(4))
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("results (-want +got):\n%s", diff)
					}
				}
				b.once(4)
				q := b.start()
				q.Release()
				got, err := all(t.Context(), q, asked(4))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(replies(4), got); diff != "" {
					t.Errorf("results after a release (-want +got):\n%s", diff)
				}
				if sent, err := q.Submit(t.Context(), asked(4)); sent != 0 || err != nil || b.server.Batches() != 2 {
					t.Errorf("sent %d again, %d batches: %v", sent, b.server.Batches(), err)
				}
			})
		}
	}
}

func TestFailedBatch(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"a bad file", "invalid_json_line", "bad_request"},
		{"a full queue", "token_limit_exceeded", "rate_limit"},
		{"no credit", "billing_hard_limit_reached", "auth"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, "openai", batchtest.Config{End: func(int) batchtest.End {
				return batchtest.End{State: "failed", Code: test.code, Message: "why"}
			}})
			q := b.start()
			got, err := all(t.Context(), q, asked(2))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]string{"id 0": test.want, "id 1": test.want}, got); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			if failure := q.Failure("id 1"); failure == nil || failure.Error() != "the endpoint rejected the batch: "+test.code+" why" {
				t.Errorf("failure %v", failure)
			}
		})
	}
}

// TestRowErrors are requests that fail alone.
func TestRowErrors(t *testing.T) {
	tests := []struct {
		name  string
		fault openaitest.Fault
		want  string
	}{
		{"overflow", openaitest.Status(400, "context_length_exceeded", "maximum context length"), "context_overflow"},
		{"rate limit", openaitest.Status(429, "rate_limit_error", "slow down"), "rate_limit"},
		{"server", openaitest.Status(500, "api_error", "oops"), "server"},
		{"garbage", openaitest.Body(200, `{"type":"unknown"}`), "garbage"},
	}
	for _, provider := range providers {
		for _, test := range tests {
			t.Run(provider+" "+test.name, func(t *testing.T) {
				b := newBench(t, provider, batchtest.Config{})
				b.chat.Fail(nil, test.fault)
				got, err := all(t.Context(), b.start(), asked(3))
				if err != nil {
					t.Fatal(err)
				}
				want := replies(3)
				want["id 1"] = test.want
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
				failure := b.start().Failure("id 1")
				if string(qa.ClassOf(failure)) != test.want {
					t.Errorf("failure after a new start: %v", failure)
				}
			})
		}
	}
}

func TestUnsendableRequest(t *testing.T) {
	b := newBench(t, "openai", batchtest.Config{})
	requests := asked(2)
	requests[0].Request.Messages[0].Role = "narrator"
	got, err := all(t.Context(), b.start(), requests)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"id 0": "bad_request", "id 1": "re: question 1"}, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
}

// TestSplit sends more requests than fit into a batch.
func TestSplit(t *testing.T) {
	tests := []struct {
		name            string
		requests, bytes int
		want            int
	}{{"by number", 3, 0, 4}, {"by size", 0, 700, 0}}
	for _, provider := range providers {
		for _, test := range tests {
			t.Run(provider+" "+test.name, func(t *testing.T) {
				b := newBench(t, provider, batchtest.Config{Polls: 2})
				b.config.Requests, b.config.Bytes = test.requests, test.bytes
				got, err := all(t.Context(), b.start(), asked(10))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(replies(10), got); diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
				if n := b.server.Batches(); n < 3 || test.want > 0 && n != test.want {
					t.Errorf("%d batches", n)
				}
				b.once(10)
			})
		}
	}
}

func TestSpent(t *testing.T) {
	b := newBench(t, "anthropic", batchtest.Config{})
	if _, err := all(t.Context(), b.start(), asked(3)); err != nil {
		t.Fatal(err)
	}
	b.start()
	usage, usd := b.ledger.Spent()
	// Four words in, three out: 4 USD and 2 × 3 USD, at half the price.
	if usage.Prompt != 3*4 || usage.Completion != 3*3 || usd == nil || *usd != 3*(4+6)*batch.Discount {
		t.Errorf("usage %+v, cost %v", usage, usd)
	}
	b.config.Price = nil
	more := asked(4)
	if _, err := all(t.Context(), b.start(), more); err != nil {
		t.Fatal(err)
	}
	if usage, usd := b.ledger.Spent(); usage.Prompt != 4*4 || usd != nil {
		t.Errorf("with an unknown price: usage %+v, cost %v", usage, usd)
	}
}

// TestKeyStaysWithItsHost is a server that points elsewhere and repeats the key.
func TestKeyStaysWithItsHost(t *testing.T) {
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			other := openaitest.New(openaitest.Config{})
			defer other.Close()
			b := newBench(t, provider, batchtest.Config{ResultsURL: other.URL() + "/results"})
			q := b.start()
			b.chat.Fail(openaitest.Status(400, "x", "bad key "+plantedKey))
			if _, err := q.Submit(t.Context(), asked(2)); err != nil {
				t.Fatal(err)
			}
			path := map[string]string{"openai": "GET /v1/batches/ID", "anthropic": "GET /v1/messages/batches/ID"}[provider]
			b.server.Fail(path, openaitest.Redirect(other.URL()), openaitest.Status(401, "x", "bad key "+plantedKey))
			for range 2 {
				if err := q.Wait(t.Context()); err == nil || strings.Contains(err.Error(), plantedKey) {
					t.Errorf("error %v", err)
				}
			}
			b.server.Fail(path, openaitest.Body(200, `{"id":"x","status":"completed","output_file_id":"../../x"}`))
			if _, err := all(t.Context(), q, asked(2)); err != nil {
				t.Fatal(err)
			}
			if other.Calls() != 0 {
				t.Errorf("%d calls of another host", other.Calls())
			}
			raw, err := os.ReadFile(b.path)
			if err != nil || strings.Contains(string(raw), plantedKey) || !strings.Contains(string(raw), "[key]") {
				t.Errorf("ledger %s: %v", raw, err)
			}
		})
	}
}

func TestNoBatchAPI(t *testing.T) {
	for spec, want := range map[string]string{
		"mistral:m": `model "mistral:m": no batch API is known for mistral: want openai:MODEL or anthropic:MODEL`,
		"bedrock:m": `model "bedrock:m": the provider of bedrock:m uses its own protocol`,
		"openai:m":  `model "openai:m": no API key for api.openai.com: set OPENAI_API_KEY, or give the base URL of another endpoint`,
	} {
		c := llm.Config{Spec: spec}
		if spec != "openai:m" {
			c.BaseURL = "http://127.0.0.1:1/v1"
		}
		if _, err := batch.New(batch.Config{Model: c}); err == nil || err.Error() != want {
			t.Errorf("%s: error %v", spec, err)
		}
	}
}

func TestLedgerIsExclusive(t *testing.T) {
	b := newBench(t, "openai", batchtest.Config{})
	b.start()
	if _, err := batch.OpenLedger(b.path, nil, nil); !errors.Is(err, batch.ErrInUse) {
		t.Errorf("error %v", err)
	}
}

func TestBadLedger(t *testing.T) {
	tests := []struct{ name, content, want string }{
		{"another format", `{"format":2,"job":"a","step":"intent","time":"2026-01-02T03:04:05Z"}`, "line 1: format 2; this program reads 1"},
		{"no intent", `{"format":1,"job":"a","step":"done","time":"2026-01-02T03:04:05Z"}`, `line 1: job a has no line "intent"`},
		{"unknown field", `{"format":1,"colour":"red"}`, `line 1: json: unknown field "colour"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, "openai", batchtest.Config{})
			if err := os.WriteFile(b.path, []byte(test.content+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := batch.OpenLedger(b.path, nil, nil); err == nil || err.Error() != "open batches.jsonl: "+test.want {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestLedgerLines is the format on disk.
func TestLedgerLines(t *testing.T) {
	b := newBench(t, "openai", batchtest.Config{})
	b.chat.Fail(nil, openaitest.Status(400, "x", "no"))
	if _, err := all(t.Context(), b.start(), asked(2)); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(b.path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for data := range strings.Lines(string(raw)) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(data), &fields); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"job", "time", "model", "sha256"} {
			delete(fields, name)
		}
		line, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(line))
	}
	want := []string{
		`{"format":1,"ids":["id 0","id 1"],"step":"intent"}`,
		`{"file":"file-0001","format":1,"step":"uploaded"}`,
		`{"batch":"batch_0001","format":1,"step":"accepted"}`,
		`{"failed":[{"class":"bad_request","detail":"POST ` + strings.TrimPrefix(b.server.URL(), "http://") +
			`/chat/completions: HTTP 400: no","index":1,"status":400}],"format":1,"replies":1,"status":"completed","step":"done",` +
			`"usage":{"completion":3,"prompt":6},"usd":6}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

// TestDocumentedLedger reads the example of docs/formats/batches.md.
func TestDocumentedLedger(t *testing.T) {
	raw, err := os.ReadFile("../../docs/formats/batches.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(raw), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	b := newBench(t, "openai", batchtest.Config{})
	if err := os.WriteFile(b.path, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	b.start()
	if usage, usd := b.ledger.Spent(); usage.Prompt != 1203 || usd == nil || *usd != 0.000097 {
		t.Errorf("usage %+v, cost %v", usage, usd)
	}
}
