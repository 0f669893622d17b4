package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"airqa/eval"
	"airqa/qa"
	"airqa/qa/dataset"
)

type questionsTryCmd struct {
	File   string `arg:"" name:"file" help:"Questions: JSON Lines, a JSON array, a table (CSV, TSV), plain text, or a folder of *.json files."`
	UUID   string `arg:"" optional:"" name:"uuid" help:"Question uuid or a prefix of it. Not needed if the file has one question."`
	Answer string `required:"" env:"-" placeholder:"TEXT" help:"Answer to score; - reads it from standard input."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
	judgeFlags
}

func (c questionsTryCmd) Run(a *app) (err error) {
	examples, err := a.session().Questions(c.File)
	if err != nil {
		return err
	}
	if c.UUID == "" {
		if len(examples) != 1 {
			return qa.Usagef("%s has %d questions: name one by its uuid", c.File, len(examples))
		}
		c.UUID = examples[0].UUID
	}
	ex, _, err := dataset.Find(examples, c.UUID)
	if err != nil {
		return err
	}
	if c.Answer, err = c.text(a.in); err != nil {
		return err
	}
	j, err := c.openJudge(a, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if j.Absent != nil && eval.Subjective(ex.Evaluator) {
		return qa.Usagef("the question needs a judge: %w", j.Absent)
	}
	return explain(a, explained{ex, eval.Text(c.Answer), j, c.JSON})
}

// text is the answer, or standard input for "-".
func (c questionsTryCmd) text(in io.Reader) (string, error) {
	if c.Answer != "-" {
		return c.Answer, nil
	}
	raw, err := io.ReadAll(in)
	if err != nil {
		return "", fmt.Errorf("read the answer: %w", err)
	}
	return strings.TrimRight(string(raw), "\r\n"), nil
}
