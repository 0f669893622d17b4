package llm_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

// OnWait reports waits with their reason and their end: after a rejection, and in the resulting queue.
func TestOnWait(t *testing.T) {
	server := openaitest.New(openaitest.Config{})
	defer server.Close()
	var mu sync.Mutex
	var told []string
	note := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, text)
	}
	queued, held := make(chan struct{}), make(chan struct{})
	server.Fail(openaitest.RateLimited(""), openaitest.Hang(func() { close(held); <-queued }))
	m, err := llm.Open(llm.Config{
		Spec: "openai:m", Access: llm.Access{BaseURL: server.URL()}, Pool: llm.NewPool(1), MaxRetries: 1, Timeout: 300 * time.Millisecond,
		Sleep: func(context.Context, time.Duration) error { return nil },
		OnWait: func(class qa.FailureClass) func() {
			note("wait " + string(class))
			if class == llm.Queue {
				close(queued)
			}
			return func() { note("go " + string(class)) }
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	hello := []qa.Message{{Role: qa.User, Text: "hello"}}
	var all sync.WaitGroup
	all.Go(func() { _, _ = m.Complete(t.Context(), qa.Request{Messages: hello}) })
	<-held
	all.Go(func() { _, _ = m.Complete(t.Context(), qa.Request{Messages: hello}) })
	all.Wait()
	want := []string{"wait rate_limit", "go rate_limit", "wait queue", "go queue"}
	if !slices.Equal(told[:min(4, len(told))], want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
