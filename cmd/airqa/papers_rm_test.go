package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/env"
)

// A removal that is killed at any moment leaves a directory that every command can use, with the paper or without it. The
// same command then ends with what an undisturbed one leaves.
func TestKilledRemoval(t *testing.T) {
	const paper = "484197f1-1997-5f33-b56c-5306eb27d631"
	sample := ingested(t)
	program := func(args ...string) *exec.Cmd {
		c := exec.CommandContext(t.Context(), os.Args[0], args...)
		c.Env = append(os.Environ(), asProgram+"=1")
		return c
	}
	begun := time.Now()
	if out, err := program("papers", "rm", "--data", copied(t, sample), "lumenparse.pdf").CombinedOutput(); err != nil {
		t.Fatalf("the undisturbed removal: %v\n%s", err, out)
	}
	whole := time.Since(begun)
	const rounds = 12
	interrupted := 0
	for round := range rounds {
		data := copied(t, sample)
		c := program("papers", "rm", "--data", data, "lumenparse.pdf")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(whole * time.Duration(round+1) / rounds)
		_ = c.Process.Kill()
		if c.Wait() != nil {
			interrupted++
		}
		listed, err := env.Holdings(context.WithoutCancel(t.Context()), data)
		if err != nil || len(listed) != 5 && len(listed) != 6 {
			t.Fatalf("round %d: %d papers, %v", round, len(listed), err)
		}
		out, err := program("search", "--data", data, "--limit", "40", "pages per second of LumenParse").CombinedOutput()
		if err != nil || strings.Contains(string(out), paper) != (len(listed) == 6) {
			t.Errorf("round %d, %d papers: search: %v\n%s", round, len(listed), err, out)
		}
		if out, err := program("papers", "rm", "--data", data, paper).CombinedOutput(); (err == nil) != (len(listed) == 6) {
			t.Errorf("round %d, %d papers: the same removal: %v\n%s", round, len(listed), err, out)
		}
		if out, err := program("vectors", "check", "--data", data).CombinedOutput(); err != nil || env.RemovalPending(data) {
			t.Errorf("round %d: the removal is pending, or: %v\n%s", round, err, out)
		}
		if _, err := os.Stat(filepath.Join(data, "pdfs", paper+".pdf")); !os.IsNotExist(err) {
			t.Errorf("round %d: the PDF is still there: %v", round, err)
		}
	}
	if interrupted == 0 {
		t.Error("no kill came before the end")
	}
	t.Logf("%d of %d kills came before the end", interrupted, rounds)
}

// copied is a copy of a folder.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), fmt.Sprint(time.Now().UnixNano()))
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}
