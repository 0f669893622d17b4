package batch_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
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
	return &cache.Model{Store: store, Model: refusing{}, Name: b.provider + ":m", Endpoint: described, Protocol: "react"}
}

// refusing fails every call.
type refusing struct{}

func (refusing) Complete(context.Context, qa.Request) (qa.Reply, error) {
	return qa.Reply{}, &qa.CallError{Class: qa.FailUnknown, Err: fmt.Errorf("a call was made")}
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
			b.chat.Fail(nil, openaitest.Status(400, "x", "no"))
			first, err := batch.Fill(t.Context(), b.start(), m, requests[:2])
			if diff := cmp.Diff(batch.Report{Requests: 2, Sent: 2, Replies: 1, Failed: 1}, first); diff != "" || err != nil {
				t.Fatalf("first report (-want +got):\n%s%v", diff, err)
			}
			q := b.start()
			second, err := batch.Fill(t.Context(), q, m, append(slices.Clone(requests), requests[0], repeated))
			if diff := cmp.Diff(batch.Report{Requests: 6, Cached: 1, Sent: 4, Replies: 4, Failed: 1}, second); diff != "" || err != nil {
				t.Fatalf("second report (-want +got):\n%s%v", diff, err)
			}
			for i, r := range append(requests, repeated) {
				got, err := m.Complete(t.Context(), r)
				switch {
				case i == 1 && err == nil:
					t.Error("a request without a reply is in the cache")
				case i != 1 && (err != nil || !got.Cached || got.Text != echo([]openaitest.Message{{Text: r.Messages[3].Text}}) || got.Usage.Prompt == 0):
					t.Errorf("request %d: %+v, %v", i, got, err)
				}
			}
			q.Release()
			third, err := batch.Fill(t.Context(), q, m, requests)
			if diff := cmp.Diff(batch.Report{Requests: 5, Cached: 4, Sent: 1, Replies: 1}, third); diff != "" || err != nil {
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

// TestWave runs a pipeline of two dependent calls per item in waves, with more than one item per request.
func TestWave(t *testing.T) {
	b := newBench(t, "openai", batchtest.Config{Polls: 1})
	b.chat.Fail(nil, openaitest.Status(400, "x", "no"))
	m := b.cached(t.TempDir())
	wave := batch.NewWave(b.start(), m)
	item := func(i int) string {
		text := fmt.Sprintf("item %d", i)
		for range 2 {
			got, err := m.Complete(t.Context(), qa.Request{Messages: []qa.Message{{Role: qa.User, Text: text}}})
			if reason := qa.Suspension(err); reason != "" {
				return "pending"
			}
			if err != nil {
				return string(qa.ClassOf(err))
			}
			text = got.Text
		}
		return text
	}
	var passes []string
	for {
		var results []string
		for _, i := range []int{0, 1, 2, 0} {
			results = append(results, item(i))
		}
		passes = append(passes, strings.Join(results, ", "))
		report, err := wave.Flush(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if report.Requests == 0 {
			break
		}
	}
	want := []string{
		"pending, pending, pending, pending", "pending, bad_request, pending, pending",
		"re: re: item 0, bad_request, re: re: item 2, re: re: item 0",
	}
	if diff := cmp.Diff(want, passes); diff != "" {
		t.Errorf("passes (-want +got):\n%s", diff)
	}
	if n := b.server.Batches(); n != 2 {
		t.Errorf("%d batches", n)
	}
}
