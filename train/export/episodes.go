package export

import (
	"errors"
	"fmt"
	"iter"

	"airqa/internal/inorder"
	"airqa/internal/ledger"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/train/format"
	"airqa/train/redact"
	"airqa/train/windows"
)

// wholeEpisodes is a format that has whole episodes, with marked rows.
type wholeEpisodes interface {
	// add writes an episode whose rows have the given ids by the numbers of steps, and returns the line of each row in
	// the table that load_dataset reads. edit is the last change to every message.
	add(k kept, e *Episode, rows map[int]string, edit func(qa.Message) qa.Message) (at map[int]int, err error)
	Close() error
}

// whole reads the episodes of the plan again, and writes them in the order of runs and logs.
func (o *output) whole(to wholeEpisodes) error {
	stage := o.Progress.Stage("write episodes", len(o.kept))
	defer func() { stage.Close(terminal.Plural(len(o.kept), "episode")) }()
	done := 0
	for list, err := range inorder.Map(o.bySource(), readAgain) {
		if err != nil {
			return errors.Join(err, to.Close())
		}
		for _, x := range list {
			stage.Set(done, x.source.name)
			if err := o.wholeEpisode(x, to); err != nil {
				return fmt.Errorf("%s: %w", x.name, errors.Join(err, to.Close()))
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
	e   *Episode
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
		read = append(read, again{k, k.source.episode(rec), err})
	}
	return read
}

func (o *output) wholeEpisode(x again, to wholeEpisodes) error {
	if x.err != nil {
		return x.err
	}
	scope := o.redactor.Scope(x.e.Recorded.Messages)
	t := &texts{commands: o.special, changed: o.changed}
	ids := make(map[int]string)
	for _, row := range x.rows {
		ids[row.turn] = row.id
	}
	at, err := to.add(x.kept, x.e, ids, func(m qa.Message) qa.Message { return t.safeMessage(scope.Message(m)) })
	if err != nil {
		return err
	}
	for _, row := range x.rows {
		if err := o.place(x.kept, row, at[row.turn]); err != nil {
			return err
		}
	}
	o.private.Add(scope.Found, make(map[*redact.Text]bool))
	return nil
}

// safeMessage prepares the texts of a message for a file.
func (t *texts) safeMessage(m qa.Message) qa.Message {
	m.Text = t.safe(m.Text)
	for i, c := range m.ToolCalls {
		if i == 0 {
			m.ToolCalls = append([]qa.ToolCall(nil), m.ToolCalls...)
		}
		m.ToolCalls[i] = t.safeCall(c)
	}
	return m
}

// trajectoriesDir is the folder of trajectories: one file each, as the tools of the format read them.
const trajectoriesDir = "trajectories"

// trajectories writes ATIF, with a table of the rows.
type trajectories struct{ *output }

func (t *trajectories) Close() error { return nil }

func (t *trajectories) add(k kept, e *Episode, rows map[int]string, edit func(qa.Message) qa.Message) (map[int]int, error) {
	shape := e.Run.Config.Shape
	id := windows.RowID(e.Run.ID, e.Recorded.UUID, e.Recorded.Repeat, 0)
	trajectory, err := format.NewTrajectory(format.Episode{
		Trajectory: e.Recorded.Trajectory, ID: id, Run: e.Run.ID, Baseline: shape.Baseline, Program: e.Run.Config.Program, Model: shape.ModelName(),
		Tools: e.Run.Tools, Price: e.Run.Config.Note.Price, Score: e.Score, Rows: rows, Edit: edit,
		Turn:      func(i int) qa.Message { return t.turn(e, i) },
		Reasoning: t.Thinking != windows.ThinkingDrop,
		Copied:    func(i int) bool { return t.copied[e.Run.Turn(e.Recorded, i)] },
		ImagePath: func(im qa.Image) string { return "../" + imagePath(im.SHA256) },
	})
	if err != nil {
		return nil, err
	}
	trajectory.Agent.Tools = (&texts{commands: t.special, changed: t.changed}).safeJSON(trajectory.Agent.Tools)
	line, err := trajectory.Line()
	if err != nil {
		return nil, err
	}
	name := trajectoriesDir + "/" + id + ".json"
	var images []string
	for _, im := range imagesOf(e.Recorded.Messages) {
		images = append(images, im.SHA256)
	}
	if err := errors.Join(t.folder.WriteFile(name, line), t.saveImages(k.entry, images)); err != nil {
		return nil, err
	}
	return list(trajectory, name, t.splits[k.split])
}

// list writes the lines of the rows of a trajectory.
func list(trajectory format.Trajectory, name string, l *lines) (map[int]int, error) {
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

// turn returns a turn of the model with the thinking in its text. Separate reasoning has its own place in the format.
func (t *trajectories) turn(e *Episode, i int) qa.Message {
	o := t.Options
	if e.Recorded.Steps[i].Reply.Reasoning != "" {
		o.Thinking = windows.ThinkingDrop
	}
	return e.Run.RowAt(e.Recorded, i, o).Target
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

func (t *tables) add(k kept, e *Episode, rows map[int]string, edit func(qa.Message) qa.Message) (map[int]int, error) {
	l := t.splits[k.split]
	p := t.by[l]
	if p == nil {
		p = &tablePair{newTableWriter[stepRow](l.files[0], "Step"), newTableWriter[answerRow](l.files[1], "Answer")}
		t.by[l] = p
	}
	shape := e.Run.Config.Shape
	record := tableEpisode{
		Trajectory: e.Recorded.Trajectory, Run: e.Run.ID, Baseline: clean(shape.Baseline), Model: clean(shape.ModelName()), Example: e.Example,
		Score: e.Score, Price: e.Run.Config.Note.Price, Split: string(k.split), Edit: edit, Rows: rows,
		Turn: func(i int) string { return e.Run.Turn(e.Recorded, i) },
	}
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
