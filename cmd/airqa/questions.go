package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"airqa/env"
	"airqa/eval"
	"airqa/eval/author"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/report/questions"
)

// statsFlags name a question file and an output.
type statsFlags struct {
	File string `arg:"" name:"file" help:"Questions: JSON Lines, a JSON array, a table (CSV, TSV), plain text, or a folder of *.json files."`
	Data string `short:"d" env:"AIRQA_DATA" default:"airqa-data" placeholder:"DIR" help:"Data directory in which papers are found by name. Not needed for uuids."`
	formatFlags
	outFile
}

// read reads the questions and prints how.
func (f statsFlags) read(a *app) (author.File, error) {
	file, err := questions.Read(f.File, a.finder(f.Data))
	for _, line := range file.Summary(author.Form, author.Guessed, author.Lost, author.NoPaper) {
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
	WithPaper bool `help:"Also show the paper's own numbers."`
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
	venues, err := env.VenuesIn(a.ctx, c.Data)
	if err != nil {
		return err
	}
	if len(venues) > 0 {
		stats.CountVenues(file, venues, "(not in "+c.Data+")")
	} else if c.Data != "airqa-data" { // not the default
		a.say("warning: no venues of papers (Figure 5): %s has no papers", c.Data)
	}
	if err := c.write(a, func(w io.Writer) error { return stats.Write(w, o) }); err != nil {
		return err
	}
	faults := file.Faults()
	if n := len(faults); n > 0 && file.Unread() == 0 {
		a.say("warning: %s; the first: %v; airqa questions lint %s lists all", terminal.Plural(n, "fault"), faults[0], file.Path)
	} else if n > 0 {
		a.say("warning: %d of %d records could not be read; the first fault: %v; airqa questions lint %s lists all",
			file.Unread(), file.Unread()+len(file.Questions), faults[0], file.Path)
	}
	return nil
}

type questionsLintCmd struct{ statsFlags }

func (c questionsLintCmd) Run(a *app) error {
	o, err := c.render(a, c.Out)
	if err != nil {
		return err
	}
	file, err := c.read(a)
	if err != nil && (len(file.Faults()) == 0 || !errors.Is(err, questions.ErrNone)) {
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
	if err := file.Unanswered(file.Path); err != nil {
		return withCode(exitFailedExamples, err)
	}
	if n := questions.Errors(findings); n > 0 {
		return withCode(exitFailedExamples, errors.New(terminal.Plural(n, "error")))
	}
	return nil
}

// withFaults adds the first faults of a file without usable questions.
func withFaults(err error, file author.File) error {
	const most = 3
	faults := file.Faults()
	for i, f := range faults {
		if i == most {
			return fmt.Errorf("%w\n  and %d more; airqa questions lint %s lists them", err, len(faults)-most, file.Path)
		}
		err = fmt.Errorf("%w\n  %w", err, f)
	}
	return err
}

type questionsConvertCmd struct {
	File  string   `arg:"" name:"file" help:"Questions with answers: CSV, TSV, JSON, JSON Lines or plain text."`
	Type  string   `placeholder:"TYPE" help:"Answer type for records that do not name one (airqa questions new --help lists the types). Default: guessed from each answer."`
	Paper []string `sep:"none" placeholder:"PAPER" help:"Paper for records that do not name one: uuid, file name or part of the title. Repeatable."`
	Data  string   `short:"d" env:"AIRQA_DATA" default:"airqa-data" placeholder:"DIR" help:"Data directory in which papers are found by name. Not needed for uuids."`
	// Corpus is for records of LitSearch only.
	Corpus string `placeholder:"FILE" help:"Titles of the papers of LitSearch records, as JSON Lines with corpusid and title."`
}

func (c questionsConvertCmd) Run(a *app) error {
	o := author.Options{Papers: c.Paper, Find: a.finder(c.Data)}
	var err error
	if o.Kind, err = author.ParseKind(c.Type); err != nil {
		return err
	}
	if c.Corpus != "" {
		if o.Titles, err = author.ReadTitles(c.Corpus); err != nil {
			return withCode(exitUsage, err)
		}
	}
	var done author.Conversion
	err = c.convert(a, o, &done)
	for _, line := range done.Summary() {
		a.say("%s", line)
	}
	parts := []string{terminal.Plural(done.Converted, "question")}
	if done.NoEvaluator > 0 {
		parts = append(parts, fmt.Sprintf("%d of them unscored: no evaluator", done.NoEvaluator))
	}
	a.say("convert: %s", strings.Join(parts, ", "))
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

type questionsTryCmd struct {
	File   string `arg:"" name:"file" help:"Questions: JSON Lines, a JSON array, a table (CSV, TSV), plain text, or a folder of *.json files."`
	UUID   string `arg:"" optional:"" name:"uuid" help:"Question uuid or a prefix of it. Not needed if the file has one question."`
	Answer string `required:"" placeholder:"TEXT" help:"Answer to score; - reads it from standard input. An answer that looks like a flag needs an equals sign: --answer=--json."`
	jsonFlag
	judgeFlag
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
	if c.Answer == "-" {
		if c.Answer, err = a.text(c.Answer); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		c.Answer = strings.TrimRight(c.Answer, "\r\n")
	}
	s, err := c.score(a)
	if err != nil {
		return err
	}
	j, err := s.openJudge(a, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if j.Absent != nil && eval.Subjective(ex.Evaluator) {
		return qa.Usagef("the question needs a judge: %w", j.Absent)
	}
	return c.explain(a, ex, eval.Text(c.Answer), j)
}
