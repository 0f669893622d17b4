package merge

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/qa"
	"airqa/runlog"
)

// write writes the merged run aside, puts it in its place, and scores it.
func (p *plan) write() error {
	d, err := files.Stage(p.Out)
	if errors.Is(err, files.ErrLocked) {
		err = errors.New("another airqa is merging into it; wait for it or stop it")
	}
	if err != nil {
		return fmt.Errorf("merge into %s: %w", p.Out, err)
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
	if err := p.writeVerdicts(d.Path); err != nil {
		return err
	}
	scorings, err := p.scorings()
	if err != nil {
		return err
	}
	if err := p.replace(d); err != nil {
		return err
	}
	p.Written = true
	for _, kind := range scorings {
		if err := p.score(kind); err != nil {
			return err
		}
	}
	return nil
}

// config is run.json of the merged run: that of the first shard, as if one machine had answered all questions.
func (p *plan) config() runlog.Config {
	c := p.shards[0].Config
	c.Shape.Shard, c.Shape.Selected, c.Note.ShardQuestions = "", "", nil
	if c.Note.Missing != nil && p.choice != "" {
		missing := *c.Note.Missing
		missing.Choice, c.Note.Missing = p.choice, &missing
	}
	for _, s := range p.shards {
		if s.Config.Created.Before(c.Created) {
			c.Created = s.Config.Created
		}
		c.Note.Repeats = max(c.Note.Repeats, s.Config.Note.Repeats)
	}
	if len(p.MissingShards) > 0 {
		c.Note.Merged = &runlog.Merged{Of: p.Of, Shards: p.Shards}
	}
	return c
}

// writeLog writes the log with its texts and images.
func (p *plan) writeLog(dir string) (err error) {
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
	stage := p.Progress.Stage("merge "+filepath.Base(p.Out), len(p.order))
	for i, id := range p.order {
		if err := w.CopyEpisode(p.from[id].Run, &runlog.Run{}, id); err != nil {
			stage.Close(fmt.Sprintf("stopped at %d of %d episodes", i, len(p.order)))
			return err
		}
		stage.Set(i+1, "")
	}
	stage.Close(fmt.Sprintf("%d episodes of %d shards", len(p.order), len(p.Shards)))
	return nil
}

// writeVerdicts writes the verdicts of the shards and of an earlier merge, each once.
func (p *plan) writeVerdicts(dir string) error {
	seen := make(map[string]bool)
	var all []byte
	for _, from := range p.dirs() {
		err := eachLine(from, runlog.VerdictsFile, func(line []byte) {
			if !seen[string(line)] {
				seen[string(line)] = true
				all = append(all, line...)
			}
		})
		if err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return nil
	}
	return files.WriteFile(filepath.Join(dir, runlog.VerdictsFile), all)
}

// eachLine visits the lines of a file that may be missing.
func eachLine(dir, name string, visit func([]byte)) error {
	file, err := runlog.OpenFile(dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	for line, err := range ledger.Lines(bufio.NewReader(file)) {
		if err != nil {
			return err
		}
		visit(line)
	}
	return nil
}

// dirs are the directories of the shards, and of an earlier merge.
func (p *plan) dirs() []string {
	var dirs []string
	for _, s := range p.shards {
		dirs = append(dirs, s.Dir)
	}
	if p.Replaced {
		dirs = append(dirs, p.Out)
	}
	return dirs
}

// replace moves the merged run to its place. Of an earlier merge there, it keeps the notes and forks; the shards keep theirs.
func (p *plan) replace(d *files.Staged) error {
	added := []string{"notes.jsonl", "forks"}
	for _, s := range p.shards {
		for _, name := range added {
			if _, err := os.Lstat(filepath.Join(s.Dir, name)); err == nil {
				p.Notify.Warnf("%s is not merged", filepath.Join(s.Dir, name))
			}
		}
	}
	if p.Replaced {
		w, err := runlog.OpenWriter(p.Out, runlog.WriterConfig{}) // nothing may resume it now
		if err != nil {
			return err
		}
		defer func() { _ = w.Close() }()
		if err := p.checkSubset(d.Path); err != nil {
			return err
		}
		for _, name := range added {
			if err := p.keep(name, d.Path); err != nil {
				return err
			}
		}
	}
	if err := d.Replace(); err != nil {
		return fmt.Errorf("move the merged run to %s: %w", p.Out, err)
	}
	return nil
}

// checkSubset rejects an earlier merge with events that this one lacks: it was resumed, or made of other shards.
func (p *plan) checkSubset(dir string) error {
	merged := make(map[[sha256.Size]byte]bool)
	err := eachLine(dir, runlog.LogFile, func(line []byte) { merged[sha256.Sum256(line)] = true })
	if err != nil {
		return err
	}
	lacking := 0
	err = eachLine(p.Out, runlog.LogFile, func(line []byte) {
		if !merged[sha256.Sum256(line)] {
			lacking++
		}
	})
	if err == nil && lacking > 0 {
		return qa.Usagef("%s has %d events that are not in these shards\n"+
			"  It was resumed after it was merged, or made of other shards: choose another directory", p.Out, lacking)
	}
	return err
}

// keep copies a file or folder of an earlier merge, if there is one.
func (p *plan) keep(name, to string) error {
	return filepath.WalkDir(filepath.Join(p.Out, name), func(path string, e fs.DirEntry, err error) error {
		copied := filepath.Join(to, strings.TrimPrefix(path, p.Out))
		switch {
		case err != nil:
			return files.IgnoreMissing(err)
		case e.IsDir():
			return os.Mkdir(copied, 0o755)
		case e.Type().IsRegular():
			return files.Copy(copied, path)
		}
		return nil
	})
}
