package merge

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"airqa/qa"
	"airqa/runlog"
)

// rules are what scores have in common if they can be put together.
type rules struct{ mode, judge string }

func (r rules) String() string { return r.mode + "." + r.judge }

// writeScores carries over the scorings that every shard has, made by the same rules after its last answer. A scoring
// of an earlier merge in the same place is kept if it covers all answers.
func (p *plan) writeScores(dir string) error {
	kinds, err := p.scorings()
	if err != nil {
		return err
	}
	order, err := p.byQuestion()
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		head, scores, why, err := p.gather(kind)
		if err != nil {
			return err
		}
		if why != "" {
			p.DroppedScores = append(p.DroppedScores, DroppedScore{
				kind.String(),
				why + "; airqa score makes them again, with the verdicts that are there",
			})
			continue
		}
		list := make([]qa.Score, 0, len(scores))
		for _, id := range order {
			if s, ok := scores[id]; ok {
				list = append(list, s)
			}
		}
		if err := runlog.WriteScores(dir, head, list, p.Redact); err != nil {
			return err
		}
		p.Scores = append(p.Scores, kind.String())
	}
	return nil
}

// scorings lists the rules by which any shard, or the earlier merge, was scored.
func (p *plan) scorings() ([]rules, error) {
	dirs := make([]string, 0, len(p.shards)+1)
	for _, s := range p.shards {
		dirs = append(dirs, s.Dir)
	}
	if p.Replaced {
		dirs = append(dirs, p.Out)
	}
	var kinds []rules
	for _, dir := range dirs {
		list, err := runlog.Scorings(dir)
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			if kind := (rules{s.Mode, s.Judge}); !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds, nil
}

// gather puts the scores of all shards together, or returns why they do not make a scoring of the merged run.
func (p *plan) gather(kind rules) (head runlog.Scoring, scores map[string]qa.Score, why string, err error) {
	scores = make(map[string]qa.Score)
	for _, s := range p.shards {
		ended := p.endedIn(s)
		if len(ended) == 0 {
			continue
		}
		one, reason, err := take(kind, s.Dir, ended, scores)
		if err != nil {
			return head, nil, "", err
		}
		if reason == "" && head.Format != 0 && head.JudgeBaseURL != one.JudgeBaseURL {
			reason = "the judges of the shards had different addresses"
		}
		if reason != "" {
			return p.earlier(kind, reason)
		}
		if head.Format == 0 || one.Created.After(head.Created) {
			head = one
		}
	}
	return head, scores, "", nil
}

// earlier returns the scores of an earlier merge in the same place if they cover all answers; else why the shards have
// no scores.
func (p *plan) earlier(kind rules, why string) (runlog.Scoring, map[string]qa.Score, string, error) {
	scores := make(map[string]qa.Score)
	if !p.Replaced {
		return runlog.Scoring{}, nil, why, nil
	}
	head, reason, err := take(kind, p.Out, p.ended(), scores)
	if reason != "" || err != nil {
		return runlog.Scoring{}, nil, why, err
	}
	return head, scores, "", nil
}

// take adds the scores of a run directory, which must be those of the ended episodes.
func take(kind rules, dir string, ended map[string]time.Time, into map[string]qa.Score) (runlog.Scoring, string, error) {
	head, scores, err := runlog.FindScores(dir, kind.mode, kind.judge)
	if errors.Is(err, runlog.ErrNoScores) || errors.Is(err, runlog.ErrOtherScores) {
		return head, dir + " has no such scores", nil
	}
	if err != nil {
		return head, "", err
	}
	n := 0
	for _, s := range scores {
		id := qa.EpisodeID(s.UUID, s.Repeat)
		at, ok := ended[id]
		if !ok {
			continue
		}
		if at.After(head.Created) {
			return head, dir + " has answers that are newer than its scores", nil
		}
		into[id] = s
		n++
	}
	if n < len(ended) {
		return head, fmt.Sprintf("%s has scores of %d of %d answers", dir, n, len(ended)), nil
	}
	return head, "", nil
}

// endedIn returns the episodes of the merged run that ended in a shard, and when.
func (p *plan) endedIn(s *source) map[string]time.Time {
	ended := make(map[string]time.Time)
	for id, e := range s.episodes {
		if p.chosen[id] == s && e.outcome != "" {
			ended[id] = e.ended
		}
	}
	return ended
}

// ended returns all episodes that ended.
func (p *plan) ended() map[string]time.Time {
	all := make(map[string]time.Time)
	for id, s := range p.chosen {
		if e := s.episodes[id]; e.outcome != "" {
			all[id] = e.ended
		}
	}
	return all
}

// byQuestion returns the episodes in the order of scores: question by question.
func (p *plan) byQuestion() ([]string, error) {
	rounds, err := p.order()
	if err != nil {
		return nil, err
	}
	place := make(map[string]int)
	for _, id := range rounds {
		uuid, _ := qa.SplitEpisodeID(id)
		if _, ok := place[uuid]; !ok {
			place[uuid] = len(place)
		}
	}
	slices.SortStableFunc(rounds, func(a, b string) int {
		ua, ra := qa.SplitEpisodeID(a)
		ub, rb := qa.SplitEpisodeID(b)
		if ua == ub {
			return ra - rb
		}
		return place[ua] - place[ub]
	})
	return rounds, nil
}
