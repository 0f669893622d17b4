package importer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/train/format"
)

// Limits of what is read, in bytes: a file from a stranger may be a bomb.
const (
	maxFile = 1 << 30 // see [Config]
	// maxSample is for one unpacked sample: it is in memory several times while it is read.
	maxSample = 256 << 20
	maxImage  = 64 << 20
)

// folder is the folder of an import. Files that trajectories refer to are read inside of it only.
type folder struct {
	root *os.Root
	// files are the trajectories, relative to the root, with slashes.
	files []string
}

// openFolder opens the folder of a path: that of its *.json files, or of those in its folder of trajectories. The root of
// an export of airqa is the folder above its trajectories, since its images are there.
func openFolder(name string) (*folder, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	dir, inside := filepath.Dir(name), filepath.Base(name)
	if info.IsDir() {
		dir, inside = name, ""
	}
	const trajectories = "trajectories"
	if abs, err := filepath.Abs(dir); err == nil && filepath.Base(abs) == trajectories {
		dir, inside = filepath.Dir(abs), path.Join(trajectories, inside)
	}
	f := &folder{}
	if f.root, err = os.OpenRoot(dir); err != nil {
		return nil, err
	}
	if !info.IsDir() {
		f.files = []string{inside}
		return f, nil
	}
	for _, sub := range []string{path.Join(inside, trajectories), path.Clean(inside)} {
		if f.files, err = f.list(sub); err == nil && len(f.files) > 0 {
			return f, f.sort()
		}
	}
	return nil, errors.Join(fmt.Errorf("%s has no *.json file", name), f.root.Close())
}

// list returns the *.json files of a folder by name.
func (f *folder) list(dir string) ([]string, error) {
	entries, err := fs.ReadDir(f.root.FS(), dir)
	var files []string
	for _, e := range entries {
		if path.Ext(e.Name()) == ".json" && e.Type().IsRegular() {
			files = append(files, path.Join(dir, e.Name()))
		}
	}
	return files, err
}

// sort puts the files of an export of airqa into the order of its runs, as its table of rows has it. Others stay as they
// are, by name.
func (f *folder) sort() error {
	tables, err := fs.Glob(f.root.FS(), "data/*.jsonl")
	if err != nil {
		return err
	}
	order := make(map[string]int)
	for _, table := range tables {
		raw, err := files.ReadRegular(f.root, table, maxFile)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(raw) {
			var row struct {
				Trajectory string `json:"trajectory"`
			}
			if json.Unmarshal(line, &row) == nil && order[row.Trajectory] == 0 {
				order[row.Trajectory] = len(order) + 1
			}
		}
	}
	slices.SortStableFunc(f.files, func(a, b string) int {
		return cmp.Compare(cmp.Or(order[a], len(order)+1), cmp.Or(order[b], len(order)+1))
	})
	return nil
}

// beside returns the name of a file that another one refers to; false if it is outside of the folder.
func (f *folder) beside(name, ref string) (string, bool) {
	if path.IsAbs(ref) || strings.Contains(ref, "://") || strings.Contains(ref, "\\") {
		return "", false
	}
	found := path.Join(path.Dir(name), ref)
	return found, filepath.IsLocal(filepath.FromSlash(found))
}

// addUnread adds the keys of JSON that the types of this package do not have: raw is what was read, known the same after
// decoding and encoding. Empty values are no loss.
func addUnread(l Losses, at string, raw, known any) {
	switch raw := raw.(type) {
	case map[string]any:
		have, ok := known.(map[string]any)
		if !ok {
			return
		}
		for _, key := range slices.Sorted(maps.Keys(raw)) {
			value, there := have[key]
			switch {
			case there:
				addUnread(l, at+"."+key, raw[key], value)
			case !empty(raw[key]):
				l.Add(strings.TrimPrefix(at+"."+key, "."))
			}
		}
	case []any:
		have, ok := known.([]any)
		for i := range raw {
			if ok && i < len(have) {
				addUnread(l, at, raw[i], have[i])
			}
		}
	}
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// finite returns JSON without the numbers that JSON does not have, and counts them.
func finite(raw []byte, l Losses) []byte {
	return format.Finite(raw, func(number string) { l.Add("number " + number + ", now null") })
}

// decode reads JSON into a value, and counts what the value has no place for.
func decode(raw []byte, v any, at string, l Losses) error {
	if err := json.Unmarshal(raw, v); err != nil {
		return err
	}
	known, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var read, kept any
	if err := errors.Join(json.Unmarshal(raw, &read), json.Unmarshal(known, &kept)); err != nil {
		return err
	}
	addUnread(l, at, read, kept)
	return nil
}
