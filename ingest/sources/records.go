package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"airqa/internal/files"
	"airqa/qa"
)

// Records is an index of the metadata files below a directory. It is safe for concurrent use.
type Records struct {
	root  string
	paths []string          // all JSON files, sorted
	byID  map[string]string // path by UUID in lower case
	// index reads all files, once.
	index func() (titles, error)
}

// OpenRecords lists all JSON files below root without reading them.
func OpenRecords(root string) (*Records, error) {
	f := &Records{root: root, byID: map[string]string{}}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.EqualFold(filepath.Ext(path), ".json") {
			f.paths = append(f.paths, path)
			id := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
			if _, twice := f.byID[id]; qa.IsUUID(id) && !twice {
				f.byID[id] = path
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for metadata: %w", err)
	}
	f.index = sync.OnceValues(f.readTitles)
	return f, nil
}

// ByID returns the file named after a UUID, ignoring case.
func (f *Records) ByID(id string) (path string, ok bool) {
	path, ok = f.byID[strings.ToLower(id)]
	return path, ok
}

// Hash returns a hash of the names and contents of the files, in lower-case hex. The first call of Hash or
// [Records.ByTitle] reads all of them.
func (f *Records) Hash() (string, error) {
	t, err := f.index()
	return t.hash, err
}

func (f *Records) readTitles() (titles, error) {
	t := titles{exact: map[string][]string{}, sum: sha256.New()}
	for _, path := range f.paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return t, fmt.Errorf("read metadata: %w", err)
		}
		name, err := filepath.Rel(f.root, path)
		if err != nil {
			return t, fmt.Errorf("read metadata: %w", err)
		}
		_, _ = fmt.Fprintf(t.sum, "%q %x\n", filepath.ToSlash(name), sha256.Sum256(data)) // hash.Hash never returns an error
		var record struct {
			Title string `json:"title"`
		}
		_ = json.Unmarshal(files.Text(data), &record) // a broken record has no title
		title := strings.ToLower(strings.TrimSpace(record.Title))
		if title == "" {
			continue
		}
		t.list = append(t.list, titled{path: path, title: title, length: utf8.RuneCountInString(title)})
		if key := normal(title); key != "" {
			t.exact[key] = append(t.exact[key], path)
		}
	}
	t.hash = hex.EncodeToString(t.sum.Sum(nil))
	return t, nil
}
