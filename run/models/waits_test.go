package models

import (
	"slices"
	"testing"

	"airqa/internal/testkit/openaitest"
	"airqa/llm"
	"airqa/qa"
)

// The board hears of a call that waits after a 429, and that it waits no more.
func TestWaits(t *testing.T) {
	server := openaitest.New(openaitest.Config{})
	defer server.Close()
	server.Fail(openaitest.RateLimited("0"))
	opener, err := Open(Config{
		BaseURL: server.URL(), OwnURL: server.URL(), Sampling: qa.Sampling{TopP: new(1.0), MaxTokens: 5}, Retries: 1, MaxConnections: 1,
		Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := opener.Open("openai:m")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	m.OnWait(func() { lines = append(lines, m.Waiting()) })
	if _, err := m.Endpoint.Complete(t.Context(), qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "hello"}}}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1 waiting (429)", ""}; !slices.Equal(lines, want) {
		t.Errorf("lines %q, want %q", lines, want)
	}
}

func TestWaitsText(t *testing.T) {
	var w waits
	for _, class := range []qa.FailureClass{llm.Queue, qa.FailRateLimit, qa.FailRateLimit, qa.FailServer} {
		w.begin(class)
	}
	w.begin(qa.FailNetwork)()
	if got, want := w.text(), "4 waiting (429, queue, 5xx)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if text := (Model{}).Waiting(); text != "" {
		t.Errorf("%q for a model that never waits", text)
	}
}
