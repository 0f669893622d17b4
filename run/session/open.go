package session

import (
	"path/filepath"
	"slices"

	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/runlog"
)

// OpenRun reads a run directory and its questions.
func (s Session) OpenRun(dir string) (*runlog.Run, []qa.Example, error) {
	r, err := runlog.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, bad := range r.BadLines {
		s.Notify.Warnf("%s: %v (left out)", dir, bad)
	}
	if r.Unknown > 0 {
		s.Notify.Notef("%s: %d events of unknown types", dir, r.Unknown)
	}
	examples, _, err := dataset.Load(filepath.Join(dir, runlog.QuestionsFile), nil)
	if err != nil {
		return nil, nil, err
	}
	raw, err := dataset.Lines(examples)
	if err == nil && runlog.Hash(string(raw)) != r.Config.Shape.Questions {
		s.Notify.Warnf("%s is not what the run was started with: scores may be of other golds", filepath.Join(dir, runlog.QuestionsFile))
	}
	return r, examples, err
}

// Ended returns the episodes of a run with an outcome, by question and in the order of repeats, and their number.
func (s Session) Ended(r *runlog.Run) (map[string][]runlog.Recorded, int) {
	ended, n := make(map[string][]runlog.Recorded), 0
	for rec, err := range r.Episodes() {
		if err != nil {
			s.Notify.Warnf("%s: %v (this episode is left out)", r.Dir, err)
			continue
		}
		if rec.Outcome != "" {
			rec.Messages, rec.Steps = nil, nil
			ended[rec.UUID] = append(ended[rec.UUID], rec)
			n++
		}
	}
	for _, list := range ended {
		slices.SortFunc(list, func(x, y runlog.Recorded) int { return x.Repeat - y.Repeat })
	}
	return ended, n
}
