package join

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"airqa/qa"
)

// checkPlaces refuses directories that are missing, that are the same, or that are inside of another one.
func checkPlaces(to string, from []string) error {
	target, err := realPath(to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	seen := []string{target}
	for _, path := range from {
		real, err := realPath(path)
		if errors.Is(err, fs.ErrNotExist) {
			return qa.Usagef("join %s: no such directory; check the path, or ingest that part first", path)
		}
		if err != nil {
			return fmt.Errorf("join %s: %w", path, err)
		}
		if real == target {
			return qa.Usagef("join %s: it is the directory that gets the papers; name only the others", path)
		}
		for _, other := range seen {
			if real == other {
				return qa.Usagef("join %s: it is named twice; name each directory once", path)
			}
			if isInside(real, other) || isInside(other, real) {
				return qa.Usagef("join %s: it and %s are inside one another; move one of them elsewhere", path, other)
			}
		}
		seen = append(seen, real)
	}
	return nil
}

// realPath follows symbolic links. Where the path ends in names that do not exist, it returns them, too, with
// [fs.ErrNotExist].
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return path, err
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
		parent, parentErr := realPath(filepath.Dir(path))
		if parentErr != nil && !errors.Is(parentErr, fs.ErrNotExist) {
			return path, parentErr
		}
		return filepath.Join(parent, filepath.Base(path)), err
	}
	return real, err
}

func isInside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != "." && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
