package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// setLock locks a part of an open file: closing another handle of the file does not release it.
const setLock = unix.F_OFD_SETLK

// clone makes an empty file share the blocks of another one, on file systems that can.
func clone(to, from *os.File) error { return unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) }

// exchange swaps two folders in one step.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}

// syncSystem waits until everything on the file system of a folder is on disk.
func syncSystem(dir *os.File) error { return unix.Syncfs(int(dir.Fd())) } //nolint:gosec // a file descriptor
