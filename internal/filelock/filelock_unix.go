//go:build unix

package filelock

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

func try(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// peek takes a lock that any number of others may take, too.
func peek(f *os.File) error { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) error {
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}
