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

	"airqa/internal/stagedir"
)

// folder is an export being written: a hidden folder beside the final one, which takes its place when it is complete. A
// killed export leaves it behind, and the next one removes it.
type folder struct {
	*stagedir.Dir
	files []fileEntry
}

// openFolder makes the hidden folder.
func openFolder(final string) (*folder, error) {
	dir, err := stagedir.Open(final)
	if errors.Is(err, stagedir.ErrBusy) {
		return nil, fmt.Errorf("%s: another airqa is writing this export", final)
	}
	return &folder{Dir: dir}, err
}

// commit puts the folder in its place, when all files are on disk; an old one is replaced.
func (f *folder) commit() error {
	names := make([]string, len(f.files))
	for i, e := range f.files {
		names[i] = e.Name
	}
	if err := f.Sync(names); err != nil {
		return fmt.Errorf("write %w", err)
	}
	return f.Replace()
}

// digest is a hash with a buffer.
type digest struct{ hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) copy(r io.Reader) (int64, error) { return io.CopyBuffer(d, r, make([]byte, 1<<20)) }

// file is a file of a folder that is being written.
type file struct {
	*bufio.Writer
	name   string
	folder *folder
	disk   *os.File
	sum    digest
	bytes  counter
}

// counter counts the bytes written.
type counter int64

// Write counts.
func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// create begins a file of the folder; name has slashes.
func (f *folder) create(name string) (*file, error) {
	path := filepath.Join(f.Path, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	disk, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	out := &file{name: name, folder: f, disk: disk, sum: newDigest()}
	out.Writer = bufio.NewWriterSize(io.MultiWriter(disk, out.sum, &out.bytes), 1<<20)
	return out, nil
}

// Close ends the file and adds it to the files of the folder. It is on disk after [folder.commit].
func (f *file) Close() error {
	if err := errors.Join(f.Flush(), f.disk.Close()); err != nil {
		return fmt.Errorf("write %s: %w", f.name, err)
	}
	f.folder.files = append(f.folder.files, fileEntry{f.name, int64(f.bytes), hex.EncodeToString(f.sum.Sum(nil))})
	return nil
}

// write writes a whole file.
func (f *folder) write(name string, data []byte) error {
	out, err := f.create(name)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return errors.Join(err, out.Close())
}

// sorted returns the files by name.
func (f *folder) sorted() []fileEntry {
	return slices.SortedFunc(slices.Values(f.files), func(a, b fileEntry) int { return cmp.Compare(a.Name, b.Name) })
}
