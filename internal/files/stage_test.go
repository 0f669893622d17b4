package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"airqa/internal/files"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// check reads a file of the folder and what is beside it.
func check(t *testing.T, final, want string, beside ...string) {
	t.Helper()
	if got, err := os.ReadFile(filepath.Join(final, "f")); err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	entries, err := os.ReadDir(filepath.Dir(final))
	if err != nil || len(entries) != 1+len(beside) {
		t.Errorf("beside the folder: %v, %v; want %v", entries, err, beside)
	}
}

func TestReplace(t *testing.T) {
	final := filepath.Join(t.TempDir(), "sub", "out")
	for _, text := range []string{"first", "second"} {
		d, err := files.Stage(final)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(d.Path, "f"), text)
		if _, err := files.Stage(final); !errors.Is(err, files.ErrLocked) {
			t.Errorf("opened twice: %v", err)
		}
		if err := files.SweepStaged(final); err != nil {
			t.Error(err)
		}
		if err := errors.Join(d.Sync([]string{"f"}), d.Replace(), d.Close()); err != nil {
			t.Fatal(err)
		}
		check(t, final, text)
	}
}

func TestMove(t *testing.T) {
	final := filepath.Join(t.TempDir(), "out")
	for _, inPlace := range []string{"nothing", "empty folder", "other files"} {
		if inPlace == "empty folder" {
			if err := errors.Join(os.RemoveAll(final), os.Mkdir(final, 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		d, err := files.Stage(final)
		if err != nil {
			t.Fatal(err)
		}
		inside := filepath.Join(d.Path, "inside")
		write(t, filepath.Join(inside, "f"), inPlace)
		err = d.Move(inside)
		if (err != nil) != (inPlace == "other files") {
			t.Errorf("%s: %v", inPlace, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if err == nil {
			check(t, final, inPlace)
		}
	}
	check(t, final, "empty folder")
}

// What a killed writer left is removed, and a folder that was moved away is restored.
func TestKilled(t *testing.T) {
	final := filepath.Join(t.TempDir(), "out")
	write(t, filepath.Join(filepath.Dir(final), ".out.replaced", "f"), "old")
	write(t, filepath.Join(filepath.Dir(final), ".out.partial", "f"), "half")
	if err := files.RestoreReplaced(final); err != nil {
		t.Fatal(err)
	}
	check(t, final, "old", ".out.partial")
	write(t, filepath.Join(filepath.Dir(final), ".out.replaced", "f"), "older")
	if err := files.SweepStaged(final); err != nil {
		t.Fatal(err)
	}
	check(t, final, "old")
	if err := files.SweepStaged(final); err != nil {
		t.Fatal(err)
	}
}

func TestSyncMany(t *testing.T) {
	d, err := files.Stage(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range 120 {
		names = append(names, string(rune('a'+i%26))+"/"+string(rune('a'+i/26)))
		write(t, filepath.Join(d.Path, names[i]), "x")
	}
	if err := d.Sync(names); err != nil {
		t.Error(err)
	}
	if err := d.Sync([]string{"missing"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
