package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/report/render"
	"airqa/run/scoring"
)

type judgeCmd struct {
	File     string `arg:"" name:"file" help:"Labelled judgements, JSON Lines (docs/formats/labels.md)."`
	Verdicts string `placeholder:"FILE" help:"Cache verdicts in FILE."`
	jsonFlag
	judgeFlags
}

func (c judgeCmd) Run(a *app) (err error) {
	labels, err := c.labels(a)
	if err != nil {
		return err
	}
	j, err := c.openJudge(a, c.Verdicts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if j.Absent != nil {
		return qa.Usagef("no judge to check: %w", j.Absent)
	}
	if j.IsNone() {
		return qa.Usagef("no judge to check")
	}
	checked, err := c.check(a, j, labels)
	if err != nil {
		return err
	}
	result := judge.Summarize(j.Name, checked, j.Spent())
	o := render.Options{Format: "text"}
	if c.JSON {
		o.Format = "json"
	}
	err = render.Agreement(a.out, result, o)
	if err == nil && result.Unscored > 0 {
		err = withCode(exitFailedExamples, fmt.Errorf("%s without a verdict: the judge failed; the same command retries",
			terminal.Plural(result.Unscored, "answer")))
	}
	return err
}

// check judges every labelled answer. After Ctrl-C the calls in flight finish and their verdicts go to --verdicts, but there is
// no result.
func (c judgeCmd) check(a *app, j *scoring.Judge, labels []judge.Label) ([]judge.Checked, error) {
	ctx, drain, stop := a.interrupts()
	defer stop()
	j.Drain = drain
	stage, done := a.progress.Stage("judge", len(labels)), 0
	checked := judge.Check(ctx, eval.New(eval.Config{Judge: j.Judge}), labels, c.JudgeConcurrency, func() {
		done++
		stage.Set(done, "")
	})
	stopped := slices.ContainsFunc(checked, func(k judge.Checked) bool { return k.Unscored != "" }) && a.interrupted.Load()
	if stopped {
		stage.Close("stopped")
		return nil, fmt.Errorf("judge-check: %w", qa.ErrInterrupted)
	}
	stage.Close(fmt.Sprintf("%d answers judged", len(checked)))
	return checked, nil
}

func (c judgeCmd) labels(a *app) ([]judge.Label, error) {
	file, err := os.Open(c.File)
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	defer func() { _ = file.Close() }()
	var labels []judge.Label
	for l, err := range judge.ReadLabels(file) {
		if err != nil {
			a.say("warning: %s: %s (left out)", c.File, terminal.Line(err.Error()))
			continue
		}
		labels = append(labels, l)
	}
	for _, pair := range judge.Contradictions(labels) {
		a.say("warning: %s: line %d contradicts line %d: same answer, different label", c.File, pair[1].Line, pair[0].Line)
	}
	if len(labels) == 0 {
		return nil, fmt.Errorf("%s has no labelled judgements; airqa bench judge-check --help shows an example", c.File)
	}
	return labels, nil
}
