package export

import (
	"bytes"

	"airqa/internal/inorder"
	"airqa/train/curate"
	"airqa/train/windows"
)

// surveyed is what decides about an episode and depends on all repeats of its question.
type surveyed struct {
	// beaten are the right episodes that are not among the best of their question, with their places.
	beaten map[string]string
	// right are the turns of right episodes, by content, with their ids. It is empty unless rows are labelled.
	right map[string]string
}

// RightTurn is the reason for turns of wrong episodes that a right one took as well: as a row of either label they would
// contradict each other.
const RightTurn windows.Reason = "right_turn"

// rates returns the pass rates of all questions. Forks and runs with --cache-from are no repeats of
// their own.
func (w *writer) rates() curate.PassRates {
	rates := make(curate.PassRates)
	for _, s := range w.sources {
		if s.Repeats {
			continue
		}
		for _, name := range s.UUIDs() {
			if score := s.scores[name]; score != nil {
				rates.Add(s.repeats(score.UUID), score)
			}
		}
	}
	return rates
}

// repeats are the repeats of a question in a source.
func (s *source) repeats(uuid string) curate.Repeats {
	return curate.Repeats{UUID: uuid, Baseline: s.Config.Shape.Baseline, Model: s.Config.Shape.ModelName()}
}

// survey reads all episodes once before anything is decided, if a decision depends on all repeats.
func (p *planner) survey() error {
	labelled := p.Format == KTO && p.Repeated != KeepAll
	if p.BestOf == 0 && !labelled {
		return nil
	}
	p.surveyed.right = make(map[string]string)
	stage := p.Progress.Stage("compare repeats", p.total())
	defer stage.Close("")
	done := 0
	best := curate.NewBest(p.BestOf)
	for list, err := range inorder.Map(p.batches(), func(b batch) []*examined { return p.readAll(b, true) }) {
		if err != nil {
			return err
		}
		for _, x := range list {
			done++
			stage.Set(done, p.sources[x.source].name)
			if c := x.e.candidate(); x.err == nil && x.reason == "" && c.Class() == "" {
				p.rank(best, x)
				p.surveyed.addRight(labelled, x.rows)
			}
		}
	}
	if p.BestOf > 0 {
		p.surveyed.beaten = best.Beaten()
	}
	return nil
}

// rank adds a right episode to those of which the best are kept, if it has a row to export.
func (p *planner) rank(best *curate.Best, x *examined) {
	var content bytes.Buffer
	usable := false
	for _, row := range x.rows {
		content.Write(row.content)
		usable = usable || row.fit.reason == "" && p.lists(x.e, row.Row)
	}
	if p.Repeated == KeepAll {
		content.WriteString(x.e.key()) // equal episodes are kept, and each has its place
	}
	if usable {
		best.Add(x.e.candidate(), x.e.key(), content.Bytes())
	}
}

func (s *surveyed) addRight(labelled bool, rows []weighed) {
	for _, row := range rows {
		if content := string(row.content); labelled && s.right[content] == "" {
			s.right[content] = row.ID
		}
	}
}

// key identifies an episode of all runs.
func (e *Episode) key() string { return e.Run.ID + " " + e.Recorded.Episode }
