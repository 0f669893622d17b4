package datadir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

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
	leftovers, err := d.pdfLeftovers()
	for _, pattern := range []string{".*", vectorsName + "/*/.*", generationsName + "/*/.*", generationsName + "/*/" + runsName + "/.*"} {
		names, globErr := fs.Glob(inside, pattern)
		leftovers, err = append(leftovers, names...), errors.Join(err, globErr)
	}
	for _, name := range leftovers {
		if err == nil && files.IsLeftover(path.Base(name)) {
			err = os.Remove(filepath.Join(d.path, filepath.FromSlash(name)))
		}
	}
	if err != nil {
		return fmt.Errorf("lock data directory: %w", err)
	}
	return nil
}

// pdfLeftovers lists the temporary files in the folder of PDFs. It does not sort the names, as a glob would, since there may
// be a hundred thousand of them.
func (d *Dir) pdfLeftovers() (names []string, err error) {
	folder, err := os.Open(filepath.Join(d.path, pdfsName))
	if err != nil {
		return nil, files.IgnoreMissing(err)
	}
	names, err = folder.Readdirnames(-1)
	names = slices.DeleteFunc(names, func(name string) bool { return !files.IsLeftover(name) })
	for i, name := range names {
		names[i] = path.Join(pdfsName, name)
	}
	return names, errors.Join(err, folder.Close())
}

// Release releases the lock. Call it once.
func (l *Lock) Release() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("release data directory: %w", err)
	}
	return nil
}
