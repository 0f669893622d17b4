//go:build !linux && !darwin

package doctor

import "errors"

// errUnknown is returned where this system cannot be asked.
var errUnknown = errors.New("not known on this system")

// Free returns the bytes that are free for this user on the disk of a path.
func Free(string) (uint64, error) { return 0, errUnknown }

// Writable tells whether this user may write in a folder. Here it is taken for granted.
func Writable(string) bool { return true }

// OpenFiles returns how many files the program may have open.
func OpenFiles() (uint64, error) { return 0, errUnknown }
