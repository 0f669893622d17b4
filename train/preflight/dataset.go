package preflight

import (
	"context"
	"fmt"
	"iter"
	"runtime"

	"airqa/internal/inorder"
	"airqa/train/preflight/rows"
)

// Dataset is a file of training data with the configuration of its trainer.
type Dataset struct {
	trainer trainer
	path    string
	// name is the entry or split of a data set for evaluation; empty for the one to train on.
	name   string
	config Config
	// settings describes the trainer and its settings.
	settings string
	// failure is the error with which the trainer refuses its configuration, or why it is not checked.
	failure error
	// entry describes the file to LLaMA-Factory.
	entry rows.Info
	// tokenizer is the tokenizer.json of the configuration, if there is one.
	tokenizer string
	// file is the open file, if its columns were needed already.
	file *rows.File
	// run is what the trainer's own loader did, nil if it was not run.
	run *TrainerTotal
}

// trainer predicts what becomes of rows.
type trainer interface {
	// refusal returns the error of a file that the trainer refuses whatever its rows.
	refusal() error
	// judge predicts what becomes of a row.
	judge(cell rows.Cell) result
	// follow returns a tracker for a file of a number of rows.
	follow(rows int) tracker
	// doubt returns why it is not known whether the trainer reads a file whose rows are fine.
	doubt(f *rows.File) error
}

// tracker finds errors that no row has alone.
type tracker interface {
	add(r result)
	// end returns the number of rows that the trainer gets, or the error that stops the load.
	end() (int, error)
}

// result is a judged row with what a tracker needs to know about it.
type result struct {
	Judged
	index int
	row   rows.Row
	err   error // of the conversion
	// spans returns the row as the trainer renders it, if it is kept.
	spans func() []Span
}

func failed(err error) result {
	return result{Judged: Judged{Verdict: stopped(err)}, err: err}
}

// Rows predicts what becomes of each row, in order, and of the load. An error of the file is in the total; the error
// returned is that of emit or of the context.
func (d *Dataset) Rows(ctx context.Context, emit func(Row) error) (Total, error) {
	t := Total{Load: LoadOK, Dataset: d.name, Estimated: d.config.Tokenizer == nil}
	if d.run != nil {
		run := *d.run
		t.Trainer = &run
	}
	n := 0
	err := d.predict(ctx, &t, func(r Row) error {
		n++
		r.Dataset, r.Trainer = d.name, d.run.row(r.Row)
		t.add(r)
		return emit(r)
	})
	for ; err == nil && d.run.row(n) != nil; n++ { // rows that only the trainer has read
		r := Row{Row: n, Dataset: d.name, Verdict: stopped(rows.NotChecked("not predicted")), Trainer: d.run.row(n)}
		t.add(r)
		t.Rows++
		err = emit(r)
	}
	return t, err
}

// predict predicts what becomes of the rows and of the load.
func (d *Dataset) predict(ctx context.Context, t *Total, emit func(Row) error) error {
	if d.failure != nil {
		t.fail(d.failure)
		return nil
	}
	if err := d.trainer.refusal(); err != nil {
		if t.fail(err); t.Load == LoadNotChecked {
			return nil
		}
	}
	f, err := d.open()
	if err != nil {
		t.fail(err)
		return nil
	}
	t.Rows, t.EndUntrained = f.Len, d.endUntrained()
	tracker := d.trainer.follow(f.Len)
	err = d.judgeAll(ctx, f, func(r result) error {
		tracker.add(r)
		return emit(Row{Row: r.index, Verdict: r.Verdict, Chosen: r.Chosen, Rejected: r.Rejected, Images: len(r.row.Images) > 0})
	})
	if err != nil {
		return err
	}
	n, err := tracker.end()
	if err == nil {
		err = d.trainer.doubt(f)
	}
	if err != nil {
		t.fail(err)
	} else if t.Load == LoadOK {
		t.TrainerRows = &n
	}
	return nil
}

// endUntrained returns why the token that ends a turn is not trained.
func (d *Dataset) endUntrained() string {
	switch t := d.trainer.(type) {
	case llamaFactory:
		return t.checker.endUntrained()
	case trl:
		if t.config.Tokenizer == nil {
			return ""
		}
		if _, ok := t.config.Tokenizer.ID(endOfTurn); !ok {
			return "the tokenizer has no token " + endOfTurn + ", with which the chat template ends a turn"
		}
	}
	return ""
}

// open reads the file, once.
func (d *Dataset) open() (f *rows.File, err error) {
	if d.file == nil {
		if d.file, err = rows.Open(d.path); err != nil {
			return nil, err
		}
	}
	if d.config.MaxSamples > 0 {
		d.file.Len = min(d.file.Len, d.config.MaxSamples)
	}
	return d.file, nil
}

// Settings describes the trainer and its settings in one line, with the data set if it is one for evaluation.
func (d *Dataset) Settings() string {
	if d.name == "" {
		return d.settings
	}
	return d.name + ": " + d.settings
}

// Spans returns row n, counted from 0, as the trainer renders it.
func (d *Dataset) Spans(n int) ([]Span, error) {
	if d.failure != nil {
		return nil, d.failure
	}
	f, err := d.open()
	if err != nil {
		return nil, err
	}
	cell, err := f.Row(n)
	if err != nil {
		return nil, err
	}
	r := d.trainer.judge(cell)
	switch r.Outcome {
	case Kept:
		return r.spans(), nil
	case NotChecked:
		return nil, fmt.Errorf("not checked: %s", r.Reasons[0])
	}
	return nil, fmt.Errorf("%w: %s", errNotKept, r.Reasons)
}

// job is a group of rows.
type job struct {
	first int
	raw   [][]byte
}

// jobRows is the number of rows of a job.
const jobRows = 64

// judgeAll judges the rows of a file on all processors and passes the results on in order.
func (d *Dataset) judgeAll(ctx context.Context, f *rows.File, emit func(result) error) error {
	work := func(_ context.Context, j job) []result {
		out := make([]result, len(j.raw))
		for i, raw := range j.raw {
			if cell, err := f.Parse(raw); err != nil {
				out[i] = failed(err)
			} else {
				out[i] = d.trainer.judge(cell)
			}
			out[i].index = j.first + i
		}
		return out
	}
	for list, err := range inorder.Within(ctx, 2*runtime.GOMAXPROCS(0), jobs(f), work) {
		if err != nil {
			return err
		}
		for _, r := range list {
			if err := emit(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// jobs cuts a file into jobs.
func jobs(f *rows.File) iter.Seq2[job, error] {
	return func(yield func(job, error) bool) {
		var j job
		n := 0
		for raw, err := range f.Raw() {
			if err != nil {
				yield(job{}, err)
				return
			}
			j.raw = append(j.raw, append([]byte(nil), raw...))
			if n++; len(j.raw) < jobRows {
				continue
			}
			if !yield(j, nil) {
				return
			}
			j = job{first: n}
		}
		if len(j.raw) > 0 {
			yield(j, nil)
		}
	}
}
