package export

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"airqa/internal/concurrent"
	"airqa/internal/ledger"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/runlog"
	"airqa/train"
	"airqa/train/format"
)

// wholeEpisodes is a format that has whole episodes, with marked rows.
type wholeEpisodes interface {
	// add writes an episode, and returns the line of each row in the table that load_dataset reads by the number of its step.
	add(k kept, e format.Episode) (at map[int]int, err error)
	Close() error
}

// whole reads the episodes of the plan again, and writes them in the order of runs and logs.
func (o *output) whole(to wholeEpisodes) error {
	stage := o.Progress.Stage("write episodes", len(o.kept))
	defer func() { stage.Close(terminal.Plural(len(o.kept), "episode")) }()
	done := 0
	for list, err := range concurrent.Map(o.bySource(), readAgain) {
		if err != nil {
			return errors.Join(err, to.Close())
		}
		for _, x := range list {
			stage.Set(done, x.source.name)
			if x.err == nil {
				x.err = o.wholeEpisode(x, to)
			}
			if x.err != nil {
				return fmt.Errorf("%s: %w", x.name, errors.Join(x.err, to.Close()))
			}
			done++
		}
	}
	return to.Close()
}

// bySource yields the episodes of the plan, a few of a source at a time.
func (o *output) bySource() iter.Seq2[[]kept, error] {
	return func(yield func([]kept, error) bool) {
		for left := o.kept; len(left) > 0; {
			n := 1
			for n < min(batchSize, len(left)) && left[n].source == left[0].source {
				n++
			}
			if !yield(left[:n], nil) {
				return
			}
			left = left[n:]
		}
	}
}

// again is an episode of the plan that was read again.
type again struct {
	kept
	rec runlog.Recorded
	err error
}

func readAgain(list []kept) (read []again) {
	var names []string
	for _, k := range list {
		names = append(names, k.name)
	}
	for rec, err := range list[0].Episodes(names...) {
		k := list[len(read)]
		if err != nil {
			err = fmt.Errorf("%s: %w", k.Dir, err)
		}
		read = append(read, again{k, rec, err})
	}
	return read
}

func (o *output) wholeEpisode(x again, to wholeEpisodes) error {
	scope, config := o.redactor.Episode(x.rec.Messages), x.Config
	t := &texts{commands: o.special, changed: o.changed}
	e := format.Episode{
		Trajectory: x.rec.Trajectory, ID: train.RowID(x.ID, x.uuid, x.repeat, 0), Run: x.ID, Baseline: config.Shape.Baseline,
		Program: config.Program, Model: config.Shape.ModelName(), Tools: x.Tools, Price: config.Note.Price, Score: x.score(),
		Rows: make(map[int]string),
		Edit: func(m qa.Message) qa.Message {
			m = scope.Message(m)
			m.Text, m.ToolCalls = t.safe(m.Text), slices.Clone(m.ToolCalls)
			for i, c := range m.ToolCalls {
				m.ToolCalls[i] = t.safeCall(c)
			}
			return m
		},
		Turn: func(i int) qa.Message {
			options := o.RowOptions
			if x.rec.Steps[i].Reply.Reasoning != "" { // it has its own place in the format
				options.Thinking = train.ThinkingDrop
			}
			return x.RowAt(x.rec, i, options).Target
		},
		Reasoning: o.Thinking != train.ThinkingDrop,
		Copied:    func(i int) bool { return o.copied[x.Turn(x.rec, i)] },
		ImagePath: func(im qa.Image) string { return "../" + imagePath(im.SHA256) },
	}
	for _, row := range x.rows {
		e.Rows[row.turn] = row.id
	}
	at, err := to.add(x.kept, e)
	if err != nil {
		return err
	}
	for _, row := range x.rows {
		if err := o.place(x.kept, row, at[row.turn]); err != nil {
			return err
		}
	}
	o.private.Add(scope.Found, make(map[*train.RedactedText]bool))
	return nil
}

// trajectoriesDir is the folder of trajectories: one file each, as the tools of the format read them.
const trajectoriesDir = "trajectories"

// trajectories writes ATIF, with a table of the rows.
type trajectories struct{ *output }

func (t *trajectories) Close() error { return nil }

func (t *trajectories) add(k kept, e format.Episode) (map[int]int, error) {
	trajectory, err := format.NewTrajectory(e)
	if err != nil {
		return nil, err
	}
	trajectory.Agent.Tools = (&texts{commands: t.special, changed: t.changed}).safeJSON(trajectory.Agent.Tools)
	line, err := trajectory.Line()
	if err != nil {
		return nil, err
	}
	var images []string
	for _, im := range imagesOf(e.Messages) {
		images = append(images, im.SHA256)
	}
	name := trajectoriesDir + "/" + e.ID + ".json"
	if err := errors.Join(t.folder.WriteFile(name, line), t.saveImages(k.entry, images)); err != nil {
		return nil, err
	}
	l := t.splits[k.split]
	at := make(map[int]int)
	for _, s := range trajectory.Steps {
		extra := s.Airqa()
		if extra.RowID == "" {
			continue
		}
		line, err := ledger.Encode(struct {
			ID         string `json:"id"`
			Trajectory string `json:"trajectory"`
			Step       int    `json:"step_id"`
		}{extra.RowID, name, s.ID})
		if err != nil {
			return nil, err
		}
		if _, err := l.files[0].Write(line); err != nil {
			return nil, err
		}
		l.n++
		at[extra.Turn] = l.n
	}
	return at, nil
}

// tables writes Parquet.
type tables struct {
	*output
	by map[*lines]*tablePair
}

type tablePair struct {
	steps   *tableWriter[stepRow]
	answers *tableWriter[answerRow]
}

// Close ends the tables of all splits.
func (t *tables) Close() (err error) {
	for _, split := range splitNames {
		if p := t.by[t.splits[split]]; p != nil {
			err = errors.Join(err, p.steps.Close(), p.answers.Close())
		}
	}
	return err
}

func (t *tables) add(k kept, e format.Episode) (map[int]int, error) {
	l := t.splits[k.split]
	p := t.by[l]
	if p == nil {
		p = &tablePair{newTableWriter[stepRow](l.files[0], "Step"), newTableWriter[answerRow](l.files[1], "Answer")}
		t.by[l] = p
	}
	e.Baseline, e.Model = clean(e.Baseline), clean(e.Model)
	record := tableEpisode{Episode: e, Example: k.example(), Split: string(k.split)}
	steps, size, err := record.Steps()
	if err != nil {
		return nil, err
	}
	at := make(map[int]int)
	for _, step := range steps {
		if err := p.steps.Write(step, size/len(steps)); err != nil {
			return nil, err
		}
		l.n++
		at[int(step.Turn)] = l.n
	}
	answer := record.Answer()
	return at, p.answers.Write(answer, len(answer.Question)+len(answer.Answer))
}
