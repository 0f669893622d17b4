//go:build linux || darwin

package doctor

import (
	"fmt"
	"syscall"
)

// Free returns the free disk space for this user at path, in bytes.
func Free(path string) (uint64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, fmt.Errorf("look at the disk of %s: %w", path, err)
	}
	return s.Bavail * uint64(s.Bsize), nil
}

// Writable reports whether this user may write to a folder. It writes nothing.
func Writable(path string) bool {
	const mayWrite = 2
	return syscall.Access(path, mayWrite) == nil
}

// OpenFiles returns the limit on open files.
func OpenFiles() (uint64, error) {
	var l syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
	return l.Cur, err
}
