package merge

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"airqa/internal/files"
	"airqa/qa"
	"airqa/run/models"
	"airqa/runlog"
)

// checkShards rejects shards of different runs, with the differences, and a shard that is given twice.
func (p *plan) checkShards() error {
	first := p.shards[0]
	for i, s := range p.shards {
		if i > 0 && p.shards[i-1].part == s.part {
			return qa.Usagef("shard %s is in %s and %s: give each shard once", s.part, p.shards[i-1].Dir, s.Dir)
		}
		there, here := first.Config.Shape, s.Config.Shape
		there.Shard, here.Shard = "", ""
		var differences []string
		for _, c := range runlog.Changes(there, here) {
			differences = append(differences, c.Key+": "+c.Describe("in "+first.Dir, "in "+s.Dir))
		}
		if first.part.Of != s.part.Of {
			differences = append(differences, fmt.Sprintf("shards: %d in %s, %d in %s", first.part.Of, first.Dir, s.part.Of, s.Dir))
		}
		if len(differences) > 0 {
			return qa.Usagef("%s and %s are not shards of one run:\n  %s", first.Dir, s.Dir, strings.Join(differences, "\n  "))
		}
		note := s.Config.Note
		if m := note.Missing; m != nil && m.Choice != runlog.MissingStop {
			if p.choice != "" && m.Choice != p.choice {
				return qa.Usagef("%s was run with --missing %s and another shard with --missing %s: run one of them again",
					s.Dir, m.Choice, p.choice)
			}
			p.choice = m.Choice
		}
		if models.PriceText(note.Price) != models.PriceText(first.Config.Note.Price) {
			p.Notify.Warnf("%s was run with another price than %s, whose price counts", s.Dir, first.Dir)
		}
	}
	return nil
}

// checkOut rejects a place for the merged run that has something else, and repairs the state that a killed merge left.
func (p *plan) checkOut() error {
	if err := files.RestoreReplaced(p.Out); err != nil {
		return err
	}
	entries, err := os.ReadDir(p.Out)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return &qa.UsageError{Err: err}
	}
	p.Replaced, err = runlog.Check(p.Out, p.config().Shape)
	if err == nil && !p.Replaced {
		return qa.Usagef("%s has other files; choose another directory", p.Out)
	}
	return err
}
