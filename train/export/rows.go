package export

import (
	"errors"
	"fmt"
	"iter"

	"airqa/internal/inorder"
	"airqa/internal/terminal"
	"airqa/runlog"
	"airqa/train/format"
	"airqa/train/windows"
)

type recorded = runlog.Recorded

// pair is a row with its rejected turn; against is nil but for preference pairs.
type pair struct {
	row     windows.Row
	against *windows.Row
	// label reports whether the episode of the row is right; nil for rows without a label.
	label   *bool
	columns []format.Column
}

// encoder writes rows of a format into a folder of the export. The formats of whole episodes have no form.
type encoder struct {
	dir  string
	form format.Format
}

// encoders are the folders of a format; the first one is what load_dataset reads.
func encoders(f Format) []encoder {
	switch f {
	case ShareGPT, OpenAI, TRL:
		return []encoder{{dataDir, f}}
	case DPO:
		return []encoder{{dataDir, TRL}, {shareGPTDir, ShareGPT}, {openAIDir, OpenAI}}
	case KTO:
		return []encoder{{dataDir, TRL}, {shareGPTDir, ShareGPT}}
	case Parquet:
		return []encoder{{dir: dataDir}, {dir: answersDir}}
	}
	return []encoder{{dir: dataDir}}
}

// suffix ends the names of the files of a format.
func suffix(f Format) string {
	if f == Parquet {
		return ".parquet"
	}
	return ".jsonl"
}

// Folders of the further forms of preference pairs and labelled turns, and of the table of answers.
const (
	shareGPTDir = "sharegpt"
	openAIDir   = "openai"
	answersDir  = "answers"
)

// lines writes the files of one split.
type lines struct {
	split    Split
	encoders []encoder
	files    []*file
	n        int
}

// rowWriter writes the rows of an export.
type rowWriter struct {
	*writer
	splits     map[Split]*lines
	provenance *file
	images     map[string]bool
	texts      texts
	// free are buffers for rows, to be used again.
	free chan []byte
}

// writeRows writes the data, provenance.jsonl and the images.
func (w *writer) writeRows() (err error) {
	w.plan.shape = w.shape()
	w.plan.schemas = make([]schema, len(encoders(w.Format)))
	out := &rowWriter{
		writer: w, splits: make(map[Split]*lines), images: make(map[string]bool),
		texts: texts{commands: w.plan.commands, changed: w.plan.tally.changed},
		free:  make(chan []byte, 8*batchSize),
	}
	if out.provenance, err = w.folder.create(ProvenanceFile); err != nil {
		return err
	}
	for _, split := range splitNames {
		if w.plan.division.Rows[string(split)] == 0 {
			continue
		}
		if out.splits[split], err = w.lines(split); err != nil {
			return err
		}
	}
	if whole := out.wholeEpisodes(); whole != nil {
		err = out.each(whole)
	} else {
		err = out.all()
	}
	for _, split := range splitNames {
		if l := out.splits[split]; l != nil {
			for _, f := range l.files {
				err = errors.Join(err, f.Close())
			}
		}
	}
	return errors.Join(err, out.provenance.Close())
}

func (w *writer) lines(split Split) (*lines, error) {
	l := &lines{split: split, encoders: encoders(w.Format)}
	for _, enc := range l.encoders {
		f, err := w.folder.create(enc.dir + "/" + string(split) + suffix(w.Format))
		if err != nil {
			return nil, err
		}
		l.files = append(l.files, f)
	}
	return l, nil
}

// shape returns what the rows have in common.
func (w *writer) shape() format.Rows {
	shape := format.Rows{IDs: true, Parallel: true, Recurring: true, Whole: w.Whole}
	for _, e := range w.plan.episodes {
		shape.Tools = shape.Tools || len(w.sources[e.source].Tools) > 0
		for _, row := range e.rows {
			shape.Images = shape.Images || row.features&1 != 0
		}
	}
	return shape
}

// leads returns the rows that must come first, and marks them.
func (o *rowWriter) leads() (list []task) {
	type planned struct{ episode, row int }
	for _, split := range splitNames {
		var places []planned
		var sets []uint64
		for i, e := range o.plan.episodes {
			if e.split != split {
				continue
			}
			for j, row := range e.rows {
				places, sets = append(places, planned{i, j}), append(sets, row.features)
			}
		}
		for _, at := range lead(sets) {
			e := &o.plan.episodes[places[at].episode]
			row := &e.rows[places[at].row]
			row.first = true
			list = append(list, task{e, []plannedRow{*row}})
		}
	}
	return list
}

