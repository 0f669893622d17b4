package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"

	"airqa/eval/author"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
)

type questionsConvertCmd struct {
	File  string   `arg:"" name:"file" help:"Questions with answers: CSV, TSV, JSON, JSON Lines or plain text."`
	Type  string   `env:"-" placeholder:"TYPE" help:"Type of the answers whose record names none (airqa questions new --help lists the types). Default: chosen from how each answer looks."`
	Paper []string `env:"-" sep:"none" placeholder:"PAPER" help:"Paper of the questions whose record names none: uuid, file name or part of the title. Can be repeated."`
	Data  string   `names:"output" short:"d" default:"airqa-data" placeholder:"DIR" help:"Data directory in which papers are found by name. Not needed for uuids."`
}

func (c questionsConvertCmd) Run(a *app) error {
	o := author.Options{Papers: c.Paper, Find: a.finder(c.Data)}
	var err error
	if o.Kind, err = author.ParseKind(c.Type); err != nil {
		return err
	}
	var done author.Conversion
	err = c.convert(a, o, &done)
	c.report(a, &done)
	switch {
	case err != nil:
		return err
	case done.Failed > 0:
		return qa.Failedf("%s of %d not converted", terminal.Plural(done.Failed, "record"), done.Failed+done.Converted)
	case done.Converted == 0:
		return fmt.Errorf("%s has no question", c.File)
	}
	if err := done.Unanswered(c.File); err != nil {
		return &qa.FailedError{Err: err}
	}
	return nil
}

// convert writes the questions as they are converted.
func (c questionsConvertCmd) convert(a *app, o author.Options, done *author.Conversion) (err error) {
	out := bufio.NewWriter(a.out)
	defer func() { err = errors.Join(err, out.Flush()) }()
	for q, err := range author.Convert(c.File, o, done) {
		if err != nil {
			return err
		}
		line, err := dataset.Lines([]qa.Example{q.Example})
		if err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// report prints what was guessed and lost.
func (questionsConvertCmd) report(a *app, done *author.Conversion) {
	for _, line := range done.Summary() {
		a.say("%s", line)
	}
	parts := []string{terminal.Plural(done.Converted, "question")}
	if done.NoEvaluator > 0 {
		parts = append(parts, fmt.Sprintf("%d of them unscored: no evaluator", done.NoEvaluator))
	}
	a.say("convert: %s", strings.Join(parts, ", "))
}
