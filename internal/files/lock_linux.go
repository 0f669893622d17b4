package files

import "golang.org/x/sys/unix"

// setLock locks a part of an open file: closing another handle of the file does not release it.
const setLock = unix.F_OFD_SETLK
