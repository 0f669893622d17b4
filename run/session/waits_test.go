package session

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
	o := Endpoint{BaseURL: server.URL(), Sampling: qa.Sampling{TopP: new(1.0), MaxTokens: 5}, Timeout: 1e10, Retries: 1, MaxConnections: 1}.Opener(server.URL())
	m, err := o.Open("openai:m", func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	m.waits.onChange(func() { lines = append(lines, m.waits.line()) })
	if _, err := m.Model.Complete(t.Context(), qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "hello"}}}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1 waiting (429)", ""}; !slices.Equal(lines, want) {
		t.Errorf("lines %q, want %q", lines, want)
	}
}

func TestWaitsLine(t *testing.T) {
	var w waits
	for _, class := range []qa.FailureClass{llm.Queue, qa.FailRateLimit, qa.FailRateLimit, qa.FailServer} {
		w.begin(class)
	}
	w.begin(qa.FailNetwork)()
	if got, want := w.line(), "4 waiting (429, queue, 5xx)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if (*waits)(nil).line() != "" {
		t.Error("no call waits")
	}
}
