package merge

import (
	"fmt"
	"path/filepath"
	"slices"

	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/shard"
	"airqa/runlog"
)

// choose finds the shard of each episode. Of two, one that has finished wins over one that has not.
func (p *plan) choose() error {
	p.chosen = make(map[string]*source)
	var twice []string
	for _, s := range p.shards {
		for _, id := range s.UUIDs() {
			other := p.chosen[id]
			if other == nil {
				p.chosen[id] = s
				continue
			}
			winner, loser := other, s
			if s.episodes[id].finished() {
				winner, loser = s, other
			}
			if winner.episodes[id].finished() == loser.episodes[id].finished() {
				twice = append(twice, fmt.Sprintf("%s in %s and %s", id, other.Dir, s.Dir))
				continue
			}
			p.chosen[id] = winner
			p.LeftOut = append(p.LeftOut, Left{id, loser.Dir, loser.episodes[id].calls})
		}
	}
	if len(twice) > 0 {
		return qa.Usagef("%d episodes are in two shards:\n  %s\n  Give each shard once", len(twice), few(twice, "\n  "))
	}
	for id := range p.chosen {
		_, repeat := qa.SplitEpisodeID(id)
		p.repeats = max(p.repeats, repeat+1)
	}
	for _, s := range p.shards {
		p.repeats = max(p.repeats, s.Config.Note.Repeats)
	}
	return nil
}

// findGaps lists what is missing, and what failed.
func (p *plan) findGaps() {
	skipped := p.skipped()
	for i := 1; i <= p.Of; i++ {
		at := slices.IndexFunc(p.shards, func(s *source) bool { return s.part.Index == i })
		if at < 0 {
			part := shard.Part{Index: i, Of: p.Of}
			p.MissingShards = append(p.MissingShards, MissingShard{part.String(), filepath.Join(filepath.Dir(p.shards[0].Dir), part.Folder())})
			continue
		}
		p.Shards = append(p.Shards, i)
		if g := p.gapOf(p.shards[at], skipped); len(g.Missing)+len(g.Unfinished) > 0 {
			p.Incomplete = append(p.Incomplete, g)
		}
	}
	begun := make(map[string]bool)
	for id, s := range p.chosen {
		uuid, _ := qa.SplitEpisodeID(id)
		begun[uuid] = true
		if s.episodes[id].outcome.Failed() {
			p.Failed = append(p.Failed, id)
		}
	}
	slices.Sort(p.Failed)
	p.Result.Questions, p.Episodes = len(begun), len(p.chosen)
}

// skipped are the questions that were left out because their papers are missing.
func (p *plan) skipped() map[string]bool {
	list := make(map[string]bool)
	if m := p.shards[0].Config.Note.Missing; m != nil && p.choice() == runlog.MissingSkip {
		for _, uuid := range slices.Concat(m.Named, m.Searched) {
			list[uuid] = true
		}
	}
	return list
}

// gapOf lists the episodes of a shard that did not end.
func (p *plan) gapOf(s *source, skipped map[string]bool) Gap {
	g := Gap{Shard: s.part.String(), Dir: s.Dir, Writing: s.writing, Episodes: len(s.Config.Note.ShardQuestions) * p.repeats}
	for repeat := range p.repeats {
		for _, uuid := range s.Config.Note.ShardQuestions {
			id := qa.EpisodeID(uuid, repeat)
			from := p.chosen[id]
			switch {
			case from == nil && skipped[uuid]:
				g.Episodes--
			case from == nil:
				g.Missing = append(g.Missing, id)
			case from.episodes[id].outcome == "":
				g.Unfinished = append(g.Unfinished, id)
			}
		}
	}
	return g
}

// order returns the episodes as one machine runs them: one round of all questions per repeat. Episodes of no question
// come last.
func (p *plan) order() ([]string, error) {
	examples, _, err := dataset.Load(filepath.Join(p.shards[0].Dir, runlog.QuestionsFile), nil)
	if err != nil {
		return nil, err
	}
	listed := make(map[string]bool, len(p.chosen))
	var order []string
	for repeat := range p.repeats {
		for _, ex := range examples {
			if id := qa.EpisodeID(ex.UUID, repeat); p.chosen[id] != nil && !listed[id] {
				listed[id], order = true, append(order, id)
			}
		}
	}
	for _, s := range p.shards {
		for _, id := range s.UUIDs() {
			if p.chosen[id] == s && !listed[id] {
				listed[id], order = true, append(order, id)
			}
		}
	}
	return order, nil
}
