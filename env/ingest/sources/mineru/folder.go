package mineru

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The ends of the names of the files that are read.
const (
	middleName  = "middle.json"
	contentName = "content_list.json"
)

// maxFile bounds a file of an output; a long book has some 20 MB.
const maxFile = 128 << 20

// Folder knows which outputs lie below a directory. It does not change; its methods may be called from several goroutines.
type Folder struct {
	root  string
	found map[string][]string // name of a paper in lower case: folders that hold an output of it, relative to root
}

// Open looks for outputs everywhere below root: ID/auto/ID_middle.json with ID_content_list.json beside it, as MinerU writes
// them, ID_middle.json in any other folder, and ID/middle.json. It reads names, no contents.
func Open(root string) (*Folder, error) {
	f := &Folder{root: root, found: map[string][]string{}}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return f.note(path)
	})
	if err != nil {
		return nil, fmt.Errorf("look for MinerU output: %w", err)
	}
	for _, dirs := range f.found {
		slices.SortFunc(dirs, preferred)
	}
	return f, nil
}

// note takes a file into account that is part of an output.
func (f *Folder) note(path string) error {
	dir, err := filepath.Rel(f.root, filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, end := range []string{middleName, contentName} {
		if id := idOf(filepath.Join(dir, filepath.Base(path)), end); id != "" && !slices.Contains(f.found[id], dir) {
			f.found[id] = append(f.found[id], dir)
		}
	}
	return nil
}

// idOf is the paper that a file is about, in lower case; empty when the file does not end as it should.
func idOf(path, end string) string {
	name, dir := filepath.Base(path), filepath.Dir(path)
	if name == end {
		name = filepath.Base(dir)
		if slices.Contains(methods(), name) {
			name = filepath.Base(filepath.Dir(dir))
		}
		return strings.ToLower(strings.Trim(name, "."))
	}
	id, ok := strings.CutSuffix(name, "_"+end)
	if !ok {
		return ""
	}
	return strings.ToLower(id)
}

// methods are the folders that MinerU makes inside a paper's own, one a way of parsing; the first is preferred.
func methods() []string { return []string{"auto", "txt", "ocr", "vlm"} }

func preferred(a, b string) int {
	rank := func(dir string) int {
		if i := slices.Index(methods(), filepath.Base(dir)); i >= 0 {
			return i
		}
		return len(methods())
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// Papers is how many papers have an output.
func (f *Folder) Papers() int { return len(f.found) }

// Output is the files of one paper, not parsed yet.
type Output struct {
	middle, content []byte // nil when missing
	problems        []string
}

// Find loads the output of the first of several names of a paper, such as the stem of its file and its uuid, that has one;
// false when none has. Upper and lower case are the same.
func (f *Folder) Find(names ...string) (Output, bool) {
	for _, name := range names {
		if dirs := f.found[strings.ToLower(name)]; name != "" && len(dirs) > 0 {
			return f.load(strings.ToLower(name), dirs), true
		}
	}
	return Output{}, false
}

func (f *Folder) load(id string, dirs []string) Output {
	var o Output
	if len(dirs) > 1 {
		o.problem("%d outputs for %s; the one in %s is used", len(dirs), id, filepath.ToSlash(dirs[0]))
	}
	o.middle = o.read(filepath.Join(f.root, dirs[0]), id, middleName)
	o.content = o.read(filepath.Join(f.root, dirs[0]), id, contentName)
	return o
}

// read loads one file; what cannot be read is a problem.
func (o *Output) read(dir, id, end string) []byte {
	entries, err := os.ReadDir(dir)
	if err != nil {
		o.problem("%v", cause(err))
		return nil
	}
	for _, e := range entries {
		if name := strings.ToLower(e.Name()); name != end && name != id+"_"+end {
			continue
		}
		if info, err := e.Info(); err == nil && info.Size() > maxFile {
			o.problem("%s has %d MB, more than the limit of %d MB", e.Name(), info.Size()>>20, maxFile>>20)
			return nil
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			o.problem("%s: %v", e.Name(), cause(err))
			return nil
		}
		return data
	}
	return nil
}

// cause leaves the path out of an error: problems are kept where others read them.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// Hash changes with the content of the files, in lower-case hex.
func (o Output) Hash() string {
	h := sha256.New()
	for _, data := range [][]byte{o.middle, o.content} {
		_, _ = fmt.Fprintf(h, "%d ", len(data)) // a hash takes everything
		_, _ = h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (o *Output) problem(format string, args ...any) {
	o.problems = append(o.problems, "MinerU: "+fmt.Sprintf(format, args...))
}
