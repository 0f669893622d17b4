package main

import (
	"errors"
	"fmt"
	"io"

	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/report/questions"
	"airqa/report/render"
)

type statsCmd struct {
	File string `arg:"" name:"file" help:"Questions: JSON Lines, a JSON array, CSV, or a folder of *.json files."`
	formatFlags
	Out       string `short:"o" placeholder:"FILE" help:"Write to FILE instead of standard output."`
	WithPaper bool   `help:"Also show the paper's Table 2."`
	Lint      bool   `help:"List questions that cannot be scored as written or contradict themselves. The exit code is 3 if there is an error."`
}

func (statsCmd) Help() string {
	return `Examples:
  airqa stats q.jsonl --with-paper --out stats.html
  airqa stats q.jsonl --lint

It counts types, elements, evaluation functions, lengths, papers per question and conferences. With --lint it prints one
finding per line: file, line, uuid, and an error or a warning. An error is a question that cannot be loaded or whose gold
answer fails its own evaluator. docs/stats.md explains every number and rule.`
}

func (c statsCmd) Run(a *app) error {
	o, err := c.render(a, c.Out)
	if err != nil {
		return err
	}
	o.WithPaper = c.WithPaper
	file, err := questions.Read(c.File)
	if listed := c.Lint && len(file.Faults) > 0; err != nil && (!listed || !errors.Is(err, questions.ErrNone)) {
		return withFaults(err, file)
	}
	stats := questions.Collect(file)
	var findings []questions.Finding
	if c.Lint {
		if findings, err = questions.Lint(a.ctx, file); err != nil {
			return err
		}
	}
	err = a.writeOut(c.Out, func(w io.Writer) error {
		if c.Lint {
			return render.Findings(w, findings, stats, o)
		}
		return render.Statistics(w, stats, o)
	})
	if err != nil {
		return err
	}
	if c.Out != "" {
		a.say("wrote %s", c.Out)
	}
	return c.verdict(a, file, stats, findings)
}

// withFaults adds the first faults of a file without usable questions.
func withFaults(err error, file questions.File) error {
	const most = 3
	for i, f := range file.Faults {
		if i == most {
			return fmt.Errorf("%w\n  and %d more; airqa stats %s --lint lists them", err, len(file.Faults)-most, file.Path)
		}
		err = fmt.Errorf("%w\n  %w", err, f)
	}
	return err
}

// verdict reports faults and sets the exit code.
func (c statsCmd) verdict(a *app, file questions.File, stats questions.Stats, findings []questions.Finding) error {
	if !c.Lint {
		if len(file.Faults) > 0 && file.Unread() == 0 {
			a.say("warning: %s; the first: %v; airqa stats %s --lint lists all", terminal.Plural(len(file.Faults), "fault"), file.Faults[0], c.File)
		} else if len(file.Faults) > 0 {
			a.say("warning: %d of %d records could not be read; the first fault: %v; airqa stats %s --lint lists all",
				file.Unread(), file.Unread()+len(file.Items), file.Faults[0], c.File)
		}
		return nil
	}
	if n := questions.Errors(findings); n > 0 {
		return exit.With(exit.FailedExamples, errors.New(questions.FindingsSummary(findings, stats)))
	}
	return nil
}
