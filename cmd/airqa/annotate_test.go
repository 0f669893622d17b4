package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/bench/dorismae/annotate"
	"airqa/internal/testkit"
	"airqa/internal/testkit/openaitest"
)

// annotator replies by a rule, after a while.
func annotator() *openaitest.Server {
	return openaitest.New(openaitest.Config{Reply: func(messages []openaitest.Message) string {
		time.Sleep(30 * time.Millisecond)
		if strings.Contains(messages[0].Text, "a part of this wider requirement") {
			return "It could be adapted.\nDISPUTE"
		}
		return "It is all there.\nCONCUR"
	}})
}

// annotation is a command that annotates the fixture in a directory.
func annotation(t *testing.T, dir, endpoint string, flags ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], append([]string{
		"bench", "annotate", "--dataset", "../../fixtures/doris-mae/dataset.json", "--model", "openai:m", "--price", "1,2", "--out", dir, "-j", "3",
	}, flags...)...)
	c.Env = append(os.Environ(), asProgram+"=1", "OPENAI_BASE_URL="+endpoint, "OPENAI_API_KEY=sk-test-key-that-is-long")
	return c
}

// exported are the annotations of a directory.
func exported(t *testing.T, dir string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "annotations.json")
	if _, err := annotate.Export(annotate.ExportConfig{Dir: dir, Out: out, Unparsed: out + "-unparsed", Rule: annotate.LastLabel}); err != nil {
		t.Fatal(err)
	}
	return read(t, out)
}

// Annotations that are killed at random moments, and started again each time, end as those that nothing disturbed. No pair
// is paid for twice but those that were in flight.
func TestKilledAnnotations(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "kills")
	quiet, disturbed := annotator(), annotator()
	defer quiet.Close()
	defer disturbed.Close()
	a, b := filepath.Join(t.TempDir(), "quiet"), filepath.Join(t.TempDir(), "killed")
	const workers = 3
	if raw, err := annotation(t, a, quiet.URL()).CombinedOutput(); err != nil {
		t.Fatalf("undisturbed: %v\n%s", err, raw)
	}
	planned := testkit.Rounds(4, 8)
	kills := killed(t, planned, disturbed.Calls, func() *exec.Cmd { return annotation(t, b, disturbed.URL()) })
	if raw, err := annotation(t, b, disturbed.URL()).CombinedOutput(); err != nil {
		t.Fatalf("the last start: %v\n%s", err, raw)
	}
	if kills < planned/2 {
		t.Errorf("only %d of %d kills met a working program", kills, planned)
	}
	if diff := cmp.Diff(exported(t, a), exported(t, b)); diff != "" {
		t.Errorf("annotations (-undisturbed +killed):\n%s", diff)
	}
	if n := strings.Count(read(t, b, annotate.LogFile), "\n"); n != 111 || quiet.Calls() != 111 {
		t.Errorf("%d lines, %d calls undisturbed, want 111", n, quiet.Calls())
	}
	if extra := disturbed.Calls() - quiet.Calls(); extra < 0 || extra > kills*workers {
		t.Errorf("%d calls undisturbed, %d with %d kills of %d workers", quiet.Calls(), disturbed.Calls(), kills, workers)
	}
	t.Logf("%d kills met a working program; %d calls undisturbed, %d disturbed", kills, quiet.Calls(), disturbed.Calls())
}
