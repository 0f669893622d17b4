//go:build unix

package filelock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// TakeByte locks the byte at a position of a file that is open for writing, at once or not at all; the file may be
// shorter. Other bytes stay free. [ErrHeld] says that another process, or another handle in this one, has it. The end of
// the process frees it. Where the system has no such locks it does nothing.
func TakeByte(f *os.File, at int64) error { return rangeLock(f, at, syscall.F_WRLCK) }

// FreeByte gives back what [TakeByte] took.
func FreeByte(f *os.File, at int64) error { return rangeLock(f, at, syscall.F_UNLCK) }

func rangeLock(f *os.File, at int64, kind int16) error {
	err := syscall.FcntlFlock(f.Fd(), setRange, &syscall.Flock_t{Type: kind, Whence: io.SeekStart, Start: at, Len: 1})
	switch {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.EACCES):
		return ErrHeld
	case err != nil:
		return fmt.Errorf("lock a part of %s: %w", f.Name(), err)
	}
	return nil
}
