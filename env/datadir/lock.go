package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"airqa/internal/aside"
	"airqa/internal/filelock"
)

// Lock is the right to write to a data directory. The system gives it back when the process ends, however it
// ends.
type Lock struct {
	file *os.File
}

// Lock takes the right to write, at once or not at all: a second ingest is told to wait.
func (d *Dir) Lock() (*Lock, error) {
	f, err := filelock.Take(filepath.Join(d.path, lockName))
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("lock data directory %s: another ingest is writing to it; wait until it is done", d.path)
	}
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	if err := d.sweep(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Lock{file: f}, nil
}

// sweep removes what a writer that was killed had written aside. Whoever holds the lock is the only writer.
func (d *Dir) sweep() error {
	inside := os.DirFS(d.path) // patterns hold below the directory: its own name may have their signs
	for _, folder := range []string{".", pdfsName, vectorsName + "/*"} {
		names, err := fs.Glob(inside, path.Join(folder, aside.Pattern))
		if err != nil {
			return fmt.Errorf("lock data directory: %w", err)
		}
		for _, name := range names {
			if err := os.Remove(filepath.Join(d.path, filepath.FromSlash(name))); err != nil {
				return fmt.Errorf("lock data directory: %w", err)
			}
		}
	}
	return nil
}

// Release gives the right back. A second call is an error of the file.
func (l *Lock) Release() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("release data directory: %w", err)
	}
	return nil
}
