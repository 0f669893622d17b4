package batch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/batchtest"
	"airqa/internal/testkit/openaitest"
	"airqa/llm/batch"
	"airqa/qa"
)

// faults are ways to lose a response.
var faults = map[string]openaitest.Fault{
	"cut": openaitest.Cut(), "500": openaitest.Status(500, "api_error", "oops"), "408": openaitest.Status(408, "x", "slow"),
	"half": openaitest.CutBody(`{"id":`), "page": openaitest.Body(200, "<html>"), "gateway": openaitest.Body(502, "bad gateway"),
}

// TestLostResponse loses the response to the call that creates a batch, before and after the endpoint accepted it.
func TestLostResponse(t *testing.T) {
	for _, provider := range providers {
		for name, fault := range faults {
			for _, accepted := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s %s accepted %v", provider, name, accepted), func(t *testing.T) {
					b := newBench(t, provider, batchtest.Config{Polls: 2, Page: 2})
					stranger := newQueueOf(t, b)
					if _, err := stranger.Submit(t.Context(), asked(9)[5:]); err != nil { // as many requests as ours
						t.Fatal(err)
					}
					if accepted {
						b.server.Lose(createCall[provider], fault)
					} else {
						b.server.Fail(createCall[provider], fault)
					}
					got, err := all(t.Context(), b.start(), asked(4))
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(replies(4), got); diff != "" {
						t.Errorf("results (-want +got):\n%s", diff)
					}
					if b.noticed("adopted") != accepted {
						t.Errorf("notices %q", b.notices)
					}
					b.once(8)
				})
			}
		}
	}
}

// newQueueOf returns the queue of another user of the account.
func newQueueOf(t *testing.T, b *bench) *batch.Queue {
	t.Helper()
	other := &bench{t: t, path: t.TempDir() + "/batches.jsonl", clock: b.clock, config: b.config}
	other.config.Notify = nil
	return other.start()
}

// TestOtherBatchesInBetween loses a response while another user sends a batch of the same size.
func TestOtherBatchesInBetween(t *testing.T) {
	for _, provider := range providers {
		for _, accepted := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s accepted %v", provider, accepted), func(t *testing.T) {
				b := newBench(t, provider, batchtest.Config{Polls: 2, Page: 1})
				stranger := newQueueOf(t, b)
				between := func(w http.ResponseWriter, r *http.Request, done <-chan struct{}) {
					if _, err := stranger.Submit(t.Context(), asked(9)[5:]); err != nil {
						t.Error(err)
					}
					openaitest.Cut()(w, r, done)
				}
				if accepted {
					b.server.Lose(createCall[provider], between)
				} else {
					b.server.Fail(createCall[provider], between)
				}
				got, err := all(t.Context(), b.start(), asked(4))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(replies(4), got); diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
				b.once(8)
			})
		}
	}
}

// TestLateBatch appears in the list only after its job was given up.
func TestLateBatch(t *testing.T) {
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			b := newBench(t, provider, batchtest.Config{})
			list := strings.Replace(createCall[provider], "POST", "GET", 1)
			empty := openaitest.Body(200, `{"data":[],"has_more":false}`)
			b.config.Tries = 1
			b.server.Lose(createCall[provider], openaitest.Cut())
			b.server.Fail(list, slices.Repeat([]openaitest.Fault{empty}, map[string]int{"openai": 5, "anthropic": 6}[provider])...)
			if _, err := b.start().Submit(t.Context(), asked(3)); qa.ClassOf(err) != qa.FailNetwork {
				t.Fatalf("error %v", err)
			}
			got, err := all(t.Context(), b.start(), asked(3))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(replies(3), got); diff != "" {
				t.Errorf("results (-want +got):\n%s", diff)
			}
			b.once(3)
		})
	}
}

// TestServerWithoutMetadata is found by the file of its requests.
func TestServerWithoutMetadata(t *testing.T) {
	b := newBench(t, "openai", batchtest.Config{OmitMetadata: true})
	b.server.Lose(createCall["openai"], openaitest.Cut())
	if _, err := all(t.Context(), b.start(), asked(3)); err != nil {
		t.Fatal(err)
	}
	b.once(3)
}

