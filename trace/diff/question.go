package diff

import (
	"errors"
	"fmt"
	"slices"

	"airqa/eval"
	"airqa/qa"
	"airqa/runlog"
)

// Source is a run directory with its questions.
type Source struct {
	*runlog.Run
	Examples []qa.Example
	runlog.Choice
}

// Question is a [Diff] with its question, and with the differences of the runs that it is from.
type Question struct {
	UUID     string `json:"uuid"`
	Question string `json:"question"`
	// Gold is the gold answer as text; empty if the evaluator determines none.
	Gold string `json:"gold"`
	// Settings are the keys of run.json that differ: model, settings, prompts, tools, data.
	Settings []runlog.Change `json:"settings"`
	Diff
}

// OfEpisodes compares an episode of one run with an episode of another, or of the same. Names are those of
// [runlog.Run.UUIDs]. Runs may be unscored.
func OfEpisodes(a, b Source, nameA, nameB string) (Question, error) {
	q, err := episodes(a, b, nameA, nameB)
	if err != nil {
		return q, err
	}
	q.Settings = append([]runlog.Change{}, runlog.Changes(a.Config.Shape, b.Config.Shape)...)
	if _, err := a.describe(&q.A); err != nil && !errors.Is(err, runlog.ErrNoScores) {
		return q, err
	}
	if _, err := b.describe(&q.B); err != nil && !errors.Is(err, runlog.ErrNoScores) {
		return q, err
	}
	return q, nil
}

// episodes compares two episodes, without their runs.
func episodes(a, b Source, nameA, nameB string) (Question, error) {
	x, err := a.load(nameA)
	if err != nil {
		return Question{}, err
	}
	y, err := b.load(nameB)
	if err != nil {
		return Question{}, err
	}
	q := Question{UUID: x.UUID, Diff: Of(x, y)}
	i := slices.IndexFunc(a.Examples, func(ex qa.Example) bool { return ex.UUID == x.UUID })
	if i < 0 {
		return q, nil // a question that is not in the file any more
	}
	q.Question, q.Gold = a.Examples[i].Question, eval.GoldOf(a.Examples[i])
	return q, nil
}

func (s Source) load(name string) (rec runlog.Recorded, err error) {
	for rec, err = range s.Episodes(name) {
		if err != nil {
			return rec, fmt.Errorf("%s: %s: %w", s.Dir, name, err)
		}
	}
	return rec, nil
}

// describe adds the run, its scoring and the score of the episode to a side. It returns the scores by episode.
func (s Source) describe(to *Side) (map[string]*qa.Score, error) {
	to.Run, to.Baseline, to.Model = s.Dir, s.Config.Shape.Baseline, s.Config.Shape.ModelName()
	scoring, list, err := runlog.FindScores(s.Dir, s.Choice)
	scores := qa.ByEpisode(list)
	to.Scoring, to.Judge, to.Score = scoring.Mode, scoring.Judge, scores[to.Episode]
	return scores, err
}
