// Package filelock gives one process at a time the right to write somewhere: [Take] holds a file until it is closed.
// The system frees it when the process ends, however it ends.
package filelock

import (
	"errors"
	"io/fs"
	"os"
	"time"
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
	err = try(f)
	for range probes {
		if !errors.Is(err, ErrHeld) {
			break
		}
		time.Sleep(probeTime)
		err = try(f)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Share locks the file at path, which is made when it is missing, beside others that share it: it keeps those away who
// take it, and fails while one of them has it.
func Share(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := peek(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Somebody who asks [Held] has the lock for an instant. Take tries again, so that it does not mistake that for a holder.
const (
	probes    = 3
	probeTime = 5 * time.Millisecond
)

// Held tells whether somebody holds the file at path. It makes and changes nothing; a file that is missing is held by
// nobody. Where the system has no such locks, nothing is ever held.
func Held(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // which gives back what peek took
	err = peek(f)
	if errors.Is(err, ErrHeld) {
		return true, nil
	}
	return false, err
}
