package preflight

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"airqa/extractor/preflight/align"
	"airqa/extractor/preflight/table"
)

// Row is the prediction for one row of a file. Its numbers are those of the chosen answer if it is a pair.
type Row struct {
	Row int `json:"row"` // from 0
	Verdict
	Chosen   *Verdict `json:"chosen,omitempty"`
	Rejected *Verdict `json:"rejected,omitempty"`
}

// Total is the prediction for a file.
type Total struct {
	// Load is "ok" or "crash"; Error is the reason.
	Load  string  `json:"load"`
	Error *string `json:"error"`
	// Rows is the number of rows of the file if it can be read, TrainerRows of those that the trainer gets: packed rows if
	// packing is on, nil after a crash.
	Rows        int  `json:"rows"`
	TrainerRows *int `json:"trainer_rows"`
	Kept        int  `json:"kept"`
	Dropped     int  `json:"dropped"`
	Crash       int  `json:"crash"`
	Tokens      int  `json:"tokens"`
	Trained     int  `json:"trained"`
	CutRows     int  `json:"cut_rows"`
	CutTokens   int  `json:"cut_tokens"`
	HeadLost    int  `json:"head_lost"`
	TargetLost  int  `json:"target_lost"`
	// Estimated reports whether tokens were counted without the model's tokenizer.
	Estimated bool `json:"estimated,omitempty"`
}

// Clean reports whether the file loads and no row is dropped.
func (t Total) Clean() bool { return t.Load == "ok" && t.Dropped == 0 }

func (t *Total) fail(err error) {
	t.Load, t.TrainerRows = "crash", nil
	if t.Error == nil {
		text := err.Error()
		t.Error = &text
	}
}

func (t *Total) add(v Verdict) {
	switch v.Outcome {
	case Dropped:
		t.Dropped++
		return
	case Crash:
		t.Crash++
		return
	}
	t.Kept++
	t.Tokens += v.Tokens
	t.Trained += v.Trained
	t.CutTokens += v.Cut
	t.CutRows += one(v.Cut > 0)
	t.HeadLost += one(!v.HeadWhole)
	t.TargetLost += one(!v.TargetWhole)
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// errStage is the error of pairs in supervised training, or of plain rows in preference training.
var errStage = errors.New("ValueError: The dataset is not applicable in the current training stage")

// errNoRows is the error of a file of which every row is dropped.
var errNoRows = errors.New("RuntimeError: Cannot find valid samples, check `data/README.md` for the data format: every row is dropped")

// File predicts what becomes of each row of a data set in a folder, in order, and of the load. An error of the file or of
// the data set's entry is in the total; the error returned is that of emit or of the context.
func (k *Checker) File(ctx context.Context, dir string, info align.Info, emit func(Row) error) (Total, error) {
	t := Total{Load: "ok", Estimated: k.c.Tokenizer == nil}
	path := filepath.Join(dir, info.File)
	if err := k.unfit(info); errors.Is(err, errFormat) {
		return t, fmt.Errorf("%s: %w", path, err)
	} else if err != nil {
		t.fail(err)
	}
	f, err := table.Open(path)
	if err != nil {
		t.fail(err)
		return t, nil
	}
	if k.c.MaxSamples > 0 {
		f.Len = min(f.Len, k.c.MaxSamples)
	}
	t.Rows = f.Len
	load := newLoad(k, f.Len)
	err = k.rows(ctx, f, info, func(r result) error {
		load.add(r)
		t.add(r.Verdict)
		return emit(Row{Row: r.index, Verdict: r.Verdict, Chosen: r.chosen, Rejected: r.rejected})
	})
	if err != nil {
		return t, err
	}
	if err := load.end(); err != nil {
		t.fail(err)
	} else if t.Load == "ok" {
		t.TrainerRows = &load.trainer
	}
	return t, nil
}

var errFormat = errors.New("only .json and .jsonl are checked")

// unfit returns the error of a data set that the stage of training cannot use.
func (k *Checker) unfit(info align.Info) error {
	switch ext := filepath.Ext(info.File); {
	case ext == ".csv" || ext == ".parquet" || ext == ".arrow" || ext == ".txt":
		return errFormat
	case info.Ranking != (k.c.Stage == RM):
		return errStage
	case ext != ".json" && ext != ".jsonl":
		return errors.New("ValueError: Allowed file types: arrow,csv,json,jsonl,parquet,txt")
	}
	return nil
}

// result is a judged row with what the loader needs to know about it.
type result struct {
	judged
	index int
	row   align.Row
	err   error // of the conversion
}

func (k *Checker) result(f *table.File, info align.Info, raw []byte) (r result) {
	cell, err := f.Parse(raw)
	if err == nil {
		r.row, err = info.Convert(cell)
	}
	if err != nil {
		r.Verdict, r.err = crash(err), err
		return r
	}
	r.judged = k.judge(r.row)
	return r
}

// FileSpans returns row n of a data set as the trainer renders it; rejected selects the second answer of a pair.
func (k *Checker) FileSpans(dir string, info align.Info, n int, rejected bool) ([]Span, error) {
	f, err := table.Open(filepath.Join(dir, info.File))
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
		row, err := info.Convert(cell)
		if err != nil {
			return nil, err
		}
		answer := 0
		switch {
		case k.c.Stage == KTO && len(row.Response) > 1:
			answer = answerOf(row.Response)
		case rejected && len(row.Response) > 1:
			answer = 1
		}
		return k.spans(row, answer)
	}
	return nil, fmt.Errorf("%s has %d rows; rows are counted from 0: %w", info.File, i, io.EOF)
}
