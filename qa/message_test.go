package qa_test

import (
	"encoding/json"
	"testing"

	"airqa/internal/ledger"
	"airqa/qa"
)

// The arguments of a call keep their bytes in a file.
func TestToolCallKeepsItsBytes(t *testing.T) {
	for _, arguments := range []string{
		`{"query":"x"}`, `{"query": "main result", "limit": 3}`, "{\n  \"a\": [1, 2]\n}", `{"a":"<b> & c"}`, `{ "a": "<b> & c" }`,
		"{\"a\": \"\u2028\"}", `{"a": "\u2028\u003c"}`, `{"a": 1, "a": 2}`, `[1, 2]`, `"{\"query\": \"x\"}"`, ` "x" `, `"{broken"`, `1e3`, ``,
	} {
		call := qa.ToolCall{ID: "1", Name: "Query"}
		if arguments != "" {
			call.Arguments = json.RawMessage(arguments)
		}
		line, err := ledger.Encode(struct{ Calls []qa.ToolCall }{[]qa.ToolCall{call}})
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Calls []qa.ToolCall }
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		if arguments == "" {
			arguments = "null"
		}
		if string(got.Calls[0].Arguments) != arguments || got.Calls[0].Name != "Query" || got.Calls[0].ID != "1" {
			t.Errorf("%q became %+v in %s", arguments, got, line)
		}
	}
}

func TestSentArguments(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"an object", `{"query": "x"}`, `{"query": "x"}`},
		{"none", ``, `{}`},
		{"null", `null`, `{"arguments":""}`},
		{"a broken text", `"{\"sql\": \"SEL"`, `{"arguments":"{\"sql\": \"SEL"}`},
		{"HTML", `"<b"`, `{"arguments":"<b"}`},
		{"a list", `[1, 2]`, `{"arguments":"[1, 2]"}`},
		{"a number", `3`, `{"arguments":"3"}`},
		{"an object in a text", `"{\"a\": 1}"`, `{"arguments":"{\"a\": 1}"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (qa.ToolCall{Arguments: json.RawMessage(tt.arguments)}).Sent(); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
