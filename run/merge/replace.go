package merge

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"airqa/internal/stagedir"
	"airqa/qa"
	"airqa/runlog"
)

// checkOut rejects a place for the merged run that has something else, and repairs the state that a killed merge left.
func (p *plan) checkOut() error {
	var err error
	if p.Out, err = filepath.Abs(p.Out); err != nil {
		return err
	}
	p.Out = shortest(p.Out)
	if err := stagedir.Restore(p.Out); err != nil {
		return err
	}
	entries, err := os.ReadDir(p.Out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return &qa.UsageError{Err: err}
	}
	config, err := runlog.ReadConfig(p.Out)
	switch {
	case errors.Is(err, runlog.ErrNoRun):
		return qa.Usagef("%s has other files; choose another directory", p.Out)
	case err != nil:
		return err
	case config.Shape.Shard != "":
		return qa.Usagef("%s is shard %s; choose another directory", p.Out, config.Shape.Shard)
	}
	if diff := runlog.Differences(config.Shape, whole(p.shards[0].Config)); len(diff) > 0 {
		return &qa.UsageError{Err: &runlog.MismatchError{Dir: p.Out, Diff: diff}}
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
		return qa.Usagef("%s has %d episodes that are not in these shards: %s\n  It was resumed after it was merged, or made of other shards: choose another directory", p.Out, len(others), few(others, ", "))
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

// openFolder returns the folder beside the place of the run.
func (p *plan) openFolder() (*stagedir.Dir, error) {
	d, err := stagedir.Open(p.Out)
	if errors.Is(err, stagedir.ErrBusy) {
		return nil, fmt.Errorf("merge into %s: another airqa is merging into it; wait for it or stop it", p.Out)
	}
	if err != nil {
		return nil, fmt.Errorf("merge into %s: %w", p.Out, err)
	}
	return d, nil
}

// replace moves the merged run to its place. An earlier merge is exchanged for it, and then at the path of the new one.
func (p *plan) replace(d *stagedir.Dir) error {
	if !p.Replaced {
		if err := d.Move(d.Path); err != nil {
			return fmt.Errorf("move the merged run to %s: %w", p.Out, err)
		}
		return nil
	}
	w, err := runlog.OpenWriter(p.Out, runlog.WriterConfig{}) // nothing may resume it now
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	if err := p.checkSubset(); err != nil {
		return err
	}
	if err := d.Replace(); err != nil {
		return fmt.Errorf("replace %s: %w", p.Out, err)
	}
	return nil
}
