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
	"airqa/internal/fuzzy"
	"airqa/qa"
)

// Records finds the metadata file of a PDF in a large folder, such as the tens of thousands of UUID.json files of the AirQA
// collection, by the paper's UUID or its title. It reads files only for the first search by title, and keeps only the titles.
// The caller parses the files. It is safe for concurrent use.
type Records struct {
	root  string
	paths []string          // all JSON files, sorted
	byID  map[string]string // path by UUID in lower case
	// titles reads all files, once.
	titles func() (titles, error)
}

type titles struct {
	hash  string              // of the names and contents of all files
	exact map[string][]string // paths by the letters and digits of the title
	list  []titled
}

type titled struct {
	path, title string // the title in lower case
	length      int    // in characters
}

// OpenRecords lists all JSON files below root without reading them.
func OpenRecords(root string) (*Records, error) {
	r := &Records{root: root, byID: map[string]string{}}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.EqualFold(filepath.Ext(path), ".json") {
			r.paths = append(r.paths, path)
			id := strings.ToLower(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
			if _, twice := r.byID[id]; qa.IsUUID(id) && !twice {
				r.byID[id] = path
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look for metadata: %w", err)
	}
	r.titles = sync.OnceValues(r.readTitles)
	return r, nil
}

// ByID returns the file named after a UUID, ignoring case.
func (r *Records) ByID(id string) (path string, ok bool) {
	path, ok = r.byID[strings.ToLower(id)]
	return path, ok
}

// Hash returns a hash of the names and contents of the files, in lower-case hex. The first call of Hash or
// [Records.ByTitle] reads all of them.
func (r *Records) Hash() (string, error) {
	t, err := r.titles()
	return t.hash, err
}

// ByTitle returns the file of the record with a title: the same letters and digits, or else the most similar one with a
// FuzzyWuzzy ratio of at least 90. path is empty if there is none, or if several are equally similar, as described by
// problem.
func (r *Records) ByTitle(title string) (path, problem string, err error) {
	t, err := r.titles()
	title = strings.ToLower(strings.TrimSpace(title))
	if err != nil || title == "" {
		return "", "", err
	}
	found := t.exact[lettersAndDigits(title)]
	if len(found) == 0 {
		found = t.similar(title)
	}
	switch len(found) {
	case 0:
		return "", "", nil
	case 1:
		return found[0], "", nil
	}
	return "", fmt.Sprintf("metadata: %d records have this title, including %s and %s: ignored", len(found),
		filepath.Base(found[0]), filepath.Base(found[1])), nil
}

// similar returns the paths of the titles that are most similar to one.
func (t titles) similar(title string) (paths []string) {
	const minRatio = 90 // at which the reference implementation considers two titles equal
	best, length := minRatio, utf8.RuneCountInString(title)
	for _, c := range t.list {
		if all := length + c.length; 200*min(length, c.length)+all < best*all { // plus one for rounding
			continue // too different in length, even if the whole shorter title is common
		}
		switch score := fuzzy.Ratio(title, c.title); {
		case score > best:
			best, paths = score, []string{c.path}
		case score == best:
			paths = append(paths, c.path)
		}
	}
	return paths
}

func (r *Records) readTitles() (titles, error) {
	t, sum := titles{exact: map[string][]string{}}, sha256.New()
	for _, path := range r.paths {
		name, err := filepath.Rel(r.root, path)
		var data []byte
		if err == nil {
			data, err = os.ReadFile(path)
		}
		if err != nil {
			return t, fmt.Errorf("read metadata: %w", err)
		}
		_, _ = fmt.Fprintf(sum, "%q %x\n", filepath.ToSlash(name), sha256.Sum256(data)) // hash.Hash never returns an error
		var record struct {
			Title string `json:"title"`
		}
		_ = json.Unmarshal(files.Text(data), &record) // a broken record has no title
		title := strings.ToLower(strings.TrimSpace(record.Title))
		if title == "" {
			continue
		}
		t.list = append(t.list, titled{path: path, title: title, length: utf8.RuneCountInString(title)})
		if key := lettersAndDigits(title); key != "" {
			t.exact[key] = append(t.exact[key], path)
		}
	}
	t.hash = hex.EncodeToString(sum.Sum(nil))
	return t, nil
}

// lettersAndDigits is like the rule for paper ids (package qa), but for all alphabets.
func lettersAndDigits(title string) string {
	return strings.Map(func(r rune) rune {
		typesetting := r == 0xa0 || r >= 0x2000 && r <= 0x206f // dashes, quotes and spaces
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f && !typesetting {
			return r
		}
		return -1
	}, title)
}
