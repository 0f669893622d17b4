package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"airqa/internal/files"
	"airqa/internal/terminal"
	"airqa/qa"
)

// Config describes an import.
type Config struct {
	// Paths are files, or folders of trajectories.
	Paths []string
	// Out is the run directory to make. If the files have several agents, models or runs, it becomes a folder of run
	// directories.
	Out string
	// MaxFile is the maximum size of a file or of an unpacked sample in bytes; 0 is 1 GiB, and 256 MiB for a sample.
	MaxFile int64
	// Program is recorded in run.json.
	Program string
	// Redact filters everything written; nil filters nothing.
	Redact func([]byte) []byte
	Notify terminal.Notify
	// Progress shows the progress; nil shows nothing.
	Progress *terminal.Progress
}

// Result describes an import.
type Result struct {
	// Runs are the run directories.
	Runs     []string
	Episodes int
	Losses   Losses
}

// Import makes run directories. Out must not exist or be empty; it appears when it is complete.
func Import(ctx context.Context, c Config) (r Result, err error) {
	c.MaxFile = cmp.Or(c.MaxFile, maxFile)
	stage := c.Progress.Stage("import", len(c.Paths))
	defer func() { stage.Close(terminal.Plural(r.Episodes, "episode")) }()
	return within(c, func(w *writer) error {
		for i, path := range c.Paths {
			stage.Set(i, filepath.Base(path))
			if err := read(ctx, path, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// within makes the run directories that fill writes, all at once.
func within(c Config, fill func(*writer) error) (r Result, err error) {
	if entries, err := os.ReadDir(c.Out); err == nil && len(entries) > 0 {
		return r, qa.Usagef("%s exists and is not empty; choose another directory", c.Out)
	}
	out, err := filepath.Abs(c.Out)
	if err != nil {
		return r, err
	}
	folder, err := files.Stage(out)
	if errors.Is(err, files.ErrLocked) {
		return r, fmt.Errorf("%s: another airqa is importing into it", c.Out)
	}
	if err != nil {
		return r, err
	}
	w := &writer{Config: c, stage: folder, runs: make(map[origin]*run)}
	defer func() {
		for _, r := range w.order {
			_ = r.log.Close() // a complete one is closed already
		}
		err = errors.Join(err, folder.Close())
	}()
	if err := fill(w); err != nil {
		return r, err
	}
	if len(w.runs) == 0 {
		return r, fmt.Errorf("%s: no trajectories", strings.Join(c.Paths, ", "))
	}
	return w.commit()
}
