//go:build !linux

package export

import (
	"errors"
	"io/fs"
	"os"
)

// syncSystem reports that files have to be flushed one by one.
func syncSystem(string) error { return errors.ErrUnsupported }

// swap puts a folder in the place of another one, which may be missing, and removes the old one.
func swap(dir, final string) error {
	if _, err := os.Lstat(final); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(dir, final)
	}
	return replace(dir, final)
}
