package protocol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Clients refuse a resource without a text, and show an error with a code.
func TestPapersAsResources(t *testing.T) {
	c := MCP{Log: slog.New(slog.DiscardHandler), Read: func(_ context.Context, id string) (string, error) {
		switch id {
		case "none":
			return "", fs.ErrNotExist
		case "broken":
			return "", errors.New("/a/path: no space left")
		case "blank":
			return "\n\n", nil
		case "empty":
			return "", nil
		}
		return "The text.", nil
	}}
	here, there := sdk.NewInMemoryTransports()
	if _, err := c.server().Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	s, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"paper": "The text.", "empty": "[This paper has no text.]", "blank": "[This paper has no text.]"} {
		got, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: scheme + id})
		if err != nil || got.Contents[0].Text != want {
			t.Errorf("%s: %v, %v", id, got, err)
		}
	}
	for id, code := range map[string]int64{"none": jsonrpc.CodeInvalidParams, "broken": 0} {
		_, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: scheme + id})
		var wrong *jsonrpc.Error
		if !errors.As(err, &wrong) || wrong.Code != code {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// Older clients have a session each, and no address keeps any number of them.
func TestManyClients(t *testing.T) {
	one := MCP{Log: slog.New(slog.DiscardHandler)}.server()
	s := httptest.NewServer(mcpHandler(func(r *http.Request) *sdk.Server {
		if r.URL.Path == "/none" {
			return nil
		}
		return one
	}, time.Hour, slog.New(slog.DiscardHandler)))
	defer s.Close()
	send := func(path string) (code int, text string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = reply.Body.Close() }()
		raw, _ := io.ReadAll(reply.Body)
		return reply.StatusCode, string(raw)
	}
	for n := range maxClients + 1 {
		want := http.StatusOK
		if n == maxClients {
			want = http.StatusServiceUnavailable
		}
		code, text := send("/")
		if code != want || strings.Contains(text, "listChanged") {
			t.Fatalf("client %d: %d %s", n, code, text)
		}
	}
	if code, text := send("/none"); code != http.StatusNotFound || !strings.Contains(text, `"message":"no such session`) {
		t.Errorf("an unknown episode: %d %s", code, text)
	}
}

// A body that never arrives does not keep its connection.
func TestSlowBody(t *testing.T) {
	s := httptest.NewServer(guard(http.NewServeMux(), true, 50*time.Millisecond, slog.New(slog.DiscardHandler)))
	defer s.Close()
	half, more := io.Pipe()
	defer func() { _ = more.Close() }()
	go func() { _, _ = fmt.Fprint(more, `{"a":`) }()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, half)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil || reply.StatusCode != http.StatusRequestTimeout {
		t.Fatalf("%v, %v", reply, err)
	}
	_ = reply.Body.Close()
}
