package compare

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

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
}

// Side is one run with its scores.
type Side struct {
	System
	// Examples are the questions of the run; empty for scores without a run.
	Examples []qa.Example
	Scores   []qa.Score
}

// Load makes a side of a run and its newest scores, or of one of its score files when file is not empty. It fails with
// [runlog.ErrNoScores] for a run that is not scored.
func Load(run *runlog.Run, examples []qa.Example, file string) (Side, error) {
	side := Side{Examples: examples, System: System{
		Path: run.Dir, Run: run.Dir, Baseline: run.Config.Shape.Baseline, Model: modelName(run.Config.Shape.Model),
	}}
	if file == "" {
		scoring, scores, err := runlog.ReadScores(run.Dir)
		side.Scoring, side.Judge, side.Scores = scoring.Mode, scoring.Judge, scores
		return side, err
	}
	bare, err := LoadFile(file)
	side.Path, side.Scoring, side.Judge, side.Scores = file, bare.Scoring, bare.Judge, bare.Scores
	return side, err
}

// LoadFile makes a side of a score file alone (docs/formats/run.md).
func LoadFile(path string) (Side, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Side{}, err
	}
	first, rest, _ := strings.Cut(string(raw), "\n")
	var head runlog.Scoring
	if err := strict(first, &head); err != nil {
		return Side{}, fmt.Errorf("%s: the first line is not that of a score file: %w", path, err)
	}
	if head.Format != runlog.Format {
		return Side{}, fmt.Errorf("%s has format %d; this program reads format %d", path, head.Format, runlog.Format)
	}
	side := Side{System: System{Path: path, Scoring: head.Mode, Judge: head.Judge}}
	number := 1
	for line := range strings.Lines(rest) {
		number++
		var s qa.Score
		if err := strict(line, &s); err != nil {
			return Side{}, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		side.Scores = append(side.Scores, s)
	}
	return side, nil
}

// strict decodes a line of our own format, which has no keys that are not known.
func strict(line string, into any) error {
	dec := json.NewDecoder(strings.NewReader(line))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

// modelName is the model as it is named on the command line.
func modelName(shape map[string]any) string {
	provider, _ := shape["provider"].(string)
	name, _ := shape["model"].(string)
	if provider == "" || name == "" {
		return provider + name
	}
	return provider + ":" + name
}

// label is how a side is called in prose.
func (s System) label() string {
	if s.Baseline == "" {
		return s.Path
	}
	return s.Baseline + ", " + s.Model
}
