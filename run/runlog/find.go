package runlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Find returns the run directories among paths, and those inside any other folder.
func Find(paths []string) ([]string, error) {
	var dirs []string
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(path, RunFile)); err == nil {
			dirs = append(dirs, path)
			continue
		}
		inside, err := runsIn(path)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, inside...)
	}
	return dirs, nil
}

// runsIn lists the run directories in a folder by name, without a pattern: a folder may be called "runs[1]".
func runsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a run directory: %w", folder, err)
	}
	var dirs []string
	for _, e := range entries {
		dir := filepath.Join(folder, e.Name())
		if _, err := os.Stat(filepath.Join(dir, RunFile)); err == nil {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil, NoRun(folder)
	}
	return dirs, nil
}
