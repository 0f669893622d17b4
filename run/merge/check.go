package merge

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"airqa/internal/stagedir"
	"airqa/qa"
	"airqa/runlog"
)

// whole is a configuration without its shard.
func whole(c runlog.Config) runlog.Shape {
	c.Shape.Shard, c.Shape.Selected = "", ""
	return c.Shape
}

// checkShards rejects shards of different runs, with the differences, and a shard that is given twice.
func (p *plan) checkShards() error {
	first := p.shards[0]
	var lines []string
	for i, s := range p.shards[1:] {
		differences, err := differ(first, s)
		if err != nil {
			return err
		}
		for _, line := range differences {
			lines = append(lines, s.Dir+": "+line)
		}
		if before := p.shards[i]; before.part == s.part {
			return qa.Usagef("shard %s is in %s and %s: give each shard once", s.part, before.Dir, s.Dir)
		}
	}
	if len(lines) > 0 {
		return qa.Usagef("these are not shards of one run:\n  %s\n  Compared with %s. Merge shards with the same settings only",
			few(lines, "\n  "), first.Dir)
	}
	return p.checkNotes()
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

// checkNotes rejects different choices about missing papers, and reports different prices.
func (p *plan) checkNotes() error {
	choice := p.choice()
	first := p.shards[0].Config.Note.Price
	for _, s := range p.shards {
		note := s.Config.Note
		if m := note.Missing; m != nil && m.Choice != runlog.MissingStop && m.Choice != choice {
			return qa.Usagef("%s was run with the choice %s about missing papers and another shard with %s: run one of them again", s.Dir, m.Choice, choice)
		}
		if (note.Price == nil) != (first == nil) || first != nil && *note.Price != *first {
			p.Notify.Warnf("%s was run with another price than %s, whose price counts", s.Dir, p.shards[0].Dir)
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

// checkOut rejects a place for the merged run that has something else, and repairs the state that a killed merge left.
func (p *plan) checkOut() error {
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
	return p.checkSubset()
}

// checkSubset rejects an existing run with anything that the shards do not have: it was resumed, or made of other shards.
func (p *plan) checkSubset() error {
	old, err := runlog.Open(p.Out)
	if err != nil {
		return err
	}
	shardOf := make(map[string]*source)
	for _, c := range p.order {
		shardOf[c.episode] = c.from
	}
	var others []string
	for _, id := range old.UUIDs() {
		var lines []byte
		if s := shardOf[id]; s != nil {
			if lines, err = linesOf(s.Run, id); err != nil {
				return err
			}
		}
		known, err := linesOf(old, id)
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(lines, known) {
			others = append(others, short(id))
		}
	}
	if len(others) > 0 {
		return qa.Usagef("%s has %d episodes that are not in these shards: %s\n  It was resumed after it was merged, or made of other shards: choose another directory", p.Out, len(others), few(others, ", "))
	}
	return nil
}

// linesOf is all lines of an episode.
func linesOf(r *runlog.Run, id string) ([]byte, error) {
	var all []byte
	for line, err := range r.Lines(id) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Dir, err)
		}
		all = append(all, line...)
	}
	return all, nil
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