// TestRejected are answers that certainly created no batch.
func TestRejected(t *testing.T) {
	tests := []struct {
		name  string
		fault openaitest.Fault
		again bool // the same call sends it at last
	}{
		{"bad request", openaitest.Status(400, "x", "unknown model"), false},
		{"key", openaitest.Status(401, "x", "no"), false},
		{"redirect", openaitest.Redirect("http://127.0.0.1:1/"), false},
		{"rate limit", openaitest.RateLimited("7"), true},
	}
	for _, provider := range providers {
		for _, test := range tests {
			t.Run(provider+" "+test.name, func(t *testing.T) {
				b := newBench(t, provider, batchtest.Config{})
				b.server.Fail(createCall[provider], test.fault)
				_, err := b.start().Submit(t.Context(), asked(2))
				if (err == nil) != test.again {
					t.Errorf("error %v", err)
				}
				got, err := all(t.Context(), b.start(), asked(2))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(replies(2), got); diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
				b.once(2)
			})
		}
	}
	t.Run("the new file is not there yet", func(t *testing.T) {
		b := newBench(t, "openai", batchtest.Config{})
		b.server.Fail(createCall["openai"], openaitest.Status(400, "x", "Cannot find file file-0001"))
		if _, err := all(t.Context(), b.start(), asked(2)); err != nil {
			t.Fatal(err)
		}
		b.once(2)
	})
}

// TestBrokenCalls breaks each kind of call that changes nothing.
func TestBrokenCalls(t *testing.T) {
	calls := map[string][]string{
		"openai": {"POST /v1/files", "GET /v1/batches/ID", "GET /v1/files/ID/content"},
		"anthropic": {
			"GET /v1/messages/batches", "GET /v1/messages/batches/ID", "GET /v1/messages/batches/ID/results",
		},
	}
	for _, provider := range providers {
		for _, call := range calls[provider] {
			for name, fault := range faults {
				t.Run(call+" "+name, func(t *testing.T) {
					b := newBench(t, provider, batchtest.Config{})
					b.server.Fail(call, fault, fault)
					b.server.Lose(call, nil, fault)
					got, err := all(t.Context(), b.start(), asked(4))
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(replies(4), got); diff != "" {
						t.Errorf("results (-want +got):\n%s", diff)
					}
					b.once(4)
				})
			}
		}
	}
}

// TestResultsBreakOff cuts the results at every byte of the first kilobyte, and ends them early without an error.
func TestResultsBreakOff(t *testing.T) {
	call := map[string]string{"openai": "GET /v1/files/ID/content", "anthropic": "GET /v1/messages/batches/ID/results"}
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			b := newBench(t, provider, batchtest.Config{End: func(int) batchtest.End { return batchtest.End{Twice: true} }})
			q := b.start()
			if _, err := all(t.Context(), q, asked(4)); err != nil {
				t.Fatal(err)
			}
			whole := body(t, b, call[provider])
			for at := 0; at < min(len(whole), 1000); at += 7 {
				b.server.Fail(call[provider], openaitest.CutBody(whole[:at]), openaitest.Body(200, whole[:at]))
				got, err := collected(t.Context(), q, asked(4))
				if err != nil {
					t.Fatalf("at %d: %v", at, err)
				}
				if diff := cmp.Diff(replies(4), got); diff != "" {
					t.Fatalf("at %d: results (-want +got):\n%s", at, diff)
				}
			}
		})
	}
}

// body returns the results of the first batch.
func body(t *testing.T, b *bench, call string) string {
	t.Helper()
	path := strings.Replace(call, "GET /v1/files/ID", "/files/file-output-batch_0001", 1)
	path = strings.Replace(path, "GET /v1/messages/batches/ID", "/messages/batches/msgbatch_0001", 1)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var out strings.Builder
	if err := resp.Write(&out); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(out.String(), "\r\n\r\n")
	return text
}

