package files_test

import (
	"os"
	"path/filepath"
	"testing"

	"airqa/internal/files"
)

func TestHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	check := func(want bool) {
		t.Helper()
		if held, err := files.Locked(path); held != want || err != nil {
			t.Errorf("held %v, %v; want %v", held, err, want)
		}
	}
	check(false)
	if _, err := os.Stat(path); err == nil {
		t.Fatal("asking made the file")
	}
	lock, err := files.Lock(path)
	if err != nil {
		t.Fatal(err)
	}
	check(true)
	check(true)
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	check(false)
	again, err := files.Lock(path)
	if err != nil {
		t.Fatalf("who asked keeps the lock: %v", err)
	}
	_ = again.Close()
}
