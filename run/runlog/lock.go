package runlog

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrLocked is returned when another program is writing to the run directory.
var ErrLocked = errors.New("another airqa is writing here; wait for it or stop it")

// takeLock holds path until the file is closed. The lock goes with the process, however it ends.
func takeLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrLocked
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return f, nil
}
