//go:build !linux

package export

import (
	"errors"
	"io/fs"
	"os"
)

// swap puts a folder in the place of another one, which may be missing, and removes the old one.
func swap(dir, final string) error {
	if _, err := os.Lstat(final); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(dir, final)
	}
	return replace(dir, final)
}
