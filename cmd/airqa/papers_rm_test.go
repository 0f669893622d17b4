package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"airqa/env"
	"airqa/env/paperdb"
	"airqa/internal/testkit"
)

// A removal that is killed at any moment leaves a directory that every command can use, with the paper or without it. The
// same command then ends with what an undisturbed one leaves.
func TestKilledRemoval(t *testing.T) {
	t.Parallel()
	testkit.Long(t, "kills")
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
	data := ""
	k := newKiller(t, time.Since(begun))
	k.until(6, func() *exec.Cmd {
		data = copied(t, sample)
		return program("papers", "rm", "--data", data, "lumenparse.pdf")
	}, func(hit bool) {
		listed, err := holdings(context.WithoutCancel(t.Context()), data)
		if err != nil || len(listed) != 5 && len(listed) != 6 {
			t.Fatalf("killed %v: %d papers, %v", hit, len(listed), err)
		}
		out, err := program("search", "--data", data, "--limit", "40", "pages per second of LumenParse").CombinedOutput()
		if err != nil || strings.Contains(string(out), paper) != (len(listed) == 6) {
			t.Errorf("killed %v, %d papers: search: %v\n%s", hit, len(listed), err, out)
		}
		if out, err := program("papers", "rm", "--data", data, paper).CombinedOutput(); (err == nil) != (len(listed) == 6) {
			t.Errorf("killed %v, %d papers: the same removal: %v\n%s", hit, len(listed), err, out)
		}
		if out, err := program("store", "vectors", "--data", data).CombinedOutput(); err != nil || env.RemovalPending(data) {
			t.Errorf("killed %v: the removal is pending, or: %v\n%s", hit, err, out)
		}
		if _, err := os.Stat(filepath.Join(data, "pdfs", paper+".pdf")); !os.IsNotExist(err) {
			t.Errorf("killed %v: the PDF is still there: %v", hit, err)
		}
	})
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

// holdings are the papers of a data directory, ordered by id.
func holdings(ctx context.Context, dir string) (list []paperdb.Holding, err error) {
	papers, err := env.OpenPapers(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, papers.Close()) }()
	return rowsOf(papers.List(ctx, "", 0), func(h paperdb.Holding) paperdb.Holding { return h })
}
