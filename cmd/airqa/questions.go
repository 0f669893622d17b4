package main

import (
	"errors"
	"io"

	"airqa/internal/terminal"
	"airqa/report/questions"
)

// questionsCmd writes and checks question files.
type questionsCmd struct {
	New     questionsNewCmd     `cmd:"" help:"Write a question that can be scored, and show how answers will be judged."`
	Convert questionsConvertCmd `cmd:"" help:"Convert questions with answers (CSV, JSON, text) to AirQA's JSON Lines."`
	Lint    questionsLintCmd    `cmd:"" help:"List questions that cannot be scored as written or contradict themselves."`
	Stats   questionsStatsCmd   `cmd:"" help:"Show statistics of a question file."`
	Try     questionsTryCmd     `cmd:"" help:"Score one answer to one question, and explain the score."`
}

// statsFlags name a question file and an output.
type statsFlags struct {
	File string `arg:"" name:"file" help:"Questions: JSON Lines, a JSON array, a table (CSV, TSV), plain text, or a folder of *.json files."`
	Data string `names:"input" short:"d" default:"airqa-data" placeholder:"DIR" help:"Data directory in which papers are found by name. Not needed for uuids."`
	formatFlags
	Out string `names:"output" short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
}

// read reads the questions and prints how.
func (f statsFlags) read(a *app) (questions.File, error) {
	file, err := questions.Read(f.File, a.finder(f.Data))
	for _, line := range file.Reading {
		a.say("%s", line)
	}
	return file, err
}

// write prints to --out or standard output.
func (f statsFlags) write(a *app, print func(io.Writer) error) error {
	if err := a.writeOut(f.Out, print); err != nil {
		return err
	}
	if f.Out != "" {
		a.say("wrote %s", f.Out)
	}
	return nil
}

type questionsStatsCmd struct {
	statsFlags
	WithPaper bool `help:"Also show the paper's Table 2."`
}

func (c questionsStatsCmd) Run(a *app) error {
	o, err := c.render(a, c.Out)
	if err != nil {
		return err
	}
	o.WithPaper = c.WithPaper
	file, err := c.read(a)
	if err != nil {
		return withFaults(err, file)
	}
	stats := questions.Collect(file)
	if err := c.write(a, func(w io.Writer) error { return stats.Write(w, o) }); err != nil {
		return err
	}
	a.warnOfFaults(file)
	return nil
}

type questionsLintCmd struct{ statsFlags }

func (c questionsLintCmd) Run(a *app) error {
	o, err := c.render(a, c.Out)
	if err != nil {
		return err
	}
	file, err := c.read(a)
	if err != nil && (len(file.Faults) == 0 || !errors.Is(err, questions.ErrNone)) {
		return withFaults(err, file)
	}
	stats := questions.Collect(file)
	findings, err := questions.Lint(a.ctx, file)
	if err != nil {
		return err
	}
	if err := c.write(a, func(w io.Writer) error { return questions.WriteFindings(w, findings, stats, o) }); err != nil {
		return err
	}
	if file.Unanswered != nil {
		return withCode(exitFailedExamples, file.Unanswered)
	}
	if n := questions.Errors(findings); n > 0 {
		return withCode(exitFailedExamples, errors.New(terminal.Plural(n, "error")))
	}
	return nil
}
