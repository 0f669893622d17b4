// Package filelock gives one process at a time the right to write somewhere: [Take] holds a file until it is closed.
// The system frees it when the process ends, however it ends.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld is returned when another process, or another holder in this one, has the lock.
var ErrHeld = errors.New("held by another process")

// Take locks the file at path, which is made when it is missing, at once or not at all. Closing the file gives it
// free. Where the system has no such locks it does nothing.
func Take(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := try(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
