package runlog

import (
	"errors"
	"os"
	"syscall"
)

// syncData flushes the data of a file to disk, and only the metadata needed to read it.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("fdatasync", err)
		}
	}
}
