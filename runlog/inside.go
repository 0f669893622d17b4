package runlog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// entries maps the names in a run directory to whether each is a folder.
var entries = map[string]bool{
	RunFile: false, LogFile: false, QuestionsFile: false, indexFile: false, lockFile: false, "verdicts.jsonl": false,
	textsDir: true, imagesDir: true, scoresDir: true, "forks": true,
}

// checkEntries rejects a run directory with symbolic links, pipes or devices: an untrusted one could make the program
// read, send or overwrite files elsewhere.
func checkEntries(dir string) error {
	for name, folder := range entries {
		info, err := os.Lstat(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return fmt.Errorf("read run directory: %w", err)
		case folder && !info.IsDir():
			return fmt.Errorf("%s is not a folder; links are not followed inside a run directory", filepath.Join(dir, name))
		case !folder && !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a regular file; links are not followed inside a run directory", filepath.Join(dir, name))
		}
	}
	return nil
}

// OpenFile opens a regular file of a run directory for reading, and nothing outside of it.
func OpenFile(dir, name string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; links are not followed inside a run directory", name)
	}
	return root.Open(name)
}

// readIn reads a file opened by [OpenFile].
func readIn(dir, name string) ([]byte, error) {
	file, err := OpenFile(dir, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var raw bytes.Buffer
	if info, err := file.Stat(); err == nil {
		raw.Grow(int(info.Size()) + bytes.MinRead) // some files are long
	}
	_, err = raw.ReadFrom(file)
	return raw.Bytes(), err
}
