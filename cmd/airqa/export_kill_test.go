package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"airqa/internal/testkit"
	"airqa/internal/testkit/recordtest"
)

// An export that is killed at random moments leaves the previous export as it was, or has replaced it completely. Started
// again, it writes the same bytes as one that nothing disturbed, and leaves no other files.
func TestKilledExport(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "kills")
	dir := t.TempDir()
	recordtest.Make(t, recordtest.Config{
		Dir: filepath.Join(dir, "run"), Baseline: "agentic-hybrid-view", Questions: 30, Repeats: 4, Scored: true, Text: strings.Repeat("a passage of a paper ", 200),
	})
	command := func(out string, more ...string) *exec.Cmd {
		args := append([]string{"export", filepath.Join(dir, "run"), "--duplicates", "exact", "--replace", "--out", filepath.Join(dir, out)}, more...)
		c := exec.CommandContext(t.Context(), os.Args[0], args...)
		c.Env = append(os.Environ(), asProgram+"=1")
		return c
	}
	start := time.Now()
	must(t, command("quiet"))
	took := time.Since(start)
	must(t, command("killed", "--format", "atif"))
	want, before := filesIn(t, filepath.Join(dir, "quiet")), filesIn(t, filepath.Join(dir, "killed"))
	k := newKiller(t, took)
	k.until(testkit.Rounds(4, 10), func() *exec.Cmd { return command("killed") }, func(hit bool) {
		if !hit {
			must(t, command("killed", "--format", "atif")) // begin again
			return
		}
		now := filesIn(t, filepath.Join(dir, "killed"))
		if diff := cmp.Diff(before, now); diff != "" && !cmp.Equal(want, now) {
			t.Fatalf("neither the old nor the new export (-old +found):\n%s", diff)
		}
	})
	must(t, command("killed"))
	if diff := cmp.Diff(want, filesIn(t, filepath.Join(dir, "killed"))); diff != "" {
		t.Errorf("files (-undisturbed +killed):\n%s", diff)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("files remain beside the exports: %v (%v)", entries, err)
	}
}

func must(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if raw, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(c.Args[1:], " "), err, raw)
	}
}

// filesIn reads all files of a folder.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[strings.TrimPrefix(path, dir)] = read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
