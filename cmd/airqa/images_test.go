package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"airqa/fixtures"
	"airqa/internal/testkit/openaitest"
	"airqa/qa"
	"airqa/runlog"
)

// A server without image support costs one request for a question that looks at a page, and none when the command is run
// again, unless that is asked for.
func TestServerWithoutImages(t *testing.T) {
	t.Parallel()
	data, dir := ingested(t), t.TempDir()
	questions, out := filepath.Join(dir, "questions.jsonl"), filepath.Join(dir, "run")
	var aboutImages strings.Builder
	for line := range strings.Lines(string(fixtures.Questions())) {
		if strings.Contains(line, `"image"`) {
			aboutImages.WriteString(line)
		}
	}
	if err := os.WriteFile(questions, []byte(aboutImages.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	server := openaitest.New(openaitest.Config{Reply: policyReply, Refuse: refuseImages})
	defer server.Close()
	run := []string{
		"run", "--data", data, "--questions", questions, "--baseline", "agentic-hybrid-view", "--model", "openai:m",
		"--base-url", server.URL(), "--out", out,
	}
	said, code := separate(t, nil, run...)
	if code != exitFailedExamples || !strings.Contains(said, "accepts no images") {
		t.Fatalf("exit code %d:\n%s", code, said)
	}
	refused := 0
	recorded, err := runlog.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	for rec := range recorded.Episodes() {
		if rec.Outcome != qa.NoImages {
			continue
		}
		if refused++; len(rec.FailedAttempts) != 1 || rec.FailedAttempts[0].Error != "images" {
			t.Errorf("%s: requests %+v, want one", rec.Episode, rec.FailedAttempts)
		}
	}
	before := server.Calls()
	if refused == 0 || before == 0 {
		t.Fatalf("%d questions were refused in %d requests:\n%s", refused, before, said)
	}
	if said, code := separate(t, nil, run...); server.Calls() != before || code != exitFailedExamples || !strings.Contains(said, "--retry all") {
		t.Errorf("%d further requests, exit code %d:\n%s", server.Calls()-before, code, said)
	}
	if separate(t, nil, append(run, "--retry", "all")...); server.Calls() == before {
		t.Error("--retry all asked nothing")
	}
}

// refuseImages refuses images as llama.cpp does without a projector.
func refuseImages(body []byte) openaitest.Fault {
	if !strings.Contains(string(body), "image_url") {
		return nil
	}
	return openaitest.Status(500, "", "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj")
}