func TestEndpointDown(t *testing.T) {
	b := newBench(t, "openai", batchtest.Config{})
	b.server.Fail("GET /v1/batches/ID", slices.Repeat([]openaitest.Fault{openaitest.Status(503, "x", "busy")}, batch.DefaultTries)...)
	_, err := all(t.Context(), b.start(), asked(2))
	if qa.ClassOf(err) != qa.FailServer || !b.noticed("unreachable") {
		t.Errorf("error %v, notices %q", err, b.notices)
	}
	b.server.Fail("GET /v1/batches/ID", openaitest.Status(404, "x", "no such batch"))
	if _, err := all(t.Context(), b.start(), asked(2)); err == nil || !strings.Contains(err.Error(), "is not at the endpoint") {
		t.Errorf("error %v", err)
	}
	if got, err := all(t.Context(), b.start(), asked(2)); err != nil || len(got) != 2 {
		t.Errorf("results %v: %v", got, err)
	}
	b.once(2)
}

// TestCrashAtEveryCall ends the program at each call of the endpoint, before and after its effect, and starts it again.
func TestCrashAtEveryCall(t *testing.T) {
	for _, provider := range providers {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s effect %v", provider, lost), func(t *testing.T) {
				b := newBench(t, provider, batchtest.Config{Polls: 2})
				b.config.Requests = 3
				if _, err := all(t.Context(), b.start(), asked(7)); err != nil {
					t.Fatal(err)
				}
				calls := b.server.Calls()
				for i := range calls {
					crashAt(t, provider, lost, calls[:i+1])
				}
			})
		}
	}
}

// crashAt ends the program at the last of some calls.
func crashAt(t *testing.T, provider string, lost bool, calls []string) {
	t.Helper()
	b := newBench(t, provider, batchtest.Config{Polls: 2})
	b.config.Requests = 3
	ctx, crash := context.WithCancel(t.Context())
	defer crash()
	last := calls[len(calls)-1]
	before := 0
	for _, call := range calls[:len(calls)-1] {
		if call == last {
			before++
		}
	}
	inject := append(slices.Repeat([]openaitest.Fault{nil}, before), openaitest.Hang(crash))
	if lost {
		b.server.Lose(last, inject...)
	} else {
		b.server.Fail(last, inject...)
	}
	if _, err := all(ctx, b.start(), asked(7)); !errors.Is(err, context.Canceled) {
		t.Fatalf("at call %d, %s: error %v", len(calls), last, err)
	}
	got, err := all(t.Context(), b.start(), asked(7))
	if err != nil {
		t.Fatalf("after call %d, %s: %v", len(calls), last, err)
	}
	if diff := cmp.Diff(replies(7), got); diff != "" {
		t.Errorf("after call %d, %s: results (-want +got):\n%s", len(calls), last, diff)
	}
	b.once(7)
}

// TestCrashAtEveryWrite ends the program during each write of the ledger, which keeps half of the line, and starts it
// again.
func TestCrashAtEveryWrite(t *testing.T) {
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			lines := crashAtWrite(t, provider, 0)
			if lines < 6 {
				t.Fatalf("only %d lines", lines)
			}
			for n := 1; n < lines; n++ { // after the last line, nothing is left to do
				crashAtWrite(t, provider, n)
			}
		})
	}
}

// crashAtWrite ends the program at a line of the ledger, from 1, starts it again and returns the number of lines.
func crashAtWrite(t *testing.T, provider string, n int) int {
	t.Helper()
	b := newBench(t, provider, batchtest.Config{Polls: 1})
	b.config.Requests = 2
	ctx, crash := context.WithCancel(t.Context())
	defer crash()
	written := 0
	b.onWrite = func() {
		if written++; written == n {
			crash()
		}
	}
	if _, err := all(ctx, b.start(), asked(4)); (err != nil) != (n > 0) {
		t.Fatalf("line %d: error %v", n, err)
	}
	b.onWrite = nil
	b.stop()
	if n > 0 {
		kept := ledgerLines(t, b.path)
		torn := strings.Join(kept[:n-1], "") + kept[n-1][:len(kept[n-1])/2]
		if err := os.WriteFile(b.path, []byte(torn), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := all(t.Context(), b.start(), asked(4))
	if err != nil {
		t.Fatalf("line %d: %v", n, err)
	}
	if diff := cmp.Diff(replies(4), got); diff != "" {
		t.Errorf("line %d: results (-want +got):\n%s", n, diff)
	}
	b.once(4)
	return written
}

func ledgerLines(t *testing.T, path string) []string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(raw)))
}
