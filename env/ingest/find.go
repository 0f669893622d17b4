package ingest

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/env/datadir"
)

// Find lists the PDFs that paths name: files as given, folders with everything below them, sorted, whatever the case of
// ".pdf". Data directories below a folder are passed over. A path that does not exist, a file that is no PDF and a folder that cannot be listed are errors. No file comes
// twice.
func Find(paths []string) ([]string, error) {
	found, closed, err := FindOpen(paths)
	if err == nil && len(closed) > 0 {
		err = fmt.Errorf("find papers in %s: %w", closed[0].Path, closed[0].Err)
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// FindOpen is Find, but passes over folders below those of paths that cannot be listed, and tells of them.
func FindOpen(paths []string) (found []string, closed []Failure, err error) {
	seen := map[string]bool{}
	for _, path := range paths {
		files, shut, err := findIn(path)
		if err != nil {
			return nil, nil, err
		}
		closed = append(closed, shut...)
		for _, f := range files {
			if clean := filepath.Clean(f); !seen[clean] {
				seen[clean] = true
				found = append(found, clean)
			}
		}
	}
	return found, closed, nil
}

func findIn(path string) (files []string, closed []Failure, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("find papers: %w", err)
	}
	if !info.IsDir() {
		if !isPDF(path) {
			return nil, nil, fmt.Errorf("find papers: %s is not a PDF", path)
		}
		return []string{path}, nil, nil
	}
	if files, closed, err = walk(os.DirFS(path), path); err != nil {
		return nil, nil, fmt.Errorf("find papers in %s: %w", path, err)
	}
	slices.Sort(files)
	return files, closed, nil
}

// walk lists the PDFs of a folder. One below it that cannot be listed is told of.
func walk(folder fs.FS, path string) (files []string, closed []Failure, err error) {
	err = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		full := filepath.Join(path, filepath.FromSlash(name))
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			closed = append(closed, Failure{full, err})
			return fs.SkipDir
		case entry.IsDir() && name != "." && isDataDir(folder, name):
			return fs.SkipDir // its papers are in it already
		case !entry.IsDir() && hasSuffix(name):
			files = append(files, full)
		}
		return nil
	})
	return files, closed, err
}

// isDataDir tells whether a folder is a data directory, with copies of the papers that were read into it.
func isDataDir(folder fs.FS, name string) bool {
	_, err := fs.Stat(folder, name+"/"+datadir.InfoName)
	return err == nil
}

func hasSuffix(name string) bool { return strings.EqualFold(filepath.Ext(name), ".pdf") }

// isPDF goes by the name, or by the head of a file that is named otherwise.
func isPDF(path string) bool {
	if hasSuffix(path) {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head, err := io.ReadAll(io.LimitReader(f, 1024))
	return err == nil && bytes.Contains(head, []byte("%PDF-"))
}
