package export

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// syncSystem waits until everything on the file system of a folder is on disk.
func syncSystem(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(file.Fd())), file.Close()) //nolint:gosec // a file descriptor
}

// swap puts a folder in the place of another one, which may be missing, and removes the old one. No reader ever finds
// neither.
func swap(dir, final string) error {
	if _, err := os.Lstat(final); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(dir, final)
	}
	err := unix.Renameat2(unix.AT_FDCWD, dir, unix.AT_FDCWD, final, unix.RENAME_EXCHANGE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) { // not on every file system
		return replace(dir, final)
	}
	if err != nil {
		return &os.LinkError{Op: "swap", Old: dir, New: final, Err: err}
	}
	return os.RemoveAll(dir)
}
