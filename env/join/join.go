// Package join makes one data directory of several.
package join

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"airqa/env/datadir"
	"airqa/env/index"
	"airqa/env/paperdb"
	"airqa/internal/files"
	"airqa/internal/terminal"
)

// Config configures [Open]. Dir and From are required.
type Config struct {
	// Dir gets the papers of From: data directories with their vectors in files. It is created if it is missing or empty.
	Dir  string
	From []string
	// Replace takes a paper that is there in several versions from the last directory that has it; otherwise it is an error.
	Replace bool
	// Partial also joins directories that lack papers.
	Partial bool
	// DryRun changes nothing; [Join.Run] must not be called.
	DryRun bool
	// Progress receives the number of steps that are done, and what is being done; it may be nil.
	Progress func(done, total int, what string)
}

// Join makes one data directory of several. Rows, vectors, PDFs and records are taken over as they are: no PDF is read and no
// text is embedded. The result is the next generation of the directory: an interrupted join changes nothing that readers see,
// and the same join again completes it.
type Join struct {
	cfg      Config
	open     files.Closers
	to       target
	sources  []*source
	replaced []Replaced
	done     int // steps
}

// Source counts the papers of a data directory: those that are added, those that are already there in the same version,
// and those of which another directory has the version that counts.
type Source struct {
	Dir      string `json:"data"`
	Papers   int    `json:"papers"`
	Added    int    `json:"added"`
	Present  int    `json:"present"`
	Replaced int    `json:"replaced"`
}

// Replaced is a version of a paper that does not count.
type Replaced struct {
	PaperID string `json:"paper_id"`
	// File is the name of the file that the version was read from, Dir the directory that has it.
	File string `json:"file"`
	Dir  string `json:"data"`
}

// Open checks that the directories can be joined, and plans it. It keeps their locks until Close.
func Open(ctx context.Context, cfg Config) (*Join, error) {
	if cfg.Progress == nil {
		cfg.Progress = func(int, int, string) {}
	}
	j := &Join{cfg: cfg, to: target{directory: directory{path: cfg.Dir}}}
	if err := j.prepare(ctx); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

func (j *Join) prepare(ctx context.Context) error {
	if err := checkPlaces(j.cfg.Dir, j.cfg.From); err != nil {
		return err
	}
	for _, path := range j.cfg.From {
		s := &source{directory: directory{path: path}}
		j.open.Add(s)
		j.sources = append(j.sources, s)
		if err := s.open(ctx, j.cfg.Partial); err != nil {
			return fmt.Errorf("join %s: %w", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(j.to.path, datadir.InfoName)); !errors.Is(err, fs.ErrNotExist) {
		if err := j.lockTarget(); err != nil {
			return err
		}
		if err := j.readTarget(ctx); err != nil {
			return fmt.Errorf("join into %s: %w", j.to.path, err)
		}
	}
	if err := cmp.Or(j.checkSettings(), j.checkShards()); err != nil {
		return err
	}
	return j.plan()
}

// Close releases the directories.
func (j *Join) Close() error { return j.open.Close() }

// Sources counts the papers of each directory.
func (j *Join) Sources() []Source {
	list := make([]Source, len(j.sources))
	for i, s := range j.sources {
		list[i] = s.counts
	}
	return list
}

// Replaced lists the versions of papers that do not count; empty unless Replace is set.
func (j *Join) Replaced() []Replaced { return j.replaced }

// Papers is the number of papers of the result.
func (j *Join) Papers() int { return len(j.to.papers.Files) - len(j.to.removed) + j.Added() }

// Added is the number of papers that are added.
func (j *Join) Added() (n int) {
	for _, s := range j.sources {
		n += s.counts.Added
	}
	return n
}

// version is where a version of a paper is: in a source, or in the target if from is nil.
type version struct {
	hash, file, dir string
	from            *source
}

// plan decides which version of each paper counts. The papers of the target come first, then those of each source in order.
func (j *Join) plan() error {
	const mostConflicts = 10
	chosen := make(map[string]version)
	for _, f := range j.to.papers.Files {
		chosen[f.PaperID] = version{hash: index.SourceOf(f).Version(), file: f.Name, dir: j.to.path}
	}
	var conflicts []string
	for _, s := range j.sources {
		s.counts = Source{Dir: s.path, Papers: len(s.papers.Files)}
		for _, f := range s.papers.Files {
			mine := version{hash: index.SourceOf(f).Version(), file: f.Name, dir: s.path, from: s}
			other, have := chosen[f.PaperID]
			switch {
			case have && other.hash == mine.hash:
				s.without = append(s.without, f.PaperID)
				s.counts.Present++
				continue
			case have && !j.cfg.Replace:
				conflicts = append(conflicts, fmt.Sprintf("%s: %s of %s and %s of %s", f.PaperID, other.file, other.dir, mine.file, s.path))
				continue
			case have:
				j.replaced = append(j.replaced, Replaced{PaperID: f.PaperID, File: other.file, Dir: other.dir})
				if other.from == nil {
					j.to.removed = append(j.to.removed, f.PaperID)
				} else {
					other.from.without = append(other.from.without, f.PaperID)
					other.from.counts.Added--
					other.from.counts.Replaced++
				}
			}
			chosen[f.PaperID] = mine
			s.counts.Added++
		}
	}
	if len(conflicts) == 0 {
		return nil
	}
	more := ""
	if n := len(conflicts) - mostConflicts; n > 0 {
		more = fmt.Sprintf("\n  and %d more", n)
	}
	return fmt.Errorf("%s in different versions:\n  %s%s\n  With --replace, the last directory counts; without the papers that it replaces, "+
		"join the others and ingest these PDFs into the result", terminal.Plural(len(conflicts), "paper"),
		strings.Join(conflicts[:min(len(conflicts), mostConflicts)], "\n  "), more)
}

// without returns the files of the papers that are not among some.
func without(list []paperdb.Owned, ids []string) []paperdb.Owned {
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(f paperdb.Owned) bool { return gone[f.PaperID] })
}
