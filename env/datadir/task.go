package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/internal/files"
	"airqa/qa"
)

// Task is a command that adds papers. Until it has ended, the directory has a file that names it, so that nothing takes the
// directory for whole after a task that was killed.
type Task struct {
	Format int `json:"format"`
	// Command is the command line, without keys.
	Command string `json:"command"`
	// Papers are the files, folders and addresses that it adds.
	Papers []string `json:"papers"`

	file string // that Begin made
}

// Begin records that a task has begun; nil is none.
func (d *Dir) Begin(t *Task) error {
	if t == nil {
		return nil
	}
	t.Format = recordFormat
	path := filepath.Join(d.path, "unfinished-"+files.Hash(strings.Join(t.Papers, "\n"))[:12]+".json")
	if _, err := os.Lstat(path); err == nil { // a task with these papers was interrupted
		return nil
	}
	t.file = path
	return WriteRecord(path, t)
}

// Drop removes the record of a task that was refused. Those of others that add the same papers stay.
func (t *Task) Drop() error {
	if t == nil || t.file == "" {
		return nil
	}
	return files.IgnoreMissing(os.Remove(t.file))
}

// End records that a task has ended. It ends all others whose papers are the same or in its folders.
func (d *Dir) End(t *Task) error {
	if t == nil {
		return nil
	}
	return d.eachUnfinished(func(path string, other Task) error {
		for _, paper := range other.Papers {
			if !slices.ContainsFunc(t.Papers, func(p string) bool { return p == paper || strings.HasPrefix(paper, p+"/") }) {
				return nil
			}
		}
		return os.Remove(path)
	})
}

// CheckWhole returns a [qa.FailedError] with the commands that add what is missing if tasks have not ended.
func (d *Dir) CheckWhole() error {
	var commands []string
	err := d.eachUnfinished(func(_ string, t Task) error {
		commands = append(commands, t.Command)
		return nil
	})
	if err != nil || commands == nil {
		return err
	}
	return qa.Failedf("data directory %s lacks papers: adding them was interrupted, or is not done yet. This adds the rest:\n  %s",
		d.path, strings.Join(commands, "\n  "))
}

func (d *Dir) eachUnfinished(do func(path string, t Task) error) error {
	entries, err := os.ReadDir(d.path)
	for _, e := range entries {
		if path := filepath.Join(d.path, e.Name()); strings.HasPrefix(e.Name(), "unfinished-") && !files.IsLeftover(e.Name()) {
			var t Task
			if readErr := ReadRecord(path, &t); readErr != nil {
				err = errors.Join(err, fmt.Errorf("%w; remove it if no papers are missing", readErr))
			} else {
				err = errors.Join(err, do(path, t))
			}
		}
	}
	return err
}
