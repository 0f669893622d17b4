//go:build !linux && !darwin

package doctor

import "errors"

// errUnknown is returned on systems without these checks.
var errUnknown = errors.New("not known on this system")

// Free returns the free disk space for this user at path, in bytes.
func Free(string) (uint64, error) { return 0, errUnknown }

// Writable assumes that this user may write to the folder.
func Writable(string) bool { return true }

// OpenFiles returns the limit on open files.
func OpenFiles() (uint64, error) { return 0, errUnknown }
