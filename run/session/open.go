package session

import (
	"fmt"
	"path/filepath"
	"slices"

	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/runlog"
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
	if text := r.Config.ShardText(); text != "" {
		s.Notify.Notef("%s: %s", dir, text)
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
		s.Notify.Warnf("%s changed after the run started: scores may use other gold answers", filepath.Join(dir, runlog.QuestionsFile))
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

// FindEpisode returns the only episode that a name means, see [qa.NamedEpisodes].
func FindEpisode(episodes []string, given string) (string, error) {
	found := qa.NamedEpisodes(episodes, func(id string) string { return id }, given)
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no episode begins with %q; airqa trace RUN lists them", given)
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%d episodes begin with %q; give more of the uuid, or the number of a repeat, such as %[2]s#0", len(found), given)
}
