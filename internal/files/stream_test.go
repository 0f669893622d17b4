//go:build unix

package files_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"airqa/internal/files"
)

// A pipe, and a link to one, are written to and not replaced.
func TestWriteToPipe(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0) // a reader that waits for no writer
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	for path, kind := range map[string]fs.FileMode{pipe: fs.ModeNamedPipe, link: fs.ModeSymlink} {
		if err := files.WriteFile(path, []byte("text")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode().Type() != kind {
			t.Fatalf("%s is now %v, %v", path, info.Mode(), err)
		}
		got := make([]byte, 4)
		if _, err := reader.Read(got); err != nil || string(got) != "text" {
			t.Errorf("read %q from %s, %v", got, path, err)
		}
	}
}
