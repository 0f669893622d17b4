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
	"airqa/qa"
)

// Find lists the PDFs in paths, without duplicates: files as given, and folders recursively, sorted, with any case of
// ".pdf". It skips data directories inside a folder. A missing path, a file that is not a PDF, and an unreadable folder
// are errors.
func Find(paths []string) ([]string, error) {
	found, closed, err := FindOpen(paths)
	if err == nil && len(closed) > 0 {
		return nil, fmt.Errorf("find papers in %s: %w", closed[0].Path, closed[0].Err)
	}
	return found, err
}

// FindOpen is like Find, but skips unreadable subfolders and returns them in closed.
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
			return nil, nil, &qa.UsageError{Err: fmt.Errorf("%s: not a PDF; airqa reads PDF files only", path)}
		}
		return []string{path}, nil, nil
	}
	if files, closed, err = walk(os.DirFS(path), path); err != nil {
		return nil, nil, fmt.Errorf("find papers in %s: %w", path, err)
	}
	slices.Sort(files)
	return files, closed, nil
}

// walk lists the PDFs of a folder, and its unreadable subfolders.
func walk(folder fs.FS, path string) (files []string, closed []Failure, err error) {
	err = fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		full := filepath.Join(path, filepath.FromSlash(name))
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			closed = append(closed, Failure{full, err})
			return fs.SkipDir
		case entry.IsDir() && name != ".":
			if _, err := fs.Stat(folder, name+"/"+datadir.InfoName); err == nil {
				return fs.SkipDir // the papers of a data directory have already been ingested
			}
		case !entry.IsDir() && hasSuffix(name):
			files = append(files, full)
		}
		return nil
	})
	return files, closed, err
}

func hasSuffix(name string) bool { return strings.EqualFold(filepath.Ext(name), ".pdf") }

// isPDF checks the name, or else the header of the file.
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
