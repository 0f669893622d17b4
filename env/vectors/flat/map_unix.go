//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package flat

import (
	"os"
	"syscall"
)

// mapFile maps a file read-only. Processes share its pages through the page cache.
func mapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
}

func unmap(data []byte) error { return syscall.Munmap(data) }
