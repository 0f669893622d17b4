package batch_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"airqa/internal/testkit/batchtest"
	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/llm/batch"
	"airqa/qa"
)

const plantedKey = "sk-planted/key<42>"

// clock is a time that only sleeping moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
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
	return ctx.Err()
}

// providers are the specs of the two protocols.
var providers = []string{"openai", "anthropic"}

// createCall is the call that creates a batch.
var createCall = map[string]string{"openai": "POST /v1/batches", "anthropic": "POST /v1/messages/batches"}

// bench is a batch endpoint with the ledger of one client.
type bench struct {
	t        *testing.T
	provider string
	chat     *openaitest.Server
	server   *batchtest.Server
	path     string
	clock    *clock
	notices  []string
	config   batch.Config
	ledger   *batch.Ledger
	// onWrite is called before each line of the ledger is written; it may be nil.
	onWrite func()
}

func newBench(t *testing.T, provider string, c batchtest.Config) *bench {
	t.Helper()
	b := &bench{t: t, provider: provider, clock: newClock(), path: filepath.Join(t.TempDir(), "batches.jsonl")}
	b.chat = openaitest.New(openaitest.Config{Reply: echo})
	t.Cleanup(b.chat.Close)
	c.Chat = b.chat
	b.server = batchtest.New(c)
	t.Cleanup(b.server.Close)
	b.config = batch.Config{
		Model: llm.Config{
			Spec: provider + ":m", BaseURL: b.server.URL(), APIKey: plantedKey, Sleep: b.clock.Sleep, Now: b.clock.Now,
			Rand: func() float64 { return 0 }, Timeout: time.Second,
		},
		Price:  &qa.Price{Prompt: 1e6, Completion: 2e6},
		Notify: func(n batch.Notice) { b.notices = append(b.notices, n.String()) },
	}
	return b
}

// echo replies with the last message.
func echo(messages []openaitest.Message) string { return "re: " + messages[len(messages)-1].Text }

// start opens the ledger and a queue, as a new process does.
func (b *bench) start() *batch.Queue {
	b.t.Helper()
	b.stop()
	l, err := batch.OpenLedger(b.path, nil, func() time.Time {
		if b.onWrite != nil {
			b.onWrite()
		}
		return b.clock.Now()
	})
	if err != nil {
		b.t.Fatal(err)
	}
	b.ledger, b.config.Ledger = l, l
	b.t.Cleanup(b.stop)
	q, err := batch.New(b.config)
	if err != nil {
		b.t.Fatal(err)
	}
	return q
}

// stop closes the ledger.
func (b *bench) stop() {
	if b.ledger == nil {
		return
	}
	if err := b.ledger.Close(); err != nil {
		b.t.Error(err)
	}
	b.ledger = nil
}

// asked are n requests, with two turns each.
func asked(n int) []batch.Request {
	all := make([]batch.Request, n)
	for i := range all {
		all[i] = batch.Request{ID: fmt.Sprintf("id %d", i), Request: qa.Request{Messages: []qa.Message{
			{Role: qa.System, Text: "Be brief."},
			{Role: qa.User, Text: "First?"},
			{Role: qa.Assistant, Text: "Yes."},
			{Role: qa.User, Text: fmt.Sprintf("question %d", i)},
		}}}
	}
	return all
}

// all submits requests and returns their results by id: the reply's text, or the class of the failure.
func all(ctx context.Context, q *batch.Queue, requests []batch.Request) (map[string]string, error) {
	if _, err := q.Submit(ctx, requests); err != nil {
		return nil, err
	}
	if err := q.Wait(ctx); err != nil {
		return nil, err
	}
	return collected(ctx, q, requests)
}

func collected(ctx context.Context, q *batch.Queue, requests []batch.Request) (map[string]string, error) {
	got := map[string]string{}
	for r, err := range q.Results(ctx, requests) {
		if err != nil {
			return got, err
		}
		if _, twice := got[r.ID]; twice {
			return got, fmt.Errorf("%s has two results", r.ID)
		}
		got[r.ID] = r.Reply.Text
		if r.Err != nil {
			got[r.ID] = string(qa.ClassOf(r.Err))
		}
	}
	return got, nil
}

// replies are the good results of n requests.
func replies(n int) map[string]string {
	want := map[string]string{}
	for i := range n {
		want[fmt.Sprintf("id %d", i)] = fmt.Sprintf("re: question %d", i)
	}
	return want
}

// once checks that n requests were accepted, each in one batch.
func (b *bench) once(n int) {
	b.t.Helper()
	accepted := b.server.Accepted()
	if len(accepted) != n {
		b.t.Errorf("%d requests were accepted, want %d", len(accepted), n)
	}
	for body, times := range accepted {
		if times != 1 {
			b.t.Errorf("sent %d times: %s", times, body)
		}
	}
}

// noticed reports whether a notice has a text.
func (b *bench) noticed(text string) bool {
	return slices.ContainsFunc(b.notices, func(n string) bool { return strings.Contains(n, text) })
}
