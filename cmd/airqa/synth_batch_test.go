package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/candidate"
	"airqa/internal/testkit/batchtest"
	"airqa/internal/testkit/openaitest"
)

// A synthesis in batches makes the same questions as one with single calls, at half the cost, and a program that is killed
// while a batch is accepted or its results arrive sends nothing twice.
func TestSynthInBatches(t *testing.T) {
	t.Parallel()
	data := ingested(t)
	dir := t.TempDir()
	single, chat := policyServer(), policyServer()
	defer single.Close()
	defer chat.Close()
	batches := batchtest.New(batchtest.Config{Chat: chat})
	defer batches.Close()
	synth := func(out, endpoint string, flags ...string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), os.Args[0], append([]string{
			"synth", "track", "--data", data, "--model", "openai:policy", "--count", "8", "--out", filepath.Join(dir, out), "--price", "1,2",
			"--draw-seed", "1", "--categories", "single-text,single-table,single-metadata,retrieval,multiple",
		}, flags...)...)
		c.Env = append(os.Environ(), asProgram+"=1", "OPENAI_BASE_URL="+endpoint, "OPENAI_API_KEY=sk-test-key-that-is-long")
		return c
	}
	if raw, err := synth("single", single.URL()).CombinedOutput(); err != nil {
		t.Fatalf("single calls: %v\n%s", err, raw)
	}
	calls := []string{"POST /v1/batches", "GET /v1/files/ID/content"}
	for i := range 6 {
		killedAt(t, batches, calls[i%2], synth("batch", batches.URL(), "--batch"))
	}
	raw, err := synth("batch", batches.URL(), "--batch").CombinedOutput()
	if err != nil {
		t.Fatalf("batches: %v\n%s", err, raw)
	}
	for _, want := range []string{"completed, ", " tokens in all, $"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the output lacks %q:\n%s", want, raw)
		}
	}
	read := func(out, name string) string {
		text, err := os.ReadFile(filepath.Join(dir, out, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if diff := cmp.Diff(read("single", candidate.QuestionsFile), read("batch", candidate.QuestionsFile)); diff != "" {
		t.Errorf("questions (-single +batch):\n%s", diff)
	}
	sent := map[string]int{} // some texts are requested again: as independent samples, and after the same fault
	for _, r := range single.Requests() {
		sent[string(r.Body)]++
	}
	if diff := cmp.Diff(sent, batches.Accepted()); diff != "" {
		t.Errorf("requests and how often they were sent (-single +batch):\n%s", diff)
	}
	alone, batch := synthCost(t, filepath.Join(dir, "single")), synthCost(t, filepath.Join(dir, "batch"))
	if alone.USD == nil || batch.USD == nil || *batch.USD > 0.55**alone.USD || *batch.USD < 0.45**alone.USD {
		t.Errorf("cost of single calls %v, in batches %v", alone, batch)
	}
	t.Logf("%d batches of %d requests; %.4f USD, single calls %.4f USD", batches.Batches(), len(batches.Accepted()), *batch.USD, *alone.USD)
}

// killedAt kills a program whose call of a kind has taken effect, before it reads the response.
func killedAt(t *testing.T, s *batchtest.Server, call string, c *exec.Cmd) {
	t.Helper()
	started := make(chan struct{})
	s.Lose(call, func(w http.ResponseWriter, r *http.Request, done <-chan struct{}) {
		<-started
		_ = c.Process.Kill()
		openaitest.Hang(nil)(w, r, done)
	})
	err := c.Start()
	close(started)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Errorf("the program ended before %s", call)
	}
	s.Unlose(call)
}

// A budget that does not allow the next batch ends the program with its own exit code, and a failed request is sent again
// on demand only.
func TestSynthBatchLimits(t *testing.T) {
	t.Parallel()
	data := ingested(t)
	chat := policyServer()
	defer chat.Close()
	batches := batchtest.New(batchtest.Config{Chat: chat, End: func(n int) batchtest.End {
		return batchtest.End{State: "expired", Skip: func(i int) bool { return n == 1 && i == 0 }}
	}})
	defer batches.Close()
	out := filepath.Join(t.TempDir(), "syn")
	synth := func(flags ...string) (string, int) {
		c := exec.CommandContext(t.Context(), os.Args[0], append([]string{
			"synth", "track", "--data", data, "--model", "openai:policy", "--count", "3", "--categories", "single-metadata", "--out", out, "--batch",
			"--solve-again", "1",
		}, flags...)...)
		c.Env = append(os.Environ(), asProgram+"=1", "OPENAI_BASE_URL="+batches.URL(), "OPENAI_API_KEY=sk-test-key-that-is-long")
		raw, _ := c.CombinedOutput()
		return string(raw), c.ProcessState.ExitCode()
	}
	if text, code := synth("--budget-tokens", "2000"); code != 4 || !strings.Contains(text, "budget reached: the next request of a batch does not fit") {
		t.Fatalf("exit %d: %s", code, text)
	}
	text, _ := synth()
	if n := batches.Batches(); !slices.Contains(batches.Calls(), "POST /v1/batches") || n == 0 {
		t.Fatalf("%d batches: %s", n, text)
	}
	once := len(batches.Accepted())
	text, code := synth("--batch-again")
	if code != 0 {
		t.Errorf("exit %d: %s", code, text)
	}
	twice := 0
	for _, times := range batches.Accepted() {
		if times == 2 {
			twice++
		}
	}
	if twice != 1 {
		t.Errorf("%d requests were sent twice, %d before: %s", twice, once, text)
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "synth", "track", "--data", data, "--model", "offline", "--count", "1", "--out", out+"2", "--batch")
	c.Env = append(os.Environ(), asProgram+"=1")
	if raw, _ := c.CombinedOutput(); c.ProcessState.ExitCode() != 2 || !strings.Contains(string(raw), "batches: ") {
		t.Errorf("offline: %s", raw)
	}
}
