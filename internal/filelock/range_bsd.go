//go:build unix && !linux

package filelock

import "syscall"

// setRange locks a part of a file for this process.
const setRange = syscall.F_SETLK
