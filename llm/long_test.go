package llm_test

import (
	"errors"
	"strings"
	"testing"

	"airqa/internal/testkit/openaitest"
	"airqa/qa"
)

// A refusal may be about the length of a conversation that takes more than half of the window.
func TestMaybeLong(t *testing.T) {
	tests := []struct {
		name   string
		model  string
		words  int
		status int
		body   string
		want   bool
	}{
		{"unknown window", "m", 17000, 400, errorBody("no", ""), true},
		{"unknown window, short", "m", 15000, 400, errorBody("no", ""), false},
		{"a small window", "gpt-4", 5000, 400, errorBody("no", ""), true},
		{"a small window, short", "gpt-4", 3000, 400, errorBody("no", ""), false},
		{"a large window", "gpt-4o", 17000, 400, errorBody("no", ""), false},
		{"413", "m", 17000, 413, "Request Entity Too Large", true},
		{"422", "m", 17000, 422, `{"detail":"no"}`, true},
		{"500", "m", 17000, 500, "no", true},
		{"a minute's tokens", "m", 17000, 429, errorBody("Request too large (TPM): Limit 6000, Requested 17000", ""), true},
		{"a rate limit", "m", 17000, 429, errorBody("Rate limit", ""), false},
		{"a key", "m", 17000, 401, errorBody("no", ""), false},
		{"a model", "m", 17000, 404, errorBody("no", ""), false},
		{"503", "m", 17000, 503, "no", false},
		{"a known reason", "m", 17000, 400, errorBody("no", "context_length_exceeded"), false},
		{"images", "m", 17000, 400, errorBody("image input is not supported", ""), false},
		{"in a success", "m", 17000, 200, `{"error":{"message":"no","code":400}}`, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, openaitest.Config{})
			s.Fail(openaitest.Body(test.status, test.body))
			c := config(s, test.model)
			c.MaxRetries = -1
			message := qa.Message{Role: qa.User, Text: strings.Repeat(" word", test.words)}
			if test.name == "images" {
				message.Images = []qa.Image{{MIME: "image/png", Data: []byte("png")}}
			}
			_, err := ask(t, c, message)
			var call *qa.CallError
			if !errors.As(err, &call) || call.MaybeLong != test.want {
				t.Errorf("%+v, want %v", err, test.want)
			}
		})
	}
}
