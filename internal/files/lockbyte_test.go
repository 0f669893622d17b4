//go:build unix

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"airqa/internal/files"
)

func TestTakeByte(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	a, b := open(), open()
	const far = 1 << 61
	if err := files.LockByte(a, far); err != nil {
		t.Fatal(err)
	}
	if err := files.LockByte(b, far); !errors.Is(err, files.ErrLocked) {
		t.Errorf("taken twice: %v", err)
	}
	if err := files.LockByte(b, far+1); err != nil {
		t.Errorf("the next byte: %v", err)
	}
	if err := files.UnlockByte(a, far); err != nil {
		t.Fatal(err)
	}
	if err := files.LockByte(b, far); err != nil {
		t.Errorf("freed: %v", err)
	}
	_ = b.Close()
	if err := files.LockByte(a, far); err != nil {
		t.Errorf("closed: %v", err)
	}
}
