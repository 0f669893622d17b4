package files

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// OpenRegular opens a file of a folder, or of any folder if root is nil, and returns its size. It refuses devices and
// pipes, which may never end.
func OpenRegular(root *os.Root, path string) (*os.File, int64, error) {
	stat, open := os.Stat, os.Open
	if root != nil {
		stat, open = root.Stat, root.Open
	}
	info, err := stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := open(path)
	return file, info.Size(), err
}

// ReadRegular reads a file of at most limit bytes that [OpenRegular] opens.
func ReadRegular(root *os.Root, path string, limit int64) (data []byte, err error) {
	file, _, err := OpenRegular(root, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	data, err = io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("%s exceeds the limit of %d MB", path, limit>>20)
	}
	return data, err
}
