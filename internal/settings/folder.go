package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// InsideFolder reports whether a path stays in the working directory: it is relative, has no "..", and no link leads
// out.
func InsideFolder(path string) bool {
	if path == "" {
		return true
	}
	if path = filepath.Clean(path); !filepath.IsLocal(path) {
		return false
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	walked := ""
	for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		walked = filepath.Join(walked, part)
		info, err := root.Stat(walked)
		if errors.Is(err, fs.ErrNotExist) {
			// A missing file is created by the program, unless a dangling link is in its place.
			_, err = root.Lstat(walked)
			return errors.Is(err, fs.ErrNotExist)
		}
		if err != nil || info == nil {
			return false
		}
	}
	return true
}
