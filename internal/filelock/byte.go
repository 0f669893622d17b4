package filelock

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// TakeByte locks the byte at an offset of a file that is open for writing, without waiting. The file may be shorter. Other
// bytes stay free. [ErrHeld] means that another process, or another handle in this one, has it.
func TakeByte(f *os.File, offset int64) error { return setByte(f, offset, unix.F_WRLCK) }

// FreeByte releases what [TakeByte] locked.
func FreeByte(f *os.File, offset int64) error { return setByte(f, offset, unix.F_UNLCK) }

func setByte(f *os.File, offset int64, kind int16) error {
	err := unix.FcntlFlock(f.Fd(), setLock, &unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: offset, Len: 1})
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
		return ErrHeld
	case err != nil:
		return fmt.Errorf("lock a part of %s: %w", f.Name(), err)
	}
	return nil
}
