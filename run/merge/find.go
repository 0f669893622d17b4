package merge

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/qa"
	"airqa/run/session"
	"airqa/runlog"
)

// Job is the shards of one run: a baseline and a model.
type Job struct {
	// Name is BASELINE@MODEL, or "" for run directories of other names.
	Name string
	// Dirs are the run directories of the shards.
	Dirs []string
}

// depth is how far below a given folder run directories are found: FOLDER/3-of-16/BASELINE@MODEL.
const depth = 2

// Find returns the shards among paths and in folders, grouped by job. Run directories named BASELINE@MODEL, as airqa run
// makes them for several baselines, are grouped by that name; all others belong to one job. It skips out, and runs in
// folders that are no shards.
func Find(paths []string, out string) ([]Job, error) {
	f := finder{out: out}
	for _, path := range paths {
		before := len(f.dirs)
		if err := f.walk(path, 0); err != nil {
			return nil, err
		}
		if len(f.dirs) == before && !f.twice(path) {
			return nil, qa.Usagef("%v", f.nothingIn(path))
		}
	}
	var jobs []Job
	for _, dir := range f.dirs {
		name, err := jobName(dir)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(jobs, func(j Job) bool { return j.Name == name })
		if i < 0 {
			i, jobs = len(jobs), append(jobs, Job{Name: name})
		}
		jobs[i].Dirs = append(jobs[i].Dirs, dir)
	}
	if len(jobs) > 1 && slices.ContainsFunc(jobs, func(j Job) bool { return j.Name == "" }) {
		return nil, qa.Usagef("some run directories are named BASELINE@MODEL and others are not; merge them in two calls")
	}
	return jobs, nil
}

// finder collects run directories, each once.
type finder struct {
	out    string
	dirs   []string
	infos  []os.FileInfo
	others []string // runs that are no shards
}

func (f *finder) walk(path string, below int) error {
	info, err := os.Stat(path)
	if below == 0 && err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return qa.Usagef("%s: no such file or directory", path)
		}
		return err
	}
	if err != nil || !info.IsDir() {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(path, runlog.RunFile)); err == nil {
		return f.add(path, info, below)
	}
	if below == depth || below > 0 && f.isOut(info) {
		return nil
	}
	return f.inside(path, below)
}

// inside looks for runs in the folders of a folder.
func (f *finder) inside(path string, below int) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if err := f.walk(filepath.Join(path, e.Name()), below+1); err != nil {
			return err
		}
	}
	return nil
}

// add adds a run directory, unless it is there already. One that is no shard is skipped if it was only found.
func (f *finder) add(dir string, info os.FileInfo, below int) error {
	if f.has(info) || below > 0 && f.isOut(info) {
		return nil
	}
	config, err := runlog.ReadConfig(dir)
	switch {
	case err != nil:
		return err
	case config.Shape.Shard != "":
		f.dirs, f.infos = append(f.dirs, dir), append(f.infos, info)
	case below == 0:
		return qa.Usagef("%s is not a shard, nor a part of one", dir)
	default:
		f.others = append(f.others, dir)
	}
	return nil
}

func (f *finder) has(info os.FileInfo) bool {
	return slices.ContainsFunc(f.infos, func(other os.FileInfo) bool { return os.SameFile(info, other) })
}

func (f *finder) isOut(info os.FileInfo) bool {
	out, err := os.Stat(f.out)
	return err == nil && os.SameFile(info, out)
}

// twice reports whether a path is a run directory that was found before.
func (f *finder) twice(path string) bool {
	info, err := os.Stat(path)
	return err == nil && f.has(info)
}

func (f *finder) nothingIn(path string) string {
	if len(f.others) > 0 {
		return path + " has runs, but no shards: " + f.others[0] + " is not a part of one"
	}
	return path + " has no shards; airqa run --shard I/N --out DIR creates one"
}

// jobName is the name of a run directory if it is that of its baseline and model; else "".
func jobName(dir string) (string, error) {
	config, err := runlog.ReadConfig(dir)
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(dir)
	if name := config.Shape.Baseline + "@" + session.Slug(config.Shape.ModelName()); name == filepath.Base(path) {
		return name, err
	}
	return "", err
}
