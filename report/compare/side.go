package compare

import (
	"airqa/qa"
	"airqa/runlog"
)

// System identifies a run and its scoring.
type System struct {
	// Path is the run directory or score file as given; Run is the run directory, empty if there is none.
	Path string `json:"path"`
	Run  string `json:"run,omitempty"`
	// Baseline and Model are empty for scores without a run.
	Baseline string `json:"baseline,omitempty"`
	Model    string `json:"model,omitempty"`
	Scoring  string `json:"scoring"`
	Judge    string `json:"judge"`
	// Newer names the newest scoring if an older one was read; see [runlog.FindScores].
	Newer string `json:"newer_scoring,omitempty"`
}

// Side is one run with its scores.
type Side struct {
	System
	// Examples are the questions of the run; empty for scores without a run.
	Examples []qa.Example
	Scores   []qa.Score
}

// Choice selects one scoring of a run: a score file, or the result of [runlog.FindScores] for a mode and a judge, where
// empty means any.
type Choice struct{ File, Scoring, Judge string }

// Load returns a run with one of its scorings. It fails with [runlog.ErrNoScores] for an unscored run, and with
// [runlog.ErrOtherScores] for a run without the chosen scoring.
func Load(run *runlog.Run, examples []qa.Example, choice Choice) (Side, error) {
	side := Side{Examples: examples, System: System{
		Path: run.Dir, Run: run.Dir, Baseline: run.Config.Shape.Baseline, Model: run.Config.Shape.ModelName(),
	}}
	if choice.File == "" {
		scoring, scores, err := runlog.FindScores(run.Dir, choice.Scoring, choice.Judge)
		side.Scoring, side.Judge, side.Scores = scoring.Mode, scoring.Judge, scores
		if n := scoring.Newer; n != nil {
			side.Newer = "--scoring " + n.Mode + " --judge " + n.Judge
		}
		return side, err
	}
	bare, err := LoadFile(choice.File)
	side.Path, side.Scoring, side.Judge, side.Scores = choice.File, bare.Scoring, bare.Judge, bare.Scores
	return side, err
}

// LoadFile returns the side of a score file alone (docs/formats/run.md).
func LoadFile(path string) (Side, error) {
	scoring, scores, err := runlog.ReadScoreFile(path)
	return Side{System: System{Path: path, Scoring: scoring.Mode, Judge: scoring.Judge}, Scores: scores}, err
}

// Label names a side in prose.
func (s System) Label() string {
	if s.Baseline == "" {
		return s.Path
	}
	return s.Baseline + ", " + s.Model
}
