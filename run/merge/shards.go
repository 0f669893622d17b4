package merge

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"airqa/qa"
	"airqa/run/shard"
	"airqa/runlog"
)

// source is the run directory of a shard.
type source struct {
	*runlog.Run
	part     shard.Part
	writing  bool
	episodes map[string]episode
}

// episode is the state of one episode of a shard.
type episode struct {
	outcome qa.Outcome // "" if it did not end, or is damaged
	ended   time.Time
	calls   int
}

// finished reports whether the episode is not run again.
func (e episode) finished() bool { return e.outcome != "" && !e.outcome.Again() }

// open reads a shard.
func (m Merger) open(dir string) (*source, error) {
	r, err := runlog.Open(dir)
	if err != nil {
		return nil, err
	}
	s := &source{Run: r, episodes: make(map[string]episode)}
	if s.part, err = shard.Parse(r.Config.Shape.Shard); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, runlog.RunFile), err)
	}
	if s.writing, err = runlog.Writing(dir); err != nil {
		return nil, err
	}
	for _, bad := range r.BadLines {
		m.Notify.Warnf("%s: %v (left out)", dir, bad)
	}
	if r.Unknown > 0 {
		m.Notify.Warnf("%s: %d events of unknown types are left out", dir, r.Unknown)
	}
	names := r.UUIDs()
	for rec, err := range r.Episodes() {
		state := episode{rec.Outcome, rec.Ended, len(rec.Steps)}
		id := names[len(s.episodes)]
		if err != nil {
			m.Notify.Warnf("%s: %v (this episode is damaged; airqa run starts it again)", dir, err)
			state.outcome = ""
		}
		s.episodes[id] = state
	}
	return s, nil
}

// sort sorts the shards by number.
func (p *plan) sort() {
	slices.SortStableFunc(p.shards, func(a, b *source) int {
		return cmp.Or(cmp.Compare(a.part.Index, b.part.Index), cmp.Compare(a.Dir, b.Dir))
	})
	first := p.shards[0]
	p.Baseline, p.Model, p.Of = first.Config.Shape.Baseline, first.Config.Shape.ModelName(), first.part.Of
}

// whole is a configuration without its shard.
func whole(c runlog.Config) runlog.Shape {
	c.Shape.Shard, c.Shape.Selected = "", ""
	return c.Shape
}

// checkShapes rejects shards of different runs, with the differences.
func (p *plan) checkShapes() error {
	first := p.shards[0]
	var lines []string
	for _, s := range p.shards[1:] {
		differences, err := differ(first, s)
		if err != nil {
			return err
		}
		for _, line := range differences {
			lines = append(lines, s.Dir+": "+line)
		}
	}
	if len(lines) == 0 {
		return p.checkNotes()
	}
	return qa.Usagef("these are not shards of one run:\n  %s\n  Compared with %s. Merge shards with the same settings only",
		few(lines, "\n  "), first.Dir)
}

// differ returns what keeps two run directories from being shards of one run.
func differ(a, b *source) ([]string, error) {
	var lines []string
	for _, c := range runlog.Changes(whole(a.Config), whole(b.Config)) {
		lines = append(lines, c.Key+": "+c.Describe("there", "here"))
	}
	if a.part.Of != b.part.Of {
		lines = append(lines, fmt.Sprintf("shards: %d there, %d here", a.part.Of, b.part.Of))
	}
	if a.Config.Shape.Selected != b.Config.Shape.Selected && len(lines) == 0 {
		lines = append(lines, "selected: changed (samples, tags and limits select other questions)")
	}
	if len(lines) > 0 {
		return lines, nil
	}
	ours, err := os.ReadFile(filepath.Join(a.Dir, runlog.QuestionsFile))
	if err != nil {
		return nil, err
	}
	theirs, err := os.ReadFile(filepath.Join(b.Dir, runlog.QuestionsFile))
	if err == nil && !bytes.Equal(ours, theirs) {
		lines = append(lines, runlog.QuestionsFile+": changed after the run started")
	}
	return lines, err
}

// checkNotes rejects or reports differences that do not shape results.
func (p *plan) checkNotes() error {
	first := p.shards[0].Config.Note
	choice := ""
	for _, s := range p.shards {
		note := s.Config.Note
		if m := note.Missing; m != nil && m.Choice != runlog.MissingStop {
			if choice != "" && choice != m.Choice {
				return qa.Usagef("%s was run with the choice %s about missing papers and another shard with %s: run one of them again", s.Dir, m.Choice, choice)
			}
			choice = m.Choice
		}
		if a, b := note.Price, first.Price; (a == nil) != (b == nil) || a != nil && *a != *b {
			p.Notify.Warnf("%s was run with another price than %s, whose price counts", s.Dir, p.shards[0].Dir)
		}
		if s.Config.Program != p.shards[0].Config.Program {
			p.Notify.Warnf("%s was made by %s, and %s by %s", s.Dir, s.Config.Program, p.shards[0].Dir, p.shards[0].Config.Program)
		}
	}
	return nil
}

// choice is the treatment of questions with missing papers.
func (p *plan) choice() string {
	for _, s := range p.shards {
		if m := s.Config.Note.Missing; m != nil && m.Choice != runlog.MissingStop {
			return m.Choice
		}
	}
	return runlog.MissingStop
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

// maxListed is the maximum length of a list in a message.
const maxListed = 8

// few joins the first items of a list.
func few(list []string, separator string) string {
	if len(list) <= maxListed {
		return strings.Join(list, separator)
	}
	return strings.Join(list[:maxListed], separator) + separator + fmt.Sprintf("and %d more", len(list)-maxListed)
}
