package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"
)

// ErrLocked is returned when another process, or another holder in this one, has the lock.
var ErrLocked = errors.New("held by another process")

// [Locked] locks a file for an instant. Lock tries again, so that it does not mistake that for a holder.
const (
	probes    = 4
	probeTime = 5 * time.Millisecond
)

// Lock locks the file at path, which is created when it is missing, or fails within some milliseconds. Closing the lock
// releases it.
func Lock(path string) (*flock.Flock, error) {
	lock := flock.New(path, flock.SetPermissions(0o644))
	taken, err := lock.TryLock()
	for i := 1; i < probes && !taken && err == nil; i++ {
		time.Sleep(probeTime)
		taken, err = lock.TryLock()
	}
	return holding(lock, taken, err)
}

// LockShared locks the file at path like [Lock], but together with others that share it.
func LockShared(path string) (*flock.Flock, error) {
	lock := flock.New(path, flock.SetPermissions(0o644))
	taken, err := lock.TryRLock()
	return holding(lock, taken, err)
}

func holding(lock *flock.Flock, taken bool, err error) (*flock.Flock, error) {
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), errors.Join(err, lock.Close()))
	case !taken:
		return nil, errors.Join(ErrLocked, lock.Close())
	}
	return lock, nil
}

// Locked reports whether the file at path is locked. It changes nothing; a missing file is not locked.
func Locked(path string) (bool, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	return err == nil && !free, errors.Join(err, lock.Close())
}

// LockByte locks the byte at an offset of a file that is open for writing, without waiting. The file may be shorter. Other
// bytes stay free. [ErrLocked] means that another process, or another handle in this one, has it.
func LockByte(f *os.File, offset int64) error { return setByte(f, offset, unix.F_WRLCK) }

// UnlockByte releases what [LockByte] locked.
func UnlockByte(f *os.File, offset int64) error { return setByte(f, offset, unix.F_UNLCK) }

func setByte(f *os.File, offset int64, kind int16) error {
	err := unix.FcntlFlock(f.Fd(), setLock, &unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: offset, Len: 1})
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
		return ErrLocked
	case err != nil:
		return fmt.Errorf("lock a part of %s: %w", f.Name(), err)
	}
	return nil
}
