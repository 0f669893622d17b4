package merge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"airqa/internal/exit"
	"airqa/internal/filelock"
	"airqa/runlog"
)

// Names beside the run OUT: what is being written, with its lock, and an earlier merge that is being replaced.
const (
	asideSuffix    = ".merging"
	lockSuffix     = ".merging.lock"
	replacedSuffix = ".replaced"
)

// hidden is the path of a hidden file or folder beside a path.
func hidden(path, suffix string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+suffix)
}

// checkOut rejects a place for the merged run that has something else, and repairs the state that a killed merge left.
func (p *plan) checkOut() error {
	var err error
	if p.Out, err = filepath.Abs(p.Out); err != nil {
		return err
	}
	p.Out = shortest(p.Out)
	if err := p.restore(); err != nil {
		return err
	}
	entries, err := os.ReadDir(p.Out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	config, err := runlog.ReadConfig(p.Out)
	switch {
	case errors.Is(err, runlog.ErrNoRun):
		return exit.Misuse("%s has other files; choose another --out", p.Out)
	case err != nil:
		return err
	case config.Shape.Shard != "":
		return exit.Misuse("%s is shard %s; choose another --out", p.Out, config.Shape.Shard)
	}
	if diff := runlog.Differences(config.Shape, whole(p.shards[0].Config)); len(diff) > 0 {
		return exit.With(exit.Usage, fmt.Errorf("%w\n  Choose another --out", &runlog.MismatchError{Dir: p.Out, Diff: diff}))
	}
	p.Replaced = true
	return nil
}

// shortest is a path relative to the working directory if it is below that.
func shortest(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// checkSubset rejects an existing run with anything that the shards do not have.
func (p *plan) checkSubset() error {
	if !p.Replaced {
		return nil
	}
	old, err := runlog.Open(p.Out)
	if err != nil {
		return err
	}
	var others []string
	names := old.UUIDs()
	for rec, damage := range old.Episodes() {
		id := names[0]
		names = names[1:]
		from := p.chosen[id]
		if from == nil {
			others = append(others, short(id))
			continue
		}
		same, err := begins(from.Lines(id), old.Lines(id))
		if err != nil {
			return err
		}
		if !same && (damage == nil && rec.Finished() || !from.episodes[id].finished()) {
			others = append(others, short(id))
		}
	}
	if len(others) > 0 {
		return exit.Misuse("%s has %d episodes that are not in these shards: %s\n  It was resumed after it was merged, or made of other shards: choose another --out", p.Out, len(others), few(others, ", "))
	}
	return nil
}

// begins reports whether the lines of an episode begin with those of another log.
func begins(lines, with iter.Seq2[[]byte, error]) (bool, error) {
	next, stop := iter.Pull2(lines)
	defer stop()
	for want, err := range with {
		if err != nil {
			return false, err
		}
		got, err, ok := next()
		if err != nil {
			return false, err
		}
		if !ok || !bytes.Equal(got, want) {
			return false, nil
		}
	}
	return true, nil
}

// folder is the folder that a merged run is written to, which is locked.
type folder struct {
	dir  string
	lock io.Closer
	path string // of the lock
}

// Close removes the folder, or the run that it was exchanged for, and releases the lock.
func (f folder) Close() error {
	return errors.Join(os.RemoveAll(f.dir), os.Remove(f.path), f.lock.Close())
}

// aside makes an empty folder beside the place of the run.
func (p *plan) aside() (folder, error) {
	if err := os.MkdirAll(filepath.Dir(p.Out), 0o755); err != nil {
		return folder{}, err
	}
	f := folder{dir: hidden(p.Out, asideSuffix), path: hidden(p.Out, lockSuffix)}
	lock, err := filelock.Take(f.path)
	if errors.Is(err, filelock.ErrHeld) {
		return f, fmt.Errorf("merge into %s: another airqa is merging there; wait for it or stop it", p.Out)
	}
	if err != nil {
		return f, fmt.Errorf("merge into %s: %w", p.Out, err)
	}
	f.lock = lock
	if err := os.RemoveAll(f.dir); err != nil { // a killed merge left it
		return f, errors.Join(err, lock.Close())
	}
	return f, nil
}

// replace moves the merged run to its place. An earlier merge is exchanged for it, and then at the path of the new one.
func (p *plan) replace(dir string) error {
	if !p.Replaced {
		if err := os.Rename(dir, p.Out); err != nil {
			return fmt.Errorf("move the merged run to %s: %w", p.Out, err)
		}
		return syncFolder(filepath.Dir(p.Out))
	}
	w, err := runlog.OpenWriter(p.Out, runlog.WriterConfig{}) // nothing may resume it now
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	if err := p.checkSubset(); err != nil {
		return err
	}
	if err := exchange(dir, p.Out); err == nil {
		return syncFolder(filepath.Dir(p.Out))
	}
	// This file system cannot exchange two folders. If the program is killed in between, the next merge restores the
	// old one.
	old := hidden(p.Out, replacedSuffix)
	if err := os.Rename(p.Out, old); err != nil {
		return fmt.Errorf("replace %s: %w", p.Out, err)
	}
	if err := os.Rename(dir, p.Out); err != nil {
		return errors.Join(fmt.Errorf("replace %s: %w", p.Out, err), os.Rename(old, p.Out))
	}
	return errors.Join(syncFolder(filepath.Dir(p.Out)), os.RemoveAll(old))
}

// restore completes or undoes a replacement that was killed.
func (p *plan) restore() error {
	old := hidden(p.Out, replacedSuffix)
	if _, err := os.Lstat(old); err != nil {
		return nil //nolint:nilerr // there is none
	}
	if _, err := os.Lstat(p.Out); errors.Is(err, fs.ErrNotExist) {
		return os.Rename(old, p.Out)
	}
	return os.RemoveAll(old)
}

// syncFolder makes renames in a folder permanent.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
