//go:build linux || darwin

package doctor

import (
	"fmt"
	"syscall"
)

// Free returns the bytes that are free for this user on the disk of a path.
func Free(path string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, fmt.Errorf("look at the disk of %s: %w", path, err)
	}
	return s.Bavail * uint64(s.Bsize), nil
}

// Writable tells whether this user may write in a folder. Nothing is written.
func Writable(path string) bool {
	const mayWrite = 2
	return syscall.Access(path, mayWrite) == nil
}

// OpenFiles returns how many files the program may have open.
func OpenFiles() (uint64, error) {
	var l syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
	return l.Cur, err
}
