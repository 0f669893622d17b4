package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/fixtures"
	"airqa/internal/testkit/openaitest"
)

// Questions whose deadline passes while the endpoint is down stay unfinished. The same command runs them again, also with
// another deadline.
func TestDeadlineWithoutEndpoint(t *testing.T) {
	data, dir := ingested(t), t.TempDir()
	questions, out := filepath.Join(dir, "questions.jsonl"), filepath.Join(dir, "run")
	if err := os.WriteFile(questions, fixtures.Questions(), 0o600); err != nil {
		t.Fatal(err)
	}
	server := openaitest.New(openaitest.Config{})
	defer server.Close()
	run := func(address, deadline string) (string, int) {
		return separate(t, nil, "run", "--data", data, "--questions", questions, "--baseline", "question-only", "--model", "openai:m",
			"--base-url", address, "--out", out, "--limit", "2", "--question-deadline", deadline)
	}
	said, code := run("http://127.0.0.1:1/v1", "500ms")
	if code != 3 || !strings.Contains(said, "2 of 2 questions failed") || !strings.Contains(said, "connection refused") {
		t.Errorf("endpoint down: exit code %d:\n%s", code, said)
	}
	if said, code := separate(t, nil, "score", out); !strings.Contains(said, "2 unscored") {
		t.Errorf("scores of questions that failed: exit code %d:\n%s", code, said)
	}
	said, code = run(server.URL(), "1m")
	if code != 0 || !strings.Contains(said, "2 of 2 questions done") {
		t.Errorf("endpoint up again: exit code %d:\n%s", code, said)
	}
}
