// Package check predicts what a trainer does with a file of training data: LLaMA-Factory 0.9.5, TRL 1.16 or OpenAI's
// fine-tuning. Start from [Open], then [Check.Rows] or [Check.Spans].
package check

import (
	"context"
	"fmt"

	"airqa/train/preflight"
	"airqa/train/preflight/align"
	"airqa/train/preflight/table"
)

// Check is a file with the configuration of its trainer.
type Check struct {
	trainer trainer
	path    string
	// name is the entry or split of a data set for evaluation; empty for the one to train on.
	name   string
	config preflight.Config
	// mixed means that the trainer's reader accepts columns of several types.
	mixed bool
	// settings describes the trainer and its settings.
	settings string
	// failure is the error with which the trainer refuses its configuration.
	failure error
}

// trainer predicts what becomes of rows.
type trainer interface {
	// unfit returns the error of a file that the trainer refuses whatever its rows.
	unfit() error
	// judge predicts what becomes of a row.
	judge(cell table.Cell) result
	// follow returns a tracker for a file of a number of rows.
	follow(rows int) tracker
	// spans returns a row as the trainer renders it.
	spans(cell table.Cell) ([]preflight.Span, error)
}

// tracker finds errors that no row has alone.
type tracker interface {
	add(r result)
	// end returns the number of rows that the trainer gets, or the error that stops the load.
	end() (int, error)
}

// result is a judged row with what a tracker needs to know about it.
type result struct {
	preflight.Judged
	index int
	row   align.Row
	err   error // of the conversion
}

func failed(err error) result {
	return result{Judged: preflight.Judged{Verdict: preflight.Crashed(err)}, err: err}
}

// Rows predicts what becomes of each row, in order, and of the load. An error of the file is in the total; the error
// returned is that of emit or of the context.
func (c *Check) Rows(ctx context.Context, emit func(Row) error) (Total, error) {
	t := Total{Load: "ok", Dataset: c.name, Estimated: c.config.Tokenizer == nil}
	if c.failure != nil {
		t.fail(c.failure)
		return t, nil
	}
	if err := c.trainer.unfit(); err != nil {
		t.fail(err)
	}
	f, err := c.open()
	if err != nil {
		t.fail(err)
		return t, nil
	}
	t.Rows, t.EndUntrained = f.Len, c.endUntrained()
	tracker := c.trainer.follow(f.Len)
	err = judgeAll(ctx, f, c.trainer.judge, func(r result) error {
		tracker.add(r)
		row := Row{r.index, c.name, r.Verdict, r.Chosen, r.Rejected, len(r.row.Images) > 0}
		t.add(row)
		return emit(row)
	})
	if err != nil {
		return t, err
	}
	if n, err := tracker.end(); err != nil {
		t.fail(err)
	} else if t.Load == "ok" {
		t.TrainerRows = &n
	}
	return t, nil
}

// endUntrained returns why the token that ends a turn is not trained.
func (c *Check) endUntrained() string {
	switch t := c.trainer.(type) {
	case llamaFactory:
		return t.checker.EndUntrained()
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

// endOfTurn ends a turn in the chat templates that are known for TRL.
const endOfTurn = "<|im_end|>"

func (c *Check) open() (*table.File, error) {
	f, err := table.Open(c.path, c.mixed)
	if err == nil && c.config.MaxSamples > 0 {
		f.Len = min(f.Len, c.config.MaxSamples)
	}
	return f, err
}

// Settings describes the trainer and its settings in one line, with the data set if it is one for evaluation.
func (c *Check) Settings() string {
	if c.name == "" {
		return c.settings
	}
	return c.name + ": " + c.settings
}

// Spans returns row n, counted from 0, as the trainer renders it.
func (c *Check) Spans(n int) ([]preflight.Span, error) {
	if c.failure != nil {
		return nil, c.failure
	}
	f, err := c.open()
	if err != nil {
		return nil, err
	}
	i := 0
	for raw, err := range f.Raw() {
		if err != nil {
			return nil, err
		}
		if i++; i <= n {
			continue
		}
		cell, err := f.Parse(raw)
		if err != nil {
			return nil, err
		}
		return c.trainer.spans(cell)
	}
	return nil, fmt.Errorf("%s has %d rows; rows are counted from 0", c.path, i)
}
