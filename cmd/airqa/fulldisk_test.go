//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"airqa/fixtures"
	"airqa/internal/testkit"
)

// A run that meets the largest file size that the system allows stops with advice. The same command without that limit
// finishes with the trajectories and the table of an undisturbed run.
func TestFullDisk(t *testing.T) {
	data := ingested(t)
	dir := t.TempDir()
	questions := filepath.Join(dir, "questions.jsonl")
	if err := os.WriteFile(questions, fixtures.Questions(), 0o600); err != nil {
		t.Fatal(err)
	}
	limited := func(out, blocks string) (string, error) {
		c := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -f "$1"; shift; exec "$@"`, "sh", blocks, os.Args[0],
			"run", "--data", data, "--questions", questions, "--baseline", "agentic-hybrid-view", "--model", "offline", "--limit", "8",
			"--out", filepath.Join(dir, out), "-j", "2")
		c.Env = append(os.Environ(), asProgram+"=1")
		raw, err := c.CombinedOutput()
		return string(raw), err
	}
	if raw, err := limited("quiet", "unlimited"); err != nil {
		t.Fatalf("the undisturbed run: %v\n%s", err, raw)
	}
	info, err := os.Stat(filepath.Join(dir, "quiet", "log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	stopped := 0
	for parts := testkit.Rounds(1, 0); parts < 4; parts += testkit.Rounds(2, 1) {
		blocks := strconv.Itoa(max(60, int(info.Size())*(parts+1)/5/512))
		raw, err := limited("full", blocks)
		if err == nil {
			continue
		}
		stopped++
		if !strings.Contains(raw, "file too large") || !strings.Contains(raw, "Free some space") {
			t.Errorf("with %s blocks: %v\n%s", blocks, err, raw)
		}
	}
	if stopped == 0 {
		t.Fatal("no run met the limit")
	}
	if raw, err := limited("full", "unlimited"); err != nil {
		t.Fatalf("the last start: %v\n%s", err, raw)
	}
	want, got := trajectories(t, filepath.Join(dir, "quiet")), trajectories(t, filepath.Join(dir, "full"))
	if diff := cmp.Diff(want, got, cmpopts.IgnoreTypes(time.Time{})); diff != "" {
		t.Errorf("trajectories (-undisturbed +disturbed):\n%s", diff)
	}
	table := func(out string) string {
		return strings.ReplaceAll(scored(t, filepath.Join(dir, out)), out, "RUN")
	}
	if a, b := table("quiet"), table("full"); a != b {
		t.Errorf("tables differ:\n%s\n%s", a, b)
	}
}

// A join that meets a full disk leaves the papers that were there, and no part of a database. With more space, the same join
// adds the rest.
func TestFullDiskJoin(t *testing.T) {
	t.Parallel()
	sample := ingested(t)
	to := copied(t, sample)
	join := func(blocks int64) (string, error) {
		c := exec.CommandContext(t.Context(), "sh", "-c", `trap "" XFSZ; ulimit -f "$1"; shift; exec "$@"`, "sh", strconv.FormatInt(blocks, 10), os.Args[0],
			"papers", "join", sample, "--data", to)
		c.Env = append(os.Environ(), asProgram+"=1")
		raw, err := c.CombinedOutput()
		return string(raw), err
	}
	if out, err := airqaIn(t, to, "papers", "rm", "--data", to, "lumenparse.pdf"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	databases, err := filepath.Glob(filepath.Join(to, "generations", "*", "papers.duckdb"))
	if err != nil || len(databases) != 1 {
		t.Fatal(databases, err)
	}
	info, err := os.Stat(databases[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, blocks := range []int64{2000, info.Size()/512 + 100} { // copying the rows that are there, adding others
		out, err := join(blocks)
		if err == nil || !strings.Contains(strings.ToLower(out), "file too large") || !strings.Contains(out, "Free some space") {
			t.Errorf("with %d blocks: %v\n%s", blocks, err, out)
		}
		held, err := holdings(t.Context(), to)
		if err != nil || len(held) != 5 {
			t.Errorf("with %d blocks: %d papers, %v", blocks, len(held), err)
		}
		if left, err := filepath.Glob(filepath.Join(to, "generations", "*", "*.new*")); err != nil || len(left) > 0 {
			t.Errorf("with %d blocks: %v is left, %v", blocks, left, err)
		}
	}
	if out, err := join(1 << 30); err != nil || !strings.Contains(out, "1 paper added, 6 papers in") {
		t.Errorf("with space: %v\n%s", err, out)
	}
	if out, err := airqaIn(t, to, "store", "vectors", "--data", to); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
