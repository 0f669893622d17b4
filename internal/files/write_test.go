package files_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"airqa/internal/files"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder", "file")
	if err := files.WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := files.Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the n")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error = %v", err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "old" {
		t.Errorf("after a failure the file holds %q, %v", raw, err)
	}
	if err := files.WriteFile(path, []byte("new")); err != nil {
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
		if got := files.IsLeftover(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A file keeps its permissions; a new one can be read by others, as data directories are shared.
func TestWritePermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	like := filepath.Join(t.TempDir(), "like")
	if err := os.WriteFile(like, nil, 0o644); err != nil { // less the umask
		t.Fatal(err)
	}
	check := func(want os.FileMode) {
		t.Helper()
		if err := files.WriteFile(path, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("mode %v, %v, want %v", info.Mode(), err, want)
		}
	}
	info, err := os.Stat(like)
	if err != nil {
		t.Fatal(err)
	}
	check(info.Mode())
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	check(0o600)
}

// A copy is a new file: as readable as the umask allows, whatever it was copied from or replaces.
func TestCopyIsReadable(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "from")
	if err := os.WriteFile(from, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	plain, err := os.Create(filepath.Join(dir, "plain"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = plain.Close() }()
	want, err := plain.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := files.Copy(filepath.Join(dir, "to"), from); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(dir, "to")); err != nil || info.Mode() != want.Mode() || info.Size() != 4 {
			t.Errorf("%v, %v; want mode %v", info.Mode(), err, want.Mode())
		}
	}
	if err := files.WriteFile(filepath.Join(dir, "new"), nil); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "new")); err != nil || info.Mode() != want.Mode() {
		t.Errorf("a written file: %v, %v; want mode %v", info.Mode(), err, want.Mode())
	}
}
