package datadir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"airqa/internal/files"
)

// Lock is the exclusive right to write to a data directory. The operating system releases it when the process ends.
type Lock struct {
	file io.Closer
}

// Lock acquires the write lock. It does not wait: if another process holds the lock, it returns an error.
func (d *Dir) Lock() (*Lock, error) {
	f, err := files.Lock(filepath.Join(d.path, lockName))
	if errors.Is(err, files.ErrLocked) {
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

// sweep removes temporary files of a killed writer. It is safe because the lock holder is the only writer.
func (d *Dir) sweep() error {
	inside := os.DirFS(d.path) // globbing an fs.FS keeps special characters in d.path out of the pattern
	for _, pattern := range []string{".*", pdfsName + "/.*", vectorsName + "/*/.*", generationsName + "/*/.*", generationsName + "/*/" + runsName + "/.*"} {
		names, err := fs.Glob(inside, pattern)
		if err != nil {
			return fmt.Errorf("lock data directory: %w", err)
		}
		for _, name := range names {
			if !files.IsLeftover(path.Base(name)) {
				continue
			}
			if err := os.Remove(filepath.Join(d.path, filepath.FromSlash(name))); err != nil {
				return fmt.Errorf("lock data directory: %w", err)
			}
		}
	}
	return nil
}

// Release releases the lock. Call it once.
func (l *Lock) Release() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("release data directory: %w", err)
	}
	return nil
}
