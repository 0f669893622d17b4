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
)

// Find lists the PDFs that paths name: files as given, folders with everything below them, sorted, whatever the case of
// ".pdf". A path that does not exist and a file that is no PDF are errors. No file comes twice.
func Find(paths []string) ([]string, error) {
	var found []string
	seen := map[string]bool{}
	for _, path := range paths {
		files, err := findIn(path)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if clean := filepath.Clean(f); !seen[clean] {
				seen[clean] = true
				found = append(found, clean)
			}
		}
	}
	return found, nil
}

func findIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("find papers: %w", err)
	}
	if !info.IsDir() {
		if !isPDF(path) {
			return nil, fmt.Errorf("find papers: %s is not a PDF", path)
		}
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && hasSuffix(name) {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find papers in %s: %w", path, err)
	}
	slices.Sort(files)
	return files, nil
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
