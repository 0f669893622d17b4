// Package records finds the metadata file of a paper among the many below a folder, such as the tens of thousands of the
// AirQA collection (Appendix A.2, one UUID.json a paper): by the paper's uuid, or by its title. Start from [Open].
//
// It reads no file before a title is looked for, and keeps titles only. What is in a file is the caller's to parse.
package records

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"airqa/qa"
)

// Folder knows the metadata files below a directory. Its methods may be called from several goroutines.
type Folder struct {
	root  string
	paths []string          // all JSON files, sorted
	byID  map[string]string // uuid in lower case: path
	// index reads all files, once.
	index func() (titles, error)
}

// Open lists the JSON files everywhere below root. It reads none.
func Open(root string) (*Folder, error) {
	f := &Folder{root: root, byID: map[string]string{}}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.EqualFold(filepath.Ext(path), ".json") {
			f.note(path)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for metadata: %w", err)
	}
	f.index = sync.OnceValues(f.readTitles)
	return f, nil
}

func (f *Folder) note(path string) {
	f.paths = append(f.paths, path)
	id := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
	if _, twice := f.byID[id]; qa.IsUUID(id) && !twice {
		f.byID[id] = path
	}
}

// Len is how many files there are.
func (f *Folder) Len() int { return len(f.paths) }

// ByID returns the file that is named for a uuid, in upper or lower case.
func (f *Folder) ByID(id string) (path string, ok bool) {
	path, ok = f.byID[strings.ToLower(id)]
	return path, ok
}

// Hash changes with the names and contents of the files, in lower-case hex. The first call, or the first [Folder.ByTitle],
// reads all of them.
func (f *Folder) Hash() (string, error) {
	t, err := f.index()
	return t.hash, err
}

// titleOf reads the title of a record; empty when it has none or is broken.
func titleOf(data []byte) string {
	var record struct {
		Title string `json:"title"`
	}
	if json.Unmarshal(data, &record) != nil {
		return ""
	}
	return record.Title
}

func (f *Folder) readTitles() (titles, error) {
	t := newTitles()
	for _, path := range f.paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return t, fmt.Errorf("read metadata: %w", err)
		}
		name, err := filepath.Rel(f.root, path)
		if err != nil {
			return t, fmt.Errorf("read metadata: %w", err)
		}
		t.add(path, filepath.ToSlash(name), data)
	}
	t.finish()
	return t, nil
}
