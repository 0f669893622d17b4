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

	"airqa/internal/filelock"
)

// folder is an export being written: a hidden folder beside the final one, which takes its place when it is complete. A
// killed export leaves it behind, and the next one removes it.
type folder struct {
	final, dir string
	lock       io.Closer
	files      []fileEntry
}

// errBusy is returned if another process writes the same export.
var errBusy = errors.New("another airqa is writing this export")

const partLock = ".lock"

// partial is the name of the hidden folder.
func partial(final string) string {
	return filepath.Join(filepath.Dir(final), "."+filepath.Base(final)+".partial")
}

// sweep removes what an export left behind that was killed after it had taken its place.
func sweep(final string) error {
	if _, err := os.Lstat(partial(final)); err != nil {
		return nil
	}
	f, err := stage(final)
	if errors.Is(err, errBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.discard()
}

// stage makes the hidden folder.
func stage(final string) (*folder, error) {
	f := &folder{final: final, dir: partial(final)}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := filelock.Take(filepath.Join(f.dir, partLock))
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("%s: %w", final, errBusy)
	}
	if err != nil {
		return nil, err
	}
	f.lock = lock
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	for _, e := range entries {
		if e.Name() != partLock {
			err = errors.Join(err, os.RemoveAll(filepath.Join(f.dir, e.Name())))
		}
	}
	return f, err
}

// discard removes the hidden folder.
func (f *folder) discard() error {
	return errors.Join(os.RemoveAll(f.dir), f.lock.Close())
}

// commit puts the folder in its place; an old one is replaced.
func (f *folder) commit() error {
	if err := os.Remove(filepath.Join(f.dir, partLock)); err != nil {
		return err
	}
	err := f.sync()
	if err == nil {
		err = swap(f.dir, f.final)
	}
	if err == nil {
		err = os.RemoveAll(f.dir + oldSuffix)
	}
	return errors.Join(err, f.lock.Close())
}

// manyFiles is the number of files from which the whole file system is flushed at once instead of file by file:
// trajectories and images are a file each.
const manyFiles = 100

// sync waits until all files are on disk.
func (f *folder) sync() error {
	if len(f.files) >= manyFiles && syncSystem(f.dir) == nil {
		return nil
	}
	for _, e := range f.files {
		if err := syncFile(filepath.Join(f.dir, filepath.FromSlash(e.Name))); err != nil {
			return fmt.Errorf("write %s: %w", e.Name, err)
		}
	}
	return nil
}

func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
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
	path := filepath.Join(f.dir, filepath.FromSlash(name))
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

// oldSuffix ends the name of an old export while the new one takes its place.
const oldSuffix = ".old"

// replace is a swap in two steps, for file systems that cannot exchange names.
func replace(dir, final string) error {
	old := dir + oldSuffix
	if err := errors.Join(os.RemoveAll(old), os.Rename(final, old)); err != nil {
		return err
	}
	if err := os.Rename(dir, final); err != nil {
		return errors.Join(err, os.Rename(old, final))
	}
	return os.RemoveAll(old)
}
