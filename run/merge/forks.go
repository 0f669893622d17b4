package merge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"airqa/internal/files"
	"airqa/runlog"
)

const forksDir = "forks"

// copyForks copies the forks of a run directory to another. One whose name is taken gets the next number.
func copyForks(from, to string) error {
	entries, err := os.ReadDir(filepath.Join(from, forksDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		source := filepath.Join(from, forksDir, e.Name())
		config, err := os.ReadFile(filepath.Join(source, runlog.RunFile))
		if !e.IsDir() || err != nil {
			continue // not a fork
		}
		name, there, err := freeName(filepath.Join(to, forksDir), e.Name(), config)
		if err != nil {
			return err
		}
		if there {
			continue
		}
		if err := copyTree(source, name); err != nil {
			return fmt.Errorf("copy fork %s: %w", source, err)
		}
	}
	return nil
}

// freeName returns the path of a fork in a folder, with a number that is free, or reports that the fork is there.
func freeName(folder, name string, config []byte) (path string, there bool, err error) {
	stem := strings.TrimRight(name, "0123456789")
	for n := 1; ; n++ {
		path := filepath.Join(folder, name)
		other, err := os.ReadFile(filepath.Join(path, runlog.RunFile))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return path, false, nil
		case err != nil:
			return "", false, err
		case bytes.Equal(other, config):
			return path, true, nil
		}
		name = fmt.Sprintf("%s%d", stem, n)
	}
}

// copyTree copies the regular files of a folder and its subfolders.
func copyTree(from, to string) error {
	root, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		file, err := root.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		return files.Write(filepath.Join(to, path), func(w io.Writer) error {
			_, err := io.Copy(w, file)
			return err
		})
	})
}
