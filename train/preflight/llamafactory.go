package preflight

import (
	"errors"
	"fmt"
	"path/filepath"

	"airqa/train/preflight/rows"
)

// llamaFactory judges the rows of a data set of LLaMA-Factory.
type llamaFactory struct {
	checker *Checker
	info    rows.Info
}

// Errors of LLaMA-Factory about whole data sets.
var (
	// errStage is the error of pairs in supervised training, or of plain rows in preference training.
	errStage  = errors.New("ValueError: The dataset is not applicable in the current training stage")
	errNoRows = errors.New("RuntimeError: Cannot find valid samples, check `data/README.md` for the data format: every row is dropped")
	errType   = errors.New("ValueError: Allowed file types: arrow,csv,json,jsonl,parquet,txt")
)

// refusal returns the error of a data set that the stage of training cannot use.
func (t llamaFactory) refusal() error {
	if t.info.Ranking != (t.checker.c.Stage == RM) {
		return errStage
	}
	switch ext := filepath.Ext(t.info.File); ext {
	case ".json", ".jsonl":
		return nil
	case ".arrow", ".csv", ".parquet", ".txt":
		return rows.NotChecked(fmt.Sprintf("%s: only .json and .jsonl are checked", t.info.File))
	}
	return errType
}

func (t llamaFactory) follow(rows int) tracker { return newLoad(t.checker, rows) }

func (llamaFactory) doubt(f *rows.File) error { return f.Doubt }

func (t llamaFactory) judge(cell rows.Cell) result {
	row, err := t.info.Convert(cell)
	if err != nil {
		return failed(err)
	}
	judged, sides := t.checker.judge(row)
	return result{Judged: judged, row: row, spans: func() []Span { return t.checker.spans(sides[0]) }}
}
