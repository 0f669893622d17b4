//go:build !linux

package files

import "golang.org/x/sys/unix"

// setLock locks a part of a file for this process.
const setLock = unix.F_SETLK
