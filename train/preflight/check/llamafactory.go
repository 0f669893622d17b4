package check

import (
	"errors"
	"path/filepath"

	"airqa/train/preflight"
	"airqa/train/preflight/align"
	"airqa/train/preflight/table"
)

// llamaFactory judges the rows of a data set of LLaMA-Factory.
type llamaFactory struct {
	checker *preflight.Checker
	info    align.Info
}

// errStage is the error of pairs in supervised training, or of plain rows in preference training.
var errStage = errors.New("ValueError: The dataset is not applicable in the current training stage")

// errNoRows is the error of a file of which every row is dropped.
var errNoRows = errors.New("RuntimeError: Cannot find valid samples, check `data/README.md` for the data format: every row is dropped")

// errFormat is the error of a file that is not read here.
var errFormat = errors.New("only .json and .jsonl are checked")

// unfit returns the error of a data set that the stage of training cannot use.
func (t llamaFactory) unfit() error {
	switch ext := filepath.Ext(t.info.File); {
	case t.info.Ranking != (t.checker.Config().Stage == preflight.RM):
		return errStage
	case ext != ".json" && ext != ".jsonl":
		return errors.New("ValueError: Allowed file types: arrow,csv,json,jsonl,parquet,txt")
	}
	return nil
}

func (t llamaFactory) follow(rows int) tracker { return newLoad(t.checker, rows) }

func (t llamaFactory) judge(cell table.Cell) (r result) {
	row, err := t.info.Convert(cell)
	if err != nil {
		return failed(err)
	}
	return result{Judged: t.checker.Judge(row), row: row}
}

func (t llamaFactory) spans(cell table.Cell) ([]preflight.Span, error) {
	row, err := t.info.Convert(cell)
	if err != nil {
		return nil, err
	}
	answer := 0
	if t.checker.Config().Stage == preflight.KTO && len(row.Response) > 1 {
		answer = preflight.AnswerOf(row.Response)
	}
	return t.checker.RowSpans(row, answer)
}
