package atomicfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"airqa/internal/atomicfile"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder", "file")
	if err := atomicfile.WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := atomicfile.Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the n")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error = %v", err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "old" {
		t.Errorf("after a failure the file holds %q, %v", raw, err)
	}
	if err := atomicfile.WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "new" {
		t.Errorf("the file holds %q, %v", raw, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "folder", ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestIsLeftover(t *testing.T) {
	for name, want := range map[string]bool{
		".tmp-12": true, ".run.json5577006791947779410": true,
		"run.json": false, ".hidden": false, ".notes20240101": false, "run.json5577006791947779410": false,
	} {
		if got := atomicfile.IsLeftover(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
