package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/internal/testkit/openaitest"
)

// chatRow is a row of the format openai, or a request.
type chatRow struct {
	Messages []calledMessage
}

type calledMessage struct {
	Calls []struct {
		ID       string
		Function struct{ Arguments json.RawMessage }
	} `json:"tool_calls"`
}

// Rows for OpenAI have the arguments of native calls as the model was sent them: its own JSON, or an object with its text.
func TestExportedArguments(t *testing.T) {
	t.Parallel()
	data, dir := ingested(t), t.TempDir()
	written := []string{
		`{"query": "main  result", "limit": 3}`, "{\n\t\"sql\": \"SELECT 1\"\n}", "{\"query\": \"a\u2028b\"}", `{"query": "a\u2028b\u003c\/i>"}`,
		`{"query":"<b> & c"}`, `{"query": "x", "query": "y"}`, `{"sql": "SEL`, "{\"sql\": \"a\u2028", ``, `null`, `[1, 2]`, `3`, `"SELECT 1"`,
		`"{\"sql\": \"SELECT 1\"}"`, `SELECT 1`, `{"a": 1}{"b": 2}`,
	}
	server := openaitest.New(openaitest.Config{
		Reply: func([]openaitest.Message) string { return "" },
		ToolCalls: func(messages []openaitest.Message) []openaitest.ToolCall {
			asked := 0
			for _, m := range messages {
				if m.Role == "assistant" {
					asked++
				}
			}
			if asked == len(written) {
				return []openaitest.ToolCall{{ID: "end", Name: "Answer", Arguments: `{"answer":  [3, true]}`}}
			}
			tool, next := []string{"Retrieve", "Query"}[asked%2], (asked+6)%len(written)
			return []openaitest.ToolCall{
				{ID: fmt.Sprint(asked), Name: tool, Arguments: written[asked]}, {ID: fmt.Sprint(next, " not run"), Name: tool, Arguments: written[next]},
			}
		},
	})
	defer server.Close()
	environment := []string{"OPENAI_API_KEY=sk-planted-key-0123456789", "OPENAI_BASE_URL=" + server.URL()}
	run := filepath.Join(dir, "run")
	airqaIn := func(args ...string) {
		t.Helper()
		if said, code := separate(t, environment, args...); code != 0 {
			t.Fatalf("%s: exit code %d:\n%s", args[0], code, said)
		}
	}
	airqaIn("run", "--data", data, "--questions", filepath.Join("..", "..", "fixtures", "questions.jsonl"), "--baseline", "agentic-hybrid",
		"--model", "openai:m", "--protocol", "tools", "--limit", "1", "--repeats", "2", "--window", "40", "--turns", "30", "--out", run)
	sent := map[string]string{"end": `{"answer":  [3, true]}`}
	for _, request := range server.Requests() {
		var chat chatRow
		if err := json.Unmarshal(request.Body, &chat); err != nil {
			t.Fatal(err)
		}
		for id, arguments := range argumentsOf(t, chat.Messages) {
			if before, ok := sent[id]; ok && before != arguments {
				t.Errorf("%s was sent as %q and %q", id, before, arguments)
			}
			sent[id] = arguments
		}
	}
	for i, text := range written {
		if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) && sent[fmt.Sprint(i)] != text {
			t.Errorf("%q was sent as %q", text, sent[fmt.Sprint(i)])
		}
	}
	for _, turns := range []string{"raw", "canonical"} {
		for _, more := range [][]string{nil, {"--whole-episodes"}} {
			out := filepath.Join(dir, turns+"-"+map[bool]string{false: "rows", true: "whole"}[more != nil])
			airqaIn(append([]string{
				"export", run, "--format", "openai", "--turns", turns, "--errors", "keep", "--include", "unscored", "--duplicates", "keep",
				"--cutoff-len", "100000", "--out", out,
			}, more...)...)
			raw, err := os.ReadFile(filepath.Join(out, "data", "train.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			seen := make(map[string]string)
			for line := range strings.Lines(string(raw)) {
				var row chatRow
				if err := json.Unmarshal([]byte(line), &row); err != nil {
					t.Fatal(err)
				}
				maps.Copy(seen, argumentsOf(t, row.Messages))
				for id, arguments := range argumentsOf(t, row.Messages) {
					if arguments != sent[id] {
						t.Errorf("%s: the row has %q for %s, which was sent as %q", out, arguments, id, sent[id])
					}
				}
			}
			if len(seen) != len(sent) && (turns == "raw" || more == nil) {
				t.Errorf("%s has %d calls, and %d were sent", out, len(seen), len(sent))
			}
			airqaIn("export", "check", out, "--trainer", "openai")
		}
	}
}

// argumentsOf returns the arguments of calls by id, which must be texts.
func argumentsOf(t *testing.T, messages []calledMessage) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, m := range messages {
		for _, c := range m.Calls {
			var text string
			if err := json.Unmarshal(c.Function.Arguments, &text); err != nil {
				t.Errorf("%s: the arguments are no text: %s", c.ID, c.Function.Arguments)
			}
			all[c.ID] = text
		}
	}
	return all
}
