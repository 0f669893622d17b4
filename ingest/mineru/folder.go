// Package mineru reads the output of MinerU (magic-pdf 1.1 to MinerU 4.0, https://github.com/opendatalab/MinerU): tables
// with their cells, figures, and equations in LaTeX, each with its page. Start from [Open], which finds the outputs
// below a folder by name, and [Output.Parse].
//
// Bad output never causes an error: missing, broken or odd data is described as a problem. The package makes no rows
// and does not run MinerU.
package mineru

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Suffixes of the files.
const (
	middleName  = "middle.json"
	contentName = "content_list.json"
	// middle4Name is the file of MinerU 4's Python interface and zip files; its command writes ID.json.
	middle4Name = "middle_json.json"
)

// Folder is an immutable index of the outputs below a directory. It is safe for concurrent use.
type Folder struct {
	root  string
	found map[string][]string // folders with an output, relative to root, by the name of the paper in lower case
}

// Open finds all outputs below root: ID/auto/ID_middle.json next to ID_content_list.json, as MinerU 1 to 3 writes them,
// ID_middle.json in any other folder, and ID/middle.json; ID/middle_json.json and ID.json of MinerU 4. Of ID.json, it
// reads the ends, and of the others only the names. A folder without any output is an error.
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
	if len(f.found) == 0 {
		return nil, fmt.Errorf("no MinerU output in %s: there is no ID_middle.json, ID/middle_json.json or ID.json with pages", root)
	}
	for _, dirs := range f.found {
		slices.SortFunc(dirs, preferred)
	}
	return f, nil
}

// note indexes a file that is part of an output.
func (f *Folder) note(path string) error {
	dir, err := filepath.Rel(f.root, filepath.Dir(path))
	if err != nil {
		return err
	}
	add := func(id string) {
		if id != "" && !slices.Contains(f.found[id], dir) {
			f.found[id] = append(f.found[id], dir)
		}
	}
	named := false
	for _, end := range []string{middleName, contentName, middle4Name} {
		id := idOf(filepath.Join(dir, filepath.Base(path)), end)
		add(id)
		named = named || id != ""
	}
	if id, ok := strings.CutSuffix(strings.ToLower(filepath.Base(path)), ".json"); ok && !named && isMiddle(path) {
		add(id)
	}
	return nil
}

// isMiddle reports whether a file has the marks of MinerU's pages near its beginning or end.
func isMiddle(path string) bool {
	const part = 16 << 10
	file, err := os.Open(path)
	if err != nil {
		return false // reported if it is needed
	}
	defer func() { _ = file.Close() }()
	ends := make([]byte, part)
	n, _ := io.ReadFull(file, ends)
	ends = ends[:n]
	if info, err := file.Stat(); err == nil && info.Size() > part {
		tail := make([]byte, part)
		n, _ := file.ReadAt(tail, info.Size()-part)
		ends = append(ends, tail[:n]...)
	}
	return slices.ContainsFunc([]string{`"docvortex.middle"`, `"pdf_info"`, `"is_full_document"`}, func(mark string) bool {
		return bytes.Contains(ends, []byte(mark))
	})
}

// idOf returns the paper of a file in lower case, or "" if the file has another suffix.
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

// methods lists the subfolders per paper, one per parsing method, or per quality since MinerU 4; the first is preferred.
func methods() []string {
	return []string{"auto", "txt", "ocr", "vlm", "advanced", "standard", "basic", "flash"}
}

func preferred(a, b string) int {
	rank := func(dir string) int {
		if i := slices.Index(methods(), filepath.Base(dir)); i >= 0 {
			return i
		}
		return len(methods())
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// Output has the unparsed files of one paper.
type Output struct {
	middle, content []byte // nil if missing
	problems        []string
}

// Find loads the output of the first of several names of a paper that has one, such as the stem of its file and its
// UUID. It ignores case and returns false if there is none.
func (f *Folder) Find(names ...string) (Output, bool) {
	for _, name := range names {
		id := strings.ToLower(name)
		dirs := f.found[id]
		if id == "" || len(dirs) == 0 {
			continue
		}
		var o Output
		if len(dirs) > 1 {
			o.problem("%d outputs for %s; using the one in %s", len(dirs), id, filepath.ToSlash(dirs[0]))
		}
		dir := filepath.Join(f.root, dirs[0])
		o.middle = o.read(dir, middle4Name, id+"_"+middleName, middleName, id+".json")
		o.content = o.read(dir, contentName, id+"_"+contentName)
		return o, true
	}
	return Output{}, false
}

// read loads the first file with one of several names in lower case. A file that cannot be read is a problem.
func (o *Output) read(dir string, names ...string) []byte {
	const maxFile = 128 << 20 // a long book takes some 20 MB
	entries, err := os.ReadDir(dir)
	if err != nil {
		o.problem("%v", cause(err))
		return nil
	}
	rank := func(e os.DirEntry) int { return slices.Index(names, strings.ToLower(e.Name())) }
	slices.SortStableFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(rank(a), rank(b)) })
	for _, e := range entries {
		if rank(e) < 0 {
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

// cause removes the path from an error, because problems are stored where others can read them.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// Hash returns a hash of the files' content, in lower-case hex.
func (o Output) Hash() string {
	h := sha256.New()
	for _, data := range [][]byte{o.middle, o.content} {
		_, _ = fmt.Fprintf(h, "%d ", len(data)) // hash.Hash never returns an error
		_, _ = h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (o *Output) problem(format string, args ...any) {
	o.problems = append(o.problems, "MinerU: "+fmt.Sprintf(format, args...))
}
