package merge

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"airqa/qa"
	"airqa/run/session"
	"airqa/runlog"
)

// Job is the shards of one run.
type Job struct {
	// Name is BASELINE@MODEL.
	Name string
	// Dirs are the run directories of the shards.
	Dirs []string
}

// Find returns the shards among paths and in folders, grouped by baseline and model. It skips runs in folders that are no
// shards, such as an earlier merge.
func Find(paths []string) ([]Job, error) {
	var jobs []Job
	for _, path := range paths {
		runs, err := runsIn(path)
		if err != nil {
			return nil, err
		}
		shards := 0
		for _, dir := range runs {
			config, err := runlog.ReadConfig(dir)
			if err != nil {
				return nil, err
			}
			if config.Shape.Shard == "" {
				continue
			}
			shards++
			name := config.Shape.Baseline + "@" + session.Slug(config.Shape.ModelName())
			i := slices.IndexFunc(jobs, func(j Job) bool { return j.Name == name })
			if i < 0 {
				i, jobs = len(jobs), append(jobs, Job{Name: name})
			}
			jobs[i].Dirs = append(jobs[i].Dirs, dir)
		}
		if shards == 0 {
			return nil, qa.Usagef("%s has no shards; airqa run --shard I/N --out DIR creates one", path)
		}
	}
	return jobs, nil
}

// runsIn returns the run directory at a path, or those in a folder, up to FOLDER/3-of-16/BASELINE@MODEL.
func runsIn(path string) (dirs []string, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, &qa.UsageError{Err: err}
	}
	for _, pattern := range []string{"", "*/", "*/*/"} {
		found, err := fs.Glob(os.DirFS(path), pattern+runlog.RunFile)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			dirs = append(dirs, filepath.Join(path, filepath.Dir(name)))
		}
		if pattern == "" && len(found) > 0 {
			break // runs inside of a run are its forks
		}
	}
	return dirs, nil
}
