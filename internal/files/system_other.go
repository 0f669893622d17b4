//go:build !linux

package files

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// setLock locks a part of a file for this process.
const setLock = unix.F_SETLK

func clone(_, _ *os.File) error { return errors.ErrUnsupported }

func exchange(_, _ string) error { return errors.ErrUnsupported }

func syncSystem(*os.File) error { return errors.ErrUnsupported }
