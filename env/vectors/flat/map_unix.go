//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package flat

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mapFile maps a file read-only. Processes share its pages through the page cache.
func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}

func unmap(data []byte) error { return syscall.Munmap(data) }

// evict is only advice: it can fail, but changes nothing that is read.
func evict(data []byte) { _ = unix.Madvise(data, unix.MADV_DONTNEED) }
