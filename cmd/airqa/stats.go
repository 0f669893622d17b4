package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"airqa/internal/aside"
	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/report"
	"airqa/report/questions"
	"airqa/report/render"
)

type statsCmd struct {
	File      string `arg:"" name:"file" help:"Questions: JSON Lines, a JSON array, CSV, or a folder of *.json files."`
	Format    string `default:"" placeholder:"FORMAT" enum:",text,md,csv,latex,json,html" help:"text, md, csv, latex, json or html. Default: by the suffix of --out, or text."`
	JSON      bool   `name:"json" help:"The same as --format json."`
	Out       string `short:"o" placeholder:"FILE" help:"Write to this file instead of standard output."`
	WithPaper bool   `help:"Add the numbers of the paper's Table 2."`
	Lint      bool   `help:"List what cannot be scored as written and what contradicts itself; exit code 3 if there is an error."`
}

// Help implements kong.HelpProvider.
func (statsCmd) Help() string {
	return `Examples:
  airqa stats q.jsonl --with-paper --out stats.html
  airqa stats q.jsonl --lint

Without --lint it counts types, elements, evaluation functions, lengths, papers per question and conferences. With it, each
line has a file, a line, a uuid, and an error or a warning. An error is a question that cannot be loaded, or whose own gold
does not pass. docs/stats.md explains every number and rule.`
}

// Run implements the sub-command.
func (c statsCmd) Run(a *app) error {
	o, err := c.options(a)
	if err != nil {
		return err
	}
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
	err = c.write(a, func(w io.Writer) error {
		if c.Lint {
			return render.Findings(w, findings, stats, o)
		}
		return render.Statistics(w, stats, o)
	})
	if err != nil {
		return err
	}
	return c.verdict(a, file, stats, findings)
}

func (c statsCmd) options(a *app) (render.Options, error) {
	o := render.Options{Width: a.width, Options: report.Options{WithPaper: c.WithPaper}}
	var err error
	if o.Format, err = formatOf(c.Format, c.JSON); err != nil {
		return o, err
	}
	if o.Format == "" && c.Out != "" {
		o.Format = render.FormatOf(c.Out)
		if o.Format == "" {
			return o, exit.Misuse("%s: unknown suffix; choose a format with --format (%s)", c.Out, strings.Join(render.Formats(), ", "))
		}
	}
	if o.Format == "" {
		o.Format = "text"
	}
	if c.Out != "" {
		o.Width = 0
	}
	return o, nil
}

// withFaults adds the first faults of a file that has no question.
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

// write prints to standard output or, whole or not at all, to a file.
func (c statsCmd) write(a *app, print func(io.Writer) error) error {
	if c.Out == "" {
		return print(a.out)
	}
	var b bytes.Buffer
	if err := print(&b); err != nil {
		return err
	}
	if err := aside.WriteFile(c.Out, b.Bytes()); err != nil {
		return err
	}
	a.say("%s is written", c.Out)
	return nil
}

// verdict says what was found and makes the exit code of it.
func (c statsCmd) verdict(a *app, file questions.File, stats questions.Stats, findings []questions.Finding) error {
	if !c.Lint {
		if len(file.Faults) > 0 && file.Unread() == 0 {
			a.say("warning: %s, the first: %v; airqa stats %s --lint lists all", terminal.Plural(len(file.Faults), "fault"), file.Faults[0], c.File)
		} else if len(file.Faults) > 0 {
			a.say("warning: %d of %d records could not be read; the first fault is %v; airqa stats %s --lint lists all",
				file.Unread(), file.Unread()+len(file.Items), file.Faults[0], c.File)
		}
		return nil
	}
	if n := questions.Errors(findings); n > 0 {
		return exit.With(exit.FailedExamples, errors.New(questions.FindingsSummary(findings, stats)))
	}
	return nil
}
