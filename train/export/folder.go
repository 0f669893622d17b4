package export

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"

	"airqa/internal/files"
)

// Folder is an export being written: a hidden folder beside the final one, which takes its place when it is complete. A
// killed export leaves it behind, and the next one removes it.
type Folder struct {
	*files.Staged
	files []FileEntry
}

// OpenFolder makes the hidden folder. The caller calls Close at the end.
func OpenFolder(final string) (*Folder, error) {
	dir, err := files.Stage(final)
	if errors.Is(err, files.ErrLocked) {
		return nil, fmt.Errorf("%s: another airqa is writing this export", final)
	}
	return &Folder{Staged: dir}, err
}

// Commit puts the folder in its place, when all files are on disk; an old one is replaced.
func (f *Folder) Commit() error {
	names := make([]string, len(f.files))
	for i, e := range f.files {
		names[i] = e.Name
	}
	if err := f.Sync(names); err != nil {
		return fmt.Errorf("write %w", err)
	}
	return f.Replace()
}

type file struct {
	*bufio.Writer
	name   string
	folder *Folder
	disk   *os.File
	sum    hash.Hash
}

// create begins a file of the folder; name has slashes.
func (f *Folder) create(name string) (*file, error) {
	path := filepath.Join(f.Path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	disk, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	out := &file{name: name, folder: f, disk: disk, sum: sha256.New()}
	out.Writer = bufio.NewWriterSize(io.MultiWriter(disk, out.sum), 1<<20)
	return out, nil
}

// Close ends the file and adds it to the files of the folder. It is on disk after [Folder.Commit].
func (f *file) Close() error {
	err := f.Flush()
	size, end := f.disk.Seek(0, io.SeekCurrent)
	if err := errors.Join(err, end, f.disk.Close()); err != nil {
		return fmt.Errorf("write %s: %w", f.name, err)
	}
	f.folder.files = append(f.folder.files, FileEntry{f.name, size, hex.EncodeToString(f.sum.Sum(nil))})
	return nil
}

// WriteFile writes a whole file; name has slashes.
func (f *Folder) WriteFile(name string, data []byte) error {
	out, err := f.create(name)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return errors.Join(err, out.Close())
}

// Files returns the files written so far, by name.
func (f *Folder) Files() []FileEntry {
	return slices.SortedFunc(slices.Values(f.files), func(a, b FileEntry) int { return cmp.Compare(a.Name, b.Name) })
}
