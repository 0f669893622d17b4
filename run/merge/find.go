package merge

import (
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

// Find returns the shards among paths and in folders, grouped by job. Run directories named BASELINE@MODEL, as airqa run
// makes them for several baselines, are grouped by that name; all others belong to one job. It skips runs in folders that
// are no shards, such as an earlier merge.
func Find(paths []string) ([]Job, error) {
	var jobs []Job
	seen := make(map[string]bool)
	for _, path := range paths {
		dirs, err := shardsIn(path)
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			whole, err := filepath.Abs(dir)
			if err != nil {
				return nil, err
			}
			if seen[whole] {
				continue
			}
			seen[whole] = true
			name, err := jobName(whole)
			if err != nil {
				return nil, err
			}
			i := slices.IndexFunc(jobs, func(j Job) bool { return j.Name == name })
			if i < 0 {
				i, jobs = len(jobs), append(jobs, Job{Name: name})
			}
			jobs[i].Dirs = append(jobs[i].Dirs, dir)
		}
	}
	if len(jobs) > 1 && slices.ContainsFunc(jobs, func(j Job) bool { return j.Name == "" }) {
		return nil, qa.Usagef("some run directories are named BASELINE@MODEL and others are not; merge them in two calls")
	}
	return jobs, nil
}

// shardsIn returns a run directory, or those in a folder, up to FOLDER/3-of-16/BASELINE@MODEL.
func shardsIn(path string) ([]string, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, &qa.UsageError{Err: err}
	}
	var shards, others []string
	for _, pattern := range []string{"", "*/", "*/*/"} {
		found, err := fs.Glob(os.DirFS(path), pattern+runlog.RunFile)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			if strings.Contains("/"+name, "/.") {
				continue // such as one that is being merged
			}
			dir := filepath.Join(path, filepath.Dir(name))
			config, err := runlog.ReadConfig(dir)
			if err != nil {
				return nil, err
			}
			if config.Shape.Shard == "" {
				others = append(others, dir)
				continue
			}
			shards = append(shards, dir)
		}
		if pattern == "" && len(found) > 0 {
			break // runs inside of a run are its forks
		}
	}
	switch {
	case len(shards) > 0:
		return shards, nil
	case len(others) > 0:
		return nil, qa.Usagef("%s has no shards: %s is not a shard, nor a part of one", path, others[0])
	}
	return nil, qa.Usagef("%s has no shards; airqa run --shard I/N --out DIR creates one", path)
}

// jobName is the name of a run directory if it is that of its baseline and model; else "".
func jobName(dir string) (string, error) {
	config, err := runlog.ReadConfig(dir)
	if name := config.Shape.Baseline + "@" + session.Slug(config.Shape.ModelName()); name == filepath.Base(dir) {
		return name, err
	}
	return "", err
}
