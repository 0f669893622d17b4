package protocol

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Clients refuse a resource without a text, and show an error with a code.
func TestPapersAsResources(t *testing.T) {
	c := MCP{Log: slog.New(slog.DiscardHandler), Read: func(_ context.Context, id string) (string, error) {
		switch id {
		case "none":
			return "", ErrNoPaper
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
