package compare

import (
	"airqa/qa"
	"airqa/run/runlog"
)

// System says what a run is of and how it was scored.
type System struct {
	// Path is the run directory or score file as it was given; Run the run directory, empty when there is none.
	Path string `json:"path"`
	Run  string `json:"run,omitempty"`
	// Baseline and Model are empty for scores without a run.
	Baseline string `json:"baseline,omitempty"`
	Model    string `json:"model,omitempty"`
	Scoring  string `json:"scoring"`
	Judge    string `json:"judge"`
	// Newer names the newest scoring where an older one was read; see [runlog.FindScores].
	Newer string `json:"newer_scoring,omitempty"`
}

// Side is one run with its scores.
type Side struct {
	System
	// Examples are the questions of the run; empty for scores without a run.
	Examples []qa.Example
	Scores   []qa.Score
}

// Choice names one scoring of a run: a score file, or else what [runlog.FindScores] finds for a mode and a judge; empty
// means any.
type Choice struct{ File, Scoring, Judge string }

// Load makes a side of a run and one of its scorings. It fails with [runlog.ErrNoScores] for a run that is not scored, and
// with [runlog.ErrOtherScores] for one that is not scored so.
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

// LoadFile makes a side of a score file alone (docs/formats/run.md).
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