// task is some rows of an episode to write.
type task struct {
	*plannedEpisode
	rows []plannedRow
}

// tasks yields the rows in the order of their lines: the given ones first, then those that are not marked, in the order
// of runs and logs. Tasks are in groups of one source.
func (o *rowWriter) tasks(first []task) iter.Seq2[[]task, error] {
	return func(yield func([]task, error) bool) {
		for i := range first {
			if !yield(first[i:i+1], nil) {
				return
			}
		}
		var group []task
		for i := range o.plan.episodes {
			t := task{plannedEpisode: &o.plan.episodes[i]}
			for _, row := range t.plannedEpisode.rows {
				if !row.first {
					t.rows = append(t.rows, row)
				}
			}
			if full := len(group) == batchSize || len(group) > 0 && group[0].source != t.source; full {
				if !yield(group, nil) {
					return
				}
				group = nil
			}
			if len(t.rows) > 0 {
				group = append(group, t)
			}
		}
		if len(group) > 0 {
			yield(group, nil)
		}
	}
}

// all encodes the rows on all processors, and writes them in order.
func (o *rowWriter) all() error {
	stage := o.Progress.Stage("write rows", o.plan.tally.rows)
	defer func() { stage.Close(terminal.Plural(o.plan.tally.rows, "row")) }()
	for list, err := range inorder.Map(o.tasks(o.leads()), o.encodeAll) {
		if err != nil {
			return err
		}
		for _, x := range list {
			stage.Set(o.written(), o.sources[x.source].name)
			if x.err != nil {
				return x.err
			}
			if err := o.write(x); err != nil {
				return err
			}
		}
	}
	return nil
}

// written counts the rows written so far.
func (o *rowWriter) written() (n int) {
	for _, l := range o.splits {
		n += l.n
	}
	return n
}

// loaded is an episode that was read again.
type loaded struct {
	task
	e   *Episode
	err error
}

// load reads the episodes of some tasks of a source, with their images.
func (o *rowWriter) load(tasks []task) iter.Seq[loaded] {
	return func(yield func(loaded) bool) {
		s := o.sources[tasks[0].source]
		var names []string
		for _, t := range tasks {
			names = append(names, t.name)
		}
		i := 0
		for rec, err := range s.Episodes(names...) {
			x := loaded{task: tasks[i]}
			if i++; err == nil {
				x.e, err = o.loaded(s, rec)
			}
			if err != nil {
				x.err = fmt.Errorf("%s: %w", s.Dir, err)
			}
			if !yield(x) {
				return
			}
		}
	}
}

// loaded returns a recorded episode with the images that rows need.
func (o *rowWriter) loaded(s *source, rec recorded) (*Episode, error) {
	var err error
	if o.plan.shape.Images || o.Format == ATIF {
		err = s.LoadImages(&rec)
	}
	return s.episode(rec), err
}

// read reads one episode again.
func (o *rowWriter) read(i int, name string) (*Episode, error) {
	for x := range o.load([]task{{plannedEpisode: &plannedEpisode{source: i, name: name}}}) {
		return x.e, x.err
	}
	return nil, fmt.Errorf("%s: %w", o.sources[i].Dir, runlog.ErrNoEpisode)
}

func turnError(episode string, turn int, err error) error {
	return fmt.Errorf("%s: turn %d: %w", episode, turn, err)
}

// pair makes a planned row.
func (o *rowWriter) pair(e *Episode, s scope, i int, planned plannedRow) (*pair, error) {
	p := &pair{row: o.rowOf(e, planned.turn), label: o.label(e), columns: o.columns(e)}
	s.row(&p.row)
	p.row.Context = shortened(p.row.Context, planned.cuts)
	if planned.against == nil {
		return p, nil
	}
	other, err := o.read(i, planned.against.episode)
	if err != nil {
		return nil, err
	}
	against := o.rowOf(other, planned.against.turn)
	o.scope(other).row(&against)
	p.against = &against
	return p, nil
}

// rowOf returns the row of a turn, or of the whole episode; steps are numbered from 1.
func (o *rowWriter) rowOf(e *Episode, turn int) windows.Row {
	if o.Whole {
		row, _, _ := e.Run.Whole(e.Recorded, o.Options)
		return row
	}
	return e.Run.RowAt(e.Recorded, turn-1, o.Options)
}
