package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/candidate"
	"airqa/internal/testkit"
	"airqa/internal/testkit/openaitest"
)

// A synthesis that is killed at random moments, and started again each time, ends with the same questions and the same
// cost as one that nothing disturbed. No reply is paid for twice but those that were on their way when the program died.
// AIRQA_TEST_KILLS is the number of kills.
func TestKilledSynthesis(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "kills")
	planned := testkit.Rounds(6, 15)
	if n, err := strconv.Atoi(os.Getenv("AIRQA_TEST_KILLS")); err == nil {
		planned = n
	}
	data, dir := ingested(t), t.TempDir()
	const workers = 3
	count := strconv.Itoa(24 * planned / 15)
	// A reply takes a while, so that the program does not end between the call that a kill waits for and the kill.
	slow := openaitest.Config{Reply: func(messages []openaitest.Message) string {
		time.Sleep(40 * time.Millisecond)
		return policyReply(messages)
	}}
	quiet, disturbed := openaitest.New(slow), openaitest.New(slow)
	defer quiet.Close()
	defer disturbed.Close()
	command := func(out, endpoint string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), os.Args[0], "synth", "make", "--until", "track", "--data", data, "--model", "openai:policy", "--price", "1,2",
			"--count", count, "--out", filepath.Join(dir, out), "-j", "3")
		c.Env = append(os.Environ(), asProgram+"=1", "OPENAI_BASE_URL="+endpoint, "OPENAI_API_KEY=sk-test-key-that-is-long")
		return c
	}
	finish := func(out, endpoint string) {
		c := command(out, endpoint)
		raw, err := c.CombinedOutput()
		// Six papers do not have questions for every category if many are asked for.
		if err != nil && (planned <= 15 || c.ProcessState.ExitCode() != exitShort) {
			t.Fatalf("synthesis %s: %v\n%s", out, err, raw)
		}
	}
	finish("quiet", quiet.URL())
	kills := killed(t, planned, disturbed.Calls, func() *exec.Cmd { return command("killed", disturbed.URL()) })
	finish("killed", disturbed.URL())
	if kills < planned/2 {
		t.Errorf("only %d of %d kills met a working program", kills, planned)
	}
	if diff := cmp.Diff(read(t, dir, "quiet", candidate.QuestionsFile), read(t, dir, "killed", candidate.QuestionsFile)); diff != "" {
		t.Errorf("questions (-undisturbed +killed):\n%s", diff)
	}
	want, got := synthCost(t, filepath.Join(dir, "quiet")), synthCost(t, filepath.Join(dir, "killed"))
	if diff := cmp.Diff(want, got); diff != "" || want.USD == nil || *want.USD == 0 {
		t.Errorf("cost (-undisturbed +killed):\n%s", diff)
	}
	if a, b := replyKeys(t, read(t, dir, "quiet", "replies/replies.jsonl")), replyKeys(t, read(t, dir, "killed", "replies/replies.jsonl")); a != b {
		t.Errorf("%d replies undisturbed, %d with kills", a, b)
	}
	if extra := disturbed.Calls() - quiet.Calls(); extra < 0 || extra > kills*workers {
		t.Errorf("%d calls undisturbed, %d with %d kills of %d workers", quiet.Calls(), disturbed.Calls(), kills, workers)
	}
	t.Logf("%d kills met a working program; %d calls undisturbed, %d disturbed; $%.4f and $%.4f", kills, quiet.Calls(), disturbed.Calls(), *want.USD, *got.USD)
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// synthCost is the cost that airqa synth why reports.
func synthCost(t *testing.T, dir string) candidate.Spent {
	t.Helper()
	history, err := candidate.ReadHistory(dir)
	if err != nil {
		t.Fatal(err)
	}
	return history.Spent()
}

// replyKeys counts replies; a key that occurs twice was paid for twice.
func replyKeys(t *testing.T, text string) int {
	t.Helper()
	keys := make(map[string]bool)
	for line := range strings.Lines(text) {
		var reply struct{ Key string }
		if json.Unmarshal([]byte(line), &reply) != nil {
			continue // cut off by a kill
		}
		if keys[reply.Key] {
			t.Errorf("reply %s was paid for twice", reply.Key)
		}
		keys[reply.Key] = true
	}
	return len(keys)
}
