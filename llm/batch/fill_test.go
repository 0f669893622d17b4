package batch_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit/batchtest"
	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/llm/batch"
	"airqa/llm/cache"
	"airqa/qa"
)

// cached opens a cache for the bench's model.
func (b *bench) cached(dir string) *cache.Model {
	b.t.Helper()
	store, err := cache.Open(dir, cache.Config{Now: b.clock.Now})
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = store.Close() })
	described, err := llm.Describe(b.config.Model)
	if err != nil {
		b.t.Fatal(err)
	}
	return &cache.Model{Store: store, Name: b.provider + ":m", Endpoint: described, Protocol: "react"}
}

func bare(requests []batch.Request) []qa.Request {
	all := make([]qa.Request, len(requests))
	for i, r := range requests {
		all[i] = r.Request
	}
	return all
}

func TestFill(t *testing.T) {
	for _, provider := range providers {
		t.Run(provider, func(t *testing.T) {
			b := newBench(t, provider, batchtest.Config{Polls: 1})
			dir := t.TempDir()
			m := b.cached(dir)
			requests := bare(asked(5))
			repeated := requests[1]
			repeated.Repeat = 1 // another request with the same text
			b.chat.Fail(nil, openaitest.Status(400, "invalid_request_error", "no"))
			first, err := batch.Fill(t.Context(), b.start(), m, requests[:2])
			if diff := cmp.Diff(batch.Report{Requests: 2, Sent: 2, Replies: 1, Failed: 1, Usage: used(provider, 1)}, first); diff != "" || err != nil {
				t.Fatalf("first report (-want +got):\n%s%v", diff, err)
			}
			q := b.start()
			second, err := batch.Fill(t.Context(), q, m, append(slices.Clone(requests), requests[0], repeated))
			if diff := cmp.Diff(batch.Report{Requests: 6, Cached: 1, Sent: 4, Replies: 4, Failed: 1, Usage: used(provider, 4)}, second); diff != "" || err != nil {
				t.Fatalf("second report (-want +got):\n%s%v", diff, err)
			}
			m.Model = batch.Rest{Queue: q, Cache: m}
			if _, err := m.Complete(t.Context(), asked(6)[5].Request); qa.Suspension(err) == "" {
				t.Errorf("a request that was not sent: %v", err)
			}
			for i, r := range append(requests, repeated) {
				got, err := m.Complete(t.Context(), r)
				switch {
				case i == 1 && qa.ClassOf(err) != qa.FailBadRequest:
					t.Errorf("a request without a reply: %+v, %v", got, err)
				case i != 1 && (err != nil || !got.Cached || got.Text != echo([]openaitest.Message{{Text: r.Messages[3].Text}}) || got.Usage.Prompt == 0):
					t.Errorf("request %d: %+v, %v", i, got, err)
				}
			}
			q.Release()
			third, err := batch.Fill(t.Context(), q, m, requests)
			if diff := cmp.Diff(batch.Report{Requests: 5, Cached: 4, Sent: 1, Replies: 1, Usage: used(provider, 1)}, third); diff != "" || err != nil {
				t.Fatalf("third report (-want +got):\n%s%v", diff, err)
			}
		})
	}
}

// TestFillAfterALostCache downloads the replies again.
func TestFillAfterALostCache(t *testing.T) {
	b := newBench(t, "anthropic", batchtest.Config{Polls: 1})
	for range 2 {
		r, err := batch.Fill(t.Context(), b.start(), b.cached(t.TempDir()), bare(asked(3)))
		if err != nil || r.Replies != 3 {
			t.Fatalf("report %+v: %v", r, err)
		}
	}
	b.once(3)
}

// used is the usage of n replies; the Anthropic server does not count the system text.
func used(provider string, n int) qa.Usage {
	return qa.Usage{Prompt: n * map[string]int{"openai": 6, "anthropic": 4}[provider], Completion: 3 * n}
}

// TestAdmit leaves requests out, which are sent when they are admitted.
func TestAdmit(t *testing.T) {
	b := newBench(t, "openai", batchtest.Config{})
	left := 2
	b.config.Admit = func(qa.Request) bool { left--; return left >= 0 }
	m := b.cached(t.TempDir())
	q := b.start()
	m.Model = batch.Rest{Queue: q, Cache: m}
	first, err := batch.Fill(t.Context(), q, m, bare(asked(3)))
	if first.Sent != 2 || first.Replies != 2 || first.Failed != 0 || err != nil {
		t.Errorf("report %+v: %v", first, err)
	}
	if _, err := m.Complete(t.Context(), asked(3)[2].Request); qa.Suspension(err) == "" {
		t.Errorf("a request that was not admitted: %v", err)
	}
	left = 2
	if second, err := batch.Fill(t.Context(), q, m, bare(asked(3))); second.Sent != 1 || left != 1 || err != nil {
		t.Errorf("report %+v, %d left: %v", second, left, err)
	}
	b.once(3)
}
