package runlog

import (
	"errors"
	"os"
	"syscall"
)

// syncData brings the bytes of a file to the disk, and of what is known about it only what is needed to read them back.
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
