package aside_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"airqa/internal/aside"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "folder", "file")
	if err := aside.WriteFile(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := aside.Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the n")
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error = %v", err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "old" {
		t.Errorf("after a failure the file holds %q, %v", raw, err)
	}
	if err := aside.WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(path); err != nil || string(raw) != "new" {
		t.Errorf("the file holds %q, %v", raw, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "folder", aside.Pattern))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
