package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"airqa/fixtures"
	"airqa/internal/testkit"
	"airqa/internal/testkit/openaitest"
	"airqa/runlog"
)

// Replies that the limit of tokens cut off are counted at the end of a run, by status and by trace. The limit leaves models that
// reason more room, and a given one wins.
func TestCutReplies(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "many runs")
	data, dir := ingested(t), t.TempDir()
	questions := filepath.Join(dir, "questions.jsonl")
	if err := os.WriteFile(questions, fixtures.Questions(), 0o600); err != nil {
		t.Fatal(err)
	}
	server := openaitest.New(openaitest.Config{Refuse: func([]byte) openaitest.Fault {
		return openaitest.Body(200, `{"id":"1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant",`+
			`"content":"Let me think"},"finish_reason":"length"}],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}}`)
	}})
	defer server.Close()
	tests := []struct {
		name, model string
		flags       []string
		limit       int
	}{
		{"plain", "openai:m", nil, 1500},
		{"reasoning", "openai:gpt-5-mini", nil, 8000},
		{"marked as reasoning", "openai:m", []string{"--reasoning-effort", "low"}, 8000},
		{"given", "openai:gpt-5-mini", []string{"--max-tokens", "300"}, 300},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(dir, strings.ReplaceAll(tt.name, " ", "-"))
			said, code := separate(t, nil, append([]string{
				"run", "--data", data, "--questions", questions, "--baseline", "question-only", "--model", tt.model,
				"--base-url", server.URL(), "--out", out, "--limit", "2",
			}, tt.flags...)...)
			config, err := runlog.ReadConfig(out)
			if err != nil || code != 0 {
				t.Fatalf("exit code %d, %v:\n%s", code, err, said)
			}
			if got := config.Shape.ReplyLimit(); got != tt.limit {
				t.Errorf("recorded limit %d, want %d", got, tt.limit)
			}
			status, _ := separate(t, nil, "status", out)
			want := "2 of 2 replies were cut off by --max-tokens " + strconv.Itoa(tt.limit) + " or the context window"
			for _, text := range []string{said, status} {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in:\n%s", want, text)
				}
			}
			object, _ := separate(t, nil, "status", "--json", out)
			if want := `"replies":2,"cut_replies":2,"reply_limit":` + strconv.Itoa(tt.limit); !strings.Contains(object, want) {
				t.Errorf("no %s in:\n%s", want, object)
			}
			if list, _ := separate(t, nil, "trace", out); strings.Count(list, "(1 of 1 replies cut off)") != 2 {
				t.Errorf("trace:\n%s", list)
			}
		})
	}
	for _, r := range server.Requests() {
		if messages, err := r.Messages(); err != nil || len(messages) != 1 || strings.Contains(messages[0].Text, "[Conference]") {
			t.Errorf("a request of question-only: %+v, %v", messages, err)
		}
	}
}
