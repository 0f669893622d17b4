package export

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
	"airqa/train"
)

type source struct {
	*train.Run
	// name is the base name of the directory: paths are private.
	name      string
	questions []qa.Example
	examples  map[string]qa.Example
	scores    map[string]*qa.Score // by episode; empty for an unscored run
	input     runInput
}

// open reads everything of a run directory but its episodes.
func (c Config) open(dir string) (*source, error) {
	r, err := runlog.Open(dir)
	if err != nil {
		return nil, err
	}
	if writing, err := runlog.Writing(dir); err == nil && writing {
		c.Notify.Warnf("%s: a run is writing to it; later additions are left out", dir)
	}
	for _, bad := range r.BadLines {
		c.Notify.Warnf("%s: %v (left out)", dir, bad)
	}
	run, err := train.OpenRun(r)
	if err != nil {
		return nil, err
	}
	s := &source{Run: run, name: baseName(dir), examples: make(map[string]qa.Example)}
	if s.questions, _, err = dataset.Load(filepath.Join(dir, runlog.QuestionsFile)); err != nil {
		return nil, err
	}
	for i, ex := range s.questions {
		s.questions[i] = train.WithPapers(ex, r.Config.Note.GoldPapers[ex.UUID])
		s.examples[ex.UUID] = s.questions[i]
	}
	scoring, scores, err := runlog.FindScores(dir, c.Choice)
	if err != nil && !errors.Is(err, runlog.ErrNoScores) {
		return nil, err
	}
	s.scores = qa.ByEpisode(scores)
	s.input = runInput{Name: s.name, ID: s.ID, Scoring: scoring.Mode, Judge: scoring.Judge}
	if s.input.Log, err = s.LogHash(); err != nil {
		return nil, err
	}
	if s.input.Questions, err = hashOf(s.questions); err != nil {
		return nil, err
	}
	s.input.Scores, err = hashOf(scores)
	return s, err
}

func baseName(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return filepath.Base(abs)
	}
	return filepath.Base(dir)
}

func (s *source) repeats(uuid string) train.Repeats {
	return train.Repeats{UUID: uuid, Baseline: s.Config.Shape.Baseline, Model: s.Config.Shape.ModelName()}
}

// idsOf reads a file of ids; none without a name.
func idsOf(name string) (*train.IDs, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("ids: %w", err)
	}
	defer func() { _ = file.Close() }()
	return train.ReadIDs(file)
}
