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
	// Mode and Judge select a scoring, see [runlog.FindScores]; empty means any.
	Mode, Judge string
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
	q.Settings = settings(a, b)
	for _, side := range []struct {
		source Source
		to     *Side
	}{{a, &q.A}, {b, &q.B}} {
		scores, err := side.source.scores()
		if err != nil && !errors.Is(err, runlog.ErrNoScores) {
			return q, err
		}
		*side.to = scores.addTo(*side.to)
	}
	return q, nil
}

// episodes compares two episodes, without settings and scores.
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
	q.A, q.B = a.side(q.A), b.side(q.B)
	i := slices.IndexFunc(a.Examples, func(ex qa.Example) bool { return ex.UUID == x.UUID })
	if i < 0 {
		return q, nil // a question that is not in the file any more
	}
	q.Question = a.Examples[i].Question
	q.Gold = eval.GoldOf(a.Examples[i])
	return q, nil
}

// settings lists the keys of run.json that differ between two runs.
func settings(a, b Source) []runlog.Change {
	return append([]runlog.Change{}, runlog.Changes(a.Config.Shape, b.Config.Shape)...)
}

func (s Source) load(name string) (rec runlog.Recorded, err error) {
	for rec, err = range s.Episodes(name) {
		if err != nil {
			return rec, fmt.Errorf("%s: %s: %w", s.Dir, name, err)
		}
	}
	return rec, nil
}

// side adds the run to a side.
func (s Source) side(to Side) Side {
	to.Run, to.Baseline, to.Model = s.Dir, s.Config.Shape.Baseline, s.Config.Shape.ModelName()
	return to
}

// scored are the scores of a run by episode.
type scored struct {
	runlog.Scoring
	by map[string]*qa.Score
}

func (s Source) scores() (scored, error) {
	scoring, list, err := runlog.FindScores(s.Dir, s.Mode, s.Judge)
	return scored{scoring, qa.ByEpisode(list)}, err
}

// addTo adds the scoring, and the score of its episode, to a side.
func (s scored) addTo(to Side) Side {
	to.Scoring, to.Judge, to.Score = s.Mode, s.Judge, s.by[to.Episode]
	return to
}
