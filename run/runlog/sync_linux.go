package runlog

import (
	"errors"
	"os"
	"syscall"
)

// syncData flushes the data of a file to disk, and only the metadata needed to read it.
func syncData(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		for {
			if failed = syscall.Fdatasync(int(fd)); !errors.Is(failed, syscall.EINTR) {
				return
			}
		}
	})
	return errors.Join(err, os.NewSyscallError("fdatasync", failed))
}
