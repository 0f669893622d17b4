package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"airqa/extractor/syndir"
)

// A synthesis that is killed at random moments, and started again each time, ends with the same questions and the same
// cost as one that nothing disturbed. No reply is paid for twice but those that were on their way when the program died.
func TestKilledSynthesis(t *testing.T) {
	data, dir := ingested(t), t.TempDir()
	const workers, count = 3, "24"
	quiet, disturbed := policyServer(), policyServer()
	defer quiet.Close()
	defer disturbed.Close()
	command := func(out, endpoint string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), os.Args[0], "synth", "track", "--data", data, "--model", "openai:policy", "--price", "1,2",
			"--count", count, "--out", filepath.Join(dir, out), "-j", "3")
		c.Env = append(os.Environ(), asProgram+"=1", "OPENAI_BASE_URL="+endpoint, "OPENAI_API_KEY=sk-test-key-that-is-long")
		return c
	}
	if raw, err := command("quiet", quiet.URL()).CombinedOutput(); err != nil {
		t.Fatalf("the undisturbed synthesis: %v\n%s", err, raw)
	}
	kills := killed(t, 15, disturbed.Calls, func() *exec.Cmd { return command("killed", disturbed.URL()) })
	if raw, err := command("killed", disturbed.URL()).CombinedOutput(); err != nil {
		t.Fatalf("the last start: %v\n%s", err, raw)
	}
	if kills < 8 {
		t.Errorf("only %d of 15 kills met a working program", kills)
	}
	if diff := cmp.Diff(read(t, dir, "quiet", syndir.QuestionsFile), read(t, dir, "killed", syndir.QuestionsFile)); diff != "" {
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
	t.Logf("%d kills met a working program; %d calls undisturbed, %d disturbed", kills, quiet.Calls(), disturbed.Calls())
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
func synthCost(t *testing.T, dir string) syndir.Spent {
	t.Helper()
	spent, err := syndir.SpentIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	return spent
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
