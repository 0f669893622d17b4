package export

import (
	"errors"
	"fmt"
	"slices"

	"airqa/internal/inorder"
	"airqa/internal/ledger"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/train/format"
	"airqa/train/windows"
)

// wholeEpisodes is a format that has whole episodes, with marked rows.
type wholeEpisodes interface {
	// add writes an episode whose rows have the given ids by the numbers of steps, and returns the line of each row in
	// the table that load_dataset reads. edit is the last change to every message.
	add(e *Episode, l *lines, rows map[int]string, edit func(qa.Message) qa.Message) (at map[int]int, err error)
	Close() error
}

// wholeEpisodes returns the writer of the export's format; nil for a format of rows.
func (o *rowWriter) wholeEpisodes() wholeEpisodes {
	switch o.Format {
	case ATIF:
		return &trajectories{o}
	case Parquet:
		return &tables{o, make(map[*lines]*tablePair)}
	}
	return nil
}

// each writes all episodes, in the order of runs and logs.
func (o *rowWriter) each(to wholeEpisodes) error {
	stage := o.Progress.Stage("write episodes", len(o.plan.episodes))
	defer func() { stage.Close(terminal.Plural(len(o.plan.episodes), "episode")) }()
	done := 0
	for list, err := range inorder.Map(o.tasks(nil), func(tasks []task) []loaded { return slices.Collect(o.load(tasks)) }) {
		if err != nil {
			return errors.Join(err, to.Close())
		}
		for _, x := range list {
			stage.Set(done, o.sources[x.source].name)
			if err := o.whole(x, to); err != nil {
				return fmt.Errorf("%s: %w", x.name, errors.Join(err, to.Close()))
			}
			done++
		}
	}
	return to.Close()
}

func (o *rowWriter) whole(x loaded, to wholeEpisodes) error {
	if x.err != nil {
		return x.err
	}
	planned, e := x.plannedEpisode, x.e
	e.Split = planned.split
	scope := o.scope(e)
	rows := make(map[int]string)
	for _, row := range planned.rows {
		rows[row.turn] = row.id
	}
	l := o.splits[planned.split]
	at, err := to.add(e, l, rows, func(m qa.Message) qa.Message { return o.texts.safeMessage(scope.Message(m)) })
	if err != nil {
		return err
	}
	for _, row := range planned.rows {
		row.cuts = nil // observations are whole
		if err := o.place(e, place{planned.split, at[row.turn]}, row, 0, ""); err != nil {
			return err
		}
	}
	o.plan.tally.private.Add(scope.Counts)
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
type trajectories struct{ o *rowWriter }

func (t *trajectories) Close() error { return nil }

func (t *trajectories) add(e *Episode, l *lines, rows map[int]string, edit func(qa.Message) qa.Message) (map[int]int, error) {
	shape := e.Run.Config.Shape
	id := windows.RowID(e.Run.ID, e.Recorded.UUID, e.Recorded.Repeat, 0)
	trajectory, err := format.NewTrajectory(format.Episode{
		Trajectory: e.Recorded.Trajectory, ID: id, Run: e.Run.ID, Baseline: shape.Baseline, Program: e.Run.Config.Program, Model: shape.ModelName(),
		Tools: e.Run.Tools, Price: e.Run.Config.Note.Price, Score: e.Score, Rows: rows, Edit: edit,
		Turn:      func(i int) qa.Message { return t.turn(e, i) },
		Reasoning: t.o.Thinking != windows.ThinkingDrop,
		Copied:    func(i int) bool { return t.o.plan.copied[e.Run.Turn(e.Recorded, i)] },
		ImagePath: func(im qa.Image) string { return "../" + imagePath(im) },
	})
	if err != nil {
		return nil, err
	}
	trajectory.Agent.Tools = t.o.texts.safeJSON(trajectory.Agent.Tools)
	line, err := trajectory.Line()
	if err != nil {
		return nil, err
	}
	name := trajectoriesDir + "/" + id + ".json"
	if err := errors.Join(t.o.folder.WriteFile(name, line), t.o.saveImages(imagesOf(e.Recorded.Messages))); err != nil {
		return nil, err
	}
	return t.list(trajectory, name, l)
}

// list writes the lines of the rows of a trajectory.
func (t *trajectories) list(trajectory format.Trajectory, name string, l *lines) (map[int]int, error) {
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
	o := t.o.Options
	if e.Recorded.Steps[i].Reply.Reasoning != "" {
		o.Thinking = windows.ThinkingDrop
	}
	return e.Run.RowAt(e.Recorded, i, o).Target
}

// tables writes Parquet.
type tables struct {
	o  *rowWriter
	by map[*lines]*tablePair
}

type tablePair struct {
	steps   *tableWriter[stepRow]
	answers *tableWriter[answerRow]
}

// Close ends the tables of all splits.
func (t *tables) Close() (err error) {
	for _, split := range splitNames {
		if p := t.by[t.o.splits[split]]; p != nil {
			err = errors.Join(err, p.steps.Close(), p.answers.Close())
		}
	}
	return err
}

func (t *tables) add(e *Episode, l *lines, rows map[int]string, edit func(qa.Message) qa.Message) (map[int]int, error) {
	p := t.by[l]
	if p == nil {
		p = &tablePair{newTableWriter[stepRow](l.files[0], "Step"), newTableWriter[answerRow](l.files[1], "Answer")}
		t.by[l] = p
	}
	shape := e.Run.Config.Shape
	record := tableEpisode{
		Trajectory: e.Recorded.Trajectory, Run: e.Run.ID, Baseline: clean(shape.Baseline), Model: clean(shape.ModelName()), Example: e.Example,
		Score: e.Score, Price: e.Run.Config.Note.Price, Split: string(e.Split), Edit: edit, Rows: rows,
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
