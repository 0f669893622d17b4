package merge

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/internal/stagedir"
	"airqa/run/scoring"
	"airqa/runlog"
)

// write writes the merged run aside, puts it in its place, and scores it.
func (p *plan) write() error {
	d, err := stagedir.Open(p.Out)
	if errors.Is(err, stagedir.ErrBusy) {
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
	return p.score(scorings)
}

// config is run.json of the merged run: that of the first shard, as if one machine had answered all questions.
func (p *plan) config() runlog.Config {
	c := p.shards[0].Config
	c.Shape = whole(c)
	c.Note.ShardQuestions = nil
	if c.Note.Missing != nil {
		missing := *c.Note.Missing
		missing.Choice, c.Note.Missing = p.choice(), &missing
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
	for i, c := range p.order {
		if err := w.CopyEpisode(c.from.Run, c.episode); err != nil {
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
		file, err := os.OpenInRoot(from, scoring.VerdictsFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for line, bad := range ledger.Lines(bufio.NewReader(file)) {
			if err = bad; err != nil {
				break
			}
			if !seen[string(line)] {
				seen[string(line)] = true
				all = append(all, line...)
			}
		}
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return nil
	}
	return files.WriteFile(filepath.Join(dir, scoring.VerdictsFile), all)
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

// written are what people add to a run directory.
var written = []string{"notes.jsonl", "forks"}

// replace moves the merged run to its place. Of an earlier merge in the same place, it keeps what was added; the shards keep
// theirs.
func (p *plan) replace(d *stagedir.Dir) error {
	for _, name := range written {
		var in []string
		for _, s := range p.shards {
			if _, err := os.Lstat(filepath.Join(s.Dir, name)); err == nil {
				in = append(in, s.Dir)
			}
		}
		if len(in) > 0 {
			p.Notify.Warnf("%s: not merged, but only in %s", name, few(in, ", "))
		}
	}
	if p.Replaced {
		w, err := runlog.OpenWriter(p.Out, runlog.WriterConfig{}) // nothing may resume it now
		if err != nil {
			return err
		}
		defer func() { _ = w.Close() }()
		if err := p.checkSubset(); err != nil {
			return err
		}
		for _, name := range written {
			if err := p.carry(name, d.Path); err != nil {
				return err
			}
		}
	}
	if err := d.Replace(); err != nil {
		return fmt.Errorf("move the merged run to %s: %w", p.Out, err)
	}
	return nil
}

// carry copies a file or folder of an earlier merge, if there is one.
func (p *plan) carry(name, to string) error {
	old := os.DirFS(p.Out)
	return fs.WalkDir(old, name, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		file, err := old.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		return files.Write(filepath.Join(to, filepath.FromSlash(path)), func(w io.Writer) error {
			_, err := io.Copy(w, file)
			return err
		})
	})
}
