package main

import (
	"errors"
	"path/filepath"
	"strings"

	"airqa/bench/dorismae/annotate"
	"airqa/internal/terminal"
	"airqa/qa"
)

// annotateCmd makes annotations of DORIS-MAE.
type annotateCmd struct {
	Ask    annotateAskCmd    `cmd:"" default:"withargs" help:"Ask a model how far abstracts meet aspects; also without the word ask."`
	Export annotateExportCmd `cmd:"" help:"Write the scores in the form of the benchmark."`
}

func (annotateCmd) Help() string {
	return `Examples:
  airqa annotate --dataset DORIS-MAE_dataset_v1.json --model openai:gpt-4o-mini --out anno --pairs test
  airqa annotate export anno --out annotations.json

Without a sub-command, airqa annotate asks; airqa annotate ask --help lists its flags.`
}

type annotateAskCmd struct {
	annotate.Flags
	endpointFlags
	batchFlags
	budgetFlags
	JSON bool `name:"json" help:"Print the counts as a JSON object."`
}

func (annotateAskCmd) Help() string {
	return `Examples:
  airqa annotate --dataset DORIS-MAE_dataset_v1.json --model openai:gpt-4o-mini --out anno --pairs test
  airqa annotate --dataset DORIS-MAE_dataset_v1.json --model openai:gpt-4o-mini --out anno --queries 0-9 --batch --budget-usd 5

Each pair of an aspect and an abstract is asked about once, at temperature 0. Each reply is saved at once in
DIR/annotations.jsonl: after a stop, a crash or a spent budget, the same command resumes. Scores are 0 (DISAGREE),
1 (DISPUTE, AGREE) and 2 (CONCUR). A reply without a verdict is unparsed, and has no score.`
}

func (c annotateAskCmd) Run(a *app) error {
	var err error
	c.Flags.Batch, c.Flags.BatchAgain = c.batchFlags.Batch, c.batchFlags.BatchAgain
	if c.Calls, c.Limits, err = calling(c.endpointFlags, c.budgetFlags, qa.QuestionLimits{}); err != nil {
		return err
	}
	r, err := c.Flags.Run(a.session())
	if c.JSON && r.Pairs > 0 {
		return errors.Join(a.printJSON(r), err)
	}
	if err == nil {
		a.say("next: airqa annotate export %s --out annotations.json", c.Out)
	}
	return err
}

type annotateExportCmd struct {
	Dir      string `arg:"" name:"dir" help:"Directory of airqa annotate."`
	Out      string `names:"output" short:"o" required:"" placeholder:"FILE" help:"File to write: a list like Annotation of the benchmark's file."`
	Unparsed string `names:"output" placeholder:"FILE" help:"File for replies without a verdict. Default: OUT with -unparsed in its name, if there are any."`
	Compat   bool   `help:"Read verdicts as the benchmark's authors do: the only label anywhere in the reply. Default: the last label of the last line."`
	JSON     bool   `name:"json" help:"Print the counts as a JSON object."`
}

func (annotateExportCmd) Help() string {
	return `Examples:
  airqa annotate export anno --out annotations.json
  airqa annotate export anno --out authors-rule.json --compat

The replies are read again and no call is made. Use the file with --annotations of airqa bench agree, bench baseline and
bench score.`
}

func (c annotateExportCmd) Run(a *app) error {
	e, err := annotate.Export(annotate.ExportConfig{Dir: c.Dir, Out: c.Out, Unparsed: c.unparsed(), Compat: c.Compat})
	if err != nil {
		return err
	}
	if e.Damaged > 0 {
		a.say("warning: %s of the log cannot be read", terminal.Plural(e.Damaged, "line"))
	}
	if c.JSON {
		return a.printJSON(e)
	}
	if e.Unparsed > 0 {
		a.say("note: unparsed replies: %d, in %s; airqa annotate --retry unparsed asks again", e.Unparsed, c.unparsed())
	}
	a.say("%s: %s", c.Out, terminal.Plural(e.Annotations, "annotation"))
	return nil
}

// unparsed is the file of replies without a verdict.
func (c annotateExportCmd) unparsed() string {
	if c.Unparsed != "" {
		return c.Unparsed
	}
	extension := filepath.Ext(c.Out)
	return strings.TrimSuffix(c.Out, extension) + "-unparsed" + extension
}
