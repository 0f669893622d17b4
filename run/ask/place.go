package ask

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"airqa/qa"
	"airqa/run/plan"
	"airqa/runlog"
)

// Folder is the folder of the run directories of questions, inside the working directory.
var Folder = filepath.Join(plan.RunsFolder, "ask")

// timeFormat sorts run directories by time.
const timeFormat = "20060102-150405"

// place returns the run directory for what key stands for: one with unanswered questions is resumed, unless another
// process is writing to it.
func place(now time.Time, key string) (string, error) {
	names, err := runNames()
	if err != nil {
		return "", err
	}
	for _, name := range slices.Backward(names) {
		dir := filepath.Join(Folder, name)
		if !strings.Contains(name, "-"+key) {
			continue
		}
		if writing, err := runlog.Writing(dir); err == nil && !writing {
			if done, all, err := progressOf(dir); err == nil && done < all {
				return dir, nil
			}
		}
		break
	}
	first := filepath.Join(Folder, now.UTC().Format(timeFormat)+"-"+key)
	dir := first
	for n := 2; ; n++ {
		_, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return dir, nil
		}
		if err != nil {
			return "", err
		}
		dir = fmt.Sprintf("%s-%d", first, n)
	}
}

// runNames are the names of the run directories of questions, oldest first.
func runNames() ([]string, error) {
	entries, err := os.ReadDir(Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && isRun(filepath.Join(Folder, e.Name())) {
			names = append(names, e.Name())
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		if second := len(timeFormat); len(a) < second || len(b) < second || a[:second] != b[:second] {
			return strings.Compare(a, b)
		}
		return created(a).Compare(created(b)) // several questions in a second: run.json has the time in full
	})
	return names, err
}

// created is when a run directory was made; the zero time if it cannot be read.
func created(name string) time.Time {
	config, err := runlog.ReadConfig(filepath.Join(Folder, name))
	if err != nil {
		return time.Time{}
	}
	return config.Created
}

// progressOf counts the finished questions of a run, and all of them.
func progressOf(dir string) (done, all int, err error) {
	r, err := runlog.Open(dir)
	if err != nil {
		return 0, 0, err
	}
	for rec, err := range r.Episodes() {
		if err == nil && rec.Finished() {
			done++
		}
	}
	return done, r.Config.Note.QuestionCount, nil
}

// Last returns the run directory of the last question with an answer.
func Last() (string, error) {
	names, err := runNames()
	if err != nil {
		return "", err
	}
	for _, name := range slices.Backward(names) {
		if done, _, err := progressOf(filepath.Join(Folder, name)); err == nil && done > 0 {
			return filepath.Join(Folder, name), nil
		}
	}
	return "", qa.Usagef("no conversation to continue in %s; start one with airqa ask \"QUESTION\", "+
		"or continue another one with --from RUN", Folder)
}
