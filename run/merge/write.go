package merge

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/runlog"
)

// ledgers are the files of a run directory whose lines are independent of each other.
var ledgers = []string{"notes.jsonl", "verdicts.jsonl", "causes.jsonl"}

// write writes the merged run aside and puts it in its place.
func (p *plan) write() error {
	d, err := p.openFolder()
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	questions, err := os.ReadFile(filepath.Join(p.shards[0].Dir, runlog.QuestionsFile))
	if err != nil {
		return err
	}
	if err := runlog.Create(d.Path, p.config(), questions); err != nil {
		return err
	}
	if err := p.writeLog(d.Path); err != nil {
		return err
	}
	if err := p.writeRest(d.Path); err != nil {
		return err
	}
	return p.replace(d)
}

// writeLog writes the log with its texts and images.
func (p *plan) writeLog(dir string) (err error) {
	order, err := p.order()
	if err != nil {
		return err
	}
	w, err := runlog.OpenWriter(dir, runlog.WriterConfig{Redact: p.Redact, Now: p.Now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for _, s := range p.shards {
		damaged, err := w.CopyBlobs(s.Dir)
		if err != nil {
			return err
		}
		for _, d := range damaged {
			p.Notify.Warnf("%s: %v (left out)", s.Dir, d)
		}
	}
	stage := p.Progress.Stage("merge "+filepath.Base(p.Out), len(order))
	for i, id := range order {
		if err := w.CopyEpisode(p.chosen[id].Run, id); err != nil {
			stage.Close(fmt.Sprintf("stopped at %d of %d episodes", i, len(order)))
			return err
		}
		stage.Set(i+1, "")
	}
	stage.Close(fmt.Sprintf("%d episodes of %d shards", len(order), len(p.Shards)))
	return nil
}

// writeRest writes notes, verdicts, forks and scores. Those of an earlier merge in the same place are kept.
func (p *plan) writeRest(dir string) error {
	from := make([]string, 0, len(p.shards)+1)
	for _, s := range p.shards {
		from = append(from, s.Dir)
	}
	if p.Replaced {
		from = append(from, p.Out)
	}
	for _, name := range ledgers {
		if err := union(filepath.Join(dir, name), name, from); err != nil {
			return err
		}
	}
	for _, run := range from {
		if err := copyForks(run, dir); err != nil {
			return err
		}
	}
	return p.writeScores(dir)
}

// union writes the lines of a file of several folders, each line once. It writes nothing if no folder has the file.
func union(path, name string, dirs []string) error {
	var sources []*os.File
	defer func() {
		for _, f := range sources {
			_ = f.Close()
		}
	}()
	for _, dir := range dirs {
		f, err := openRegular(dir, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		sources = append(sources, f)
	}
	if len(sources) == 0 {
		return nil
	}
	return files.Write(path, func(out io.Writer) error {
		seen := make(map[[sha256.Size]byte]bool)
		for _, f := range sources {
			for line, err := range ledger.Lines(bufio.NewReader(f)) {
				if err != nil {
					return err
				}
				sum := sha256.Sum256(line)
				if seen[sum] {
					continue
				}
				seen[sum] = true
				if _, err := out.Write(line); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// openRegular opens a regular file of a folder. It follows no links: a shard may come from a stranger.
func openRegular(dir, name string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; links are not followed inside a run directory", filepath.Join(dir, name))
	}
	return root.Open(name)
}
