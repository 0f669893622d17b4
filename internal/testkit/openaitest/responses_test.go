package openaitest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"airqa/internal/testkit/openaitest"
)

// TestResponsesAreChecked shows requests that the server refuses, as OpenAI does.
func TestResponsesAreChecked(t *testing.T) {
	const (
		head  = `{"model":"m","store":false,"input":[`
		user  = `{"type":"message","role":"user","content":"Why?"}`
		call  = `{"type":"function_call","call_id":"c","name":"F","arguments":"{}"}`
		given = `{"type":"function_call_output","call_id":"c","output":"seen"}`
	)
	tests := []struct{ name, body, want string }{
		{"good", head + user + "," + call + "," + given + `]}`, ""},
		{"stored", strings.Replace(head, "false", "true", 1) + user + `]}`, "'store' must be false"},
		{"state on the server", head + user + `],"previous_response_id":"r"}`, "Unknown parameter: 'body.previous_response_id'."},
		{"stop words", head + user + `],"stop":["x"]}`, "Unknown parameter: 'body.stop'."},
		{"nested tool", head + user + `],"tools":[{"type":"function","function":{"name":"F"}}]}`, "Missing required parameter: 'tools[0].name'."},
		{"small limit", head + user + `],"max_output_tokens":8}`, "expected a value \\u003e= 16"},
		{"result without a call", head + user + "," + given + `]}`, "No tool call found for function call output with call_id c."},
		{"call without a result", head + user + "," + call + `]}`, "No tool output found for function call c."},
		{"chat's parts", head + `{"type":"message","role":"user","content":[{"type":"text","text":"x"}]}]}`, "Invalid value: 'text'"},
		{"unknown item", head + `{"type":"item_reference","id":"x"}]}`, "Invalid value: 'item_reference'"},
		{"forged reasoning", head + `{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"x"},` + call + "," + given + `]}`, "could not be verified"},
	}
	s := openaitest.New(openaitest.Config{})
	defer s.Close()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			resp, err := http.Post(s.URL()+"/responses", "application/json", strings.NewReader(test.body)) //nolint:noctx // a test server
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = resp.Body.Close() }()
			body, err := io.ReadAll(resp.Body)
			if err != nil || !strings.Contains(string(body), test.want) || (resp.StatusCode == http.StatusOK) != (test.want == "") {
				t.Errorf("status %d, %v: %s, want %s", resp.StatusCode, err, body, test.want)
			}
		})
	}
}
