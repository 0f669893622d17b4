package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/internal/testkit/openaitest"
	"airqa/runlog"
)

// An episode with three tool calls, reasoning and a call that is not run passes a server that checks every request of the
// Responses API. A fork gets the reasoning back, a fork with another model and rows for training do not.
func TestEpisodeWithResponses(t *testing.T) {
	t.Parallel()
	data, dir := ingested(t), t.TempDir()
	query := func(id string) openaitest.ToolCall {
		return openaitest.ToolCall{ID: id, Name: "Query", Arguments: `{"sql": "SELECT num_pages FROM metadata LIMIT 1"}`}
	}
	server := openaitest.New(openaitest.Config{
		Reply: openaitest.Script("I look it up.", "", "I know."), Reasoning: "Pondering deeply.",
		ToolCalls: func(messages []openaitest.Message) []openaitest.ToolCall {
			asked := 0
			for _, m := range messages {
				if m.Role == "assistant" {
					asked++
				}
			}
			return [][]openaitest.ToolCall{
				{query("c1"), query("c2")}, {query("c3")}, {{ID: "c4", Name: "Answer", Arguments: `{"answer": [3, true]}`}},
			}[min(asked, 2)]
		},
	})
	defer server.Close()
	environment := []string{"OPENAI_API_KEY=sk-planted-key-0123456789", "OPENAI_BASE_URL=" + server.URL()}
	questions, out := filepath.Join("..", "..", "fixtures", "questions.jsonl"), filepath.Join(dir, "run")
	said, code := separate(t, environment, "run", "--data", data, "--questions", questions, "--baseline", "agentic-hybrid",
		"--model", "openai-responses:o3", "--reasoning-effort", "low", "--seed", "1", "--protocol", "tools", "--limit", "1", "--out", out)
	if code != 0 || !strings.Contains(said, "rejects settings, which are not sent: [seed") {
		t.Fatalf("exit code %d:\n%s", code, said)
	}
	run, err := runlog.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	episode := ""
	for rec := range run.Episodes() {
		if episode = rec.Episode; len(rec.Steps) != 3 || rec.Outcome != "answered" || rec.Steps[0].Others[0].ID != "c2" || rec.Steps[1].Reply.Reasoning != "Pondering deeply." {
			t.Errorf("episode %+v", rec)
		}
	}
	last := func() string { return string(server.Requests()[server.Calls()-1].Body) }
	if server.Calls() != 3 || strings.Count(last(), `"encrypted_content"`) != 2 || strings.Contains(last(), "Pondering") != true {
		t.Errorf("%d requests, the last one %s", server.Calls(), last())
	}
	reply := filepath.Join(dir, "seen.txt")
	if err := os.WriteFile(reply, []byte("another result"), 0o600); err != nil {
		t.Fatal(err)
	}
	for model, sealed := range map[string]int{"openai-responses:o3": 2, "openai-responses:o4-mini": 0} {
		said, code := separate(t, environment, "fork", out, episode, "--at", "2", "--observation", reply, "--model", model,
			"--data", data, "--out", filepath.Join(dir, model[len("openai-responses:"):]))
		if code != 0 || strings.Count(last(), "encrypted_content\":") != sealed || !strings.Contains(last(), "another result") {
			t.Errorf("%s: exit code %d: %s\nlast request %s", model, code, said, last())
		}
	}
	rows := filepath.Join(dir, "rows")
	if said, code := separate(t, environment, "score", out, "--judge", "offline"); code != 0 {
		t.Fatalf("score: exit code %d: %s", code, said)
	}
	said, code = separate(t, environment, "export", out, "--out", rows, "--include", "wrong")
	if code != 0 {
		t.Fatalf("export: exit code %d: %s", code, said)
	}
	written, err := filepath.Glob(filepath.Join(rows, "*.jsonl"))
	if err != nil || len(written) == 0 {
		t.Fatalf("no rows: %v\n%s", err, said)
	}
	for _, file := range written {
		if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "Pondering") || strings.Contains(string(text), "gA<") || strings.Contains(string(text), "rs_") {
			t.Errorf("%s: %v: %s", file, err, text)
		}
	}
}
