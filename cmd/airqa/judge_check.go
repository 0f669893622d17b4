package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/internal/exit"
	"airqa/internal/terminal"
)

type judgeCmd struct {
	File     string `arg:"" name:"file" help:"Labelled judgements, JSON Lines (docs/formats/labels.md)."`
	Verdicts string `placeholder:"FILE" help:"Keep verdicts in FILE and ask for none of them twice."`
	JSON     bool   `name:"json" help:"Print one JSON object."`
	judgeFlags
}

// Help implements kong.HelpProvider.
func (judgeCmd) Help() string {
	return `Examples:
  airqa judge-check labels.jsonl --judge openai:gpt-4o-mini-2024-07-18 --verdicts verdicts.jsonl
  airqa judge-check labels.jsonl --judges openai:gpt-4o-mini,openai:gpt-4.1-mini,openai:gpt-4.1-nano --json

A line of the file is an answer and what people said of it:
  {"question": "Which optimiser?", "evaluator": {"eval_func": "eval_reference_answer_with_llm",
   "eval_kwargs": {"reference_answer": "Adam"}}, "answer": "It is Adam.", "label": true}
(on one line). The paper's judge agreed with people on about 83 % of 66 answers.`
}

// Run implements the sub-command.
func (c judgeCmd) Run(a *app) (err error) {
	labels, err := c.labels(a)
	if err != nil {
		return err
	}
	j, err := c.open(a, c.Verdicts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if j.absent != nil {
		return exit.Misuse("there is no judge to check: %w", j.absent)
	}
	if _, none := j.judge.(noJudge); none {
		return exit.Misuse("there is no judge to check")
	}
	checked, err := c.check(a, j, labels)
	if err != nil {
		return err
	}
	result := newJudgeCheck(j, checked)
	if c.JSON {
		err = json.NewEncoder(a.out).Encode(result)
	} else {
		err = a.print(result.text())
	}
	if err == nil && result.Unscored > 0 {
		err = exit.With(exit.FailedExamples, fmt.Errorf("%s no verdict, since the judge failed; the same command asks again",
			have(result.Unscored, "answer")))
	}
	return err
}

// check asks the judge of every label. After Ctrl-C the calls in flight end, and there is no result: their verdicts are kept
// where --verdicts names a file.
func (c judgeCmd) check(a *app, j *judging, labels []judge.Label) ([]judge.Checked, error) {
	ctx, drain, stop := a.interrupts()
	defer stop()
	j.drain = drain
	stage, done := a.progress.Stage("judge", len(labels)), 0
	checked := judge.Check(ctx, eval.New(eval.Config{Judge: j.judge}), labels, c.JudgeConcurrency, func() {
		done++
		stage.Set(done, "")
	})
	stopped := slices.ContainsFunc(checked, func(k judge.Checked) bool { return k.Unscored != "" }) && a.interrupted.Load()
	if stopped {
		stage.Close("stopped")
		return nil, fmt.Errorf("judge-check: %w", exit.ErrInterrupted)
	}
	stage.Close(fmt.Sprintf("%d answers judged", len(checked)))
	return checked, nil
}

// labels reads the file. Lines that cannot be used are named and left out.
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
		a.say("warning: %s: line %d labels the answer of line %d the other way", c.File, pair[1].Line, pair[0].Line)
	}
	if len(labels) == 0 {
		return nil, fmt.Errorf("%s holds no labelled judgement; airqa judge-check --help shows one", c.File)
	}
	return labels, nil
}

// judgeCheck is what is printed.
type judgeCheck struct {
	Judge string `json:"judge"`
	judge.Agreement
	Disagreements []checkLine `json:"disagreements"`
	Without       []checkLine `json:"without_verdict"`
	NotAsked      []checkLine `json:"without_judge"`
	Spent         judge.Spent `json:"spent"`
}

// checkLine is a label that a judge does not share, or said nothing of.
type checkLine struct {
	Line     int    `json:"line"`
	UUID     string `json:"uuid,omitempty"`
	Question string `json:"question"`
	Answer   string `json:"answer"`
	Label    bool   `json:"label"`
	Reason   string `json:"reason,omitempty"`
}

func newJudgeCheck(j *judging, checked []judge.Checked) judgeCheck {
	r := judgeCheck{
		Judge: j.name, Agreement: judge.Measure(checked), Spent: j.spent(),
		Disagreements: []checkLine{}, Without: []checkLine{}, NotAsked: []checkLine{},
	}
	for _, k := range checked {
		line := checkLine{Line: k.Line, UUID: k.UUID, Question: k.Question, Answer: k.Text, Label: k.Right, Reason: cmp.Or(k.NotAsked, k.Unscored)}
		switch {
		case k.NotAsked != "":
			r.NotAsked = append(r.NotAsked, line)
		case k.Unscored != "":
			r.Without = append(r.Without, line)
		case k.Said != k.Right:
			r.Disagreements = append(r.Disagreements, line)
		}
	}
	return r
}

func (r judgeCheck) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d labelled answers, %d judged by %s, %d without a verdict", r.Labels, r.Judged, r.Judge, r.Unscored)
	if r.Agreement.NotAsked > 0 {
		fmt.Fprintf(&b, ", %d decided without the judge", r.Agreement.NotAsked)
	}
	b.WriteString("\n")
	fmt.Fprintf(&b, "agreement %s, Cohen's kappa %s\n\n", shareText(r.Share, r.Judged), kappaText(r.Kappa))
	fmt.Fprintf(&b, "                 label true  label false\n")
	fmt.Fprintf(&b, "judge says true  %10d  %11d\n", r.TruePositive, r.FalsePositive)
	fmt.Fprintf(&b, "judge says false %10d  %11d\n", r.FalseNegative, r.TrueNegative)
	if len(r.Members) > 0 {
		fmt.Fprintf(&b, "\namong the judges: Fleiss' kappa %s\n", kappaText(r.PanelKappa))
	}
	for _, m := range r.Members {
		fmt.Fprintf(&b, "  %s: agreement %s, %d failed\n", terminal.Line(m.Judge), shareText(m.Share, m.Judged), m.Failed)
	}
	writeLines(&b, "the judge disagrees", r.Disagreements)
	writeLines(&b, "without a verdict", r.Without)
	writeLines(&b, "decided without the judge", r.NotAsked)
	if s := r.Spent; s.Calls+s.Known+s.Failed > 0 {
		fmt.Fprintf(&b, "\n%d replies (%d prompt and %d completion tokens), %d failed calls, %d verdicts known before\n",
			s.Calls, s.Usage.Prompt, s.Usage.Completion, s.Failed, s.Known)
	}
	return strings.TrimRight(b.String(), "\n")
}

func shareText(s judge.Share, n int) string {
	if s.Rate == nil {
		return "unknown"
	}
	return fmt.Sprintf("%.2f %% (%d of %d; %.0f %% interval %.2f to %.2f)",
		100**s.Rate, s.Agree, n, 100*s.Level, 100*s.Interval.Low, 100*s.Interval.High)
}

// kappaText prints a value that may be missing.
func kappaText(x *float64) string {
	if x == nil {
		return "undefined"
	}
	return strconv.FormatFloat(*x, 'f', 3, 64)
}

func writeLines(b *strings.Builder, title string, lines []checkLine) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	var told []string
	for _, l := range lines {
		fmt.Fprintf(b, "  line %d, label %t: %s | %s\n", l.Line, l.Label, terminal.Clip(l.Question, 71), terminal.Clip(l.Answer, 71))
		// An error that ended the judge is part of all later ones.
		again := func(reason string) bool { return strings.HasSuffix(l.Reason, reason) }
		if l.Reason != "" && !slices.ContainsFunc(told, again) {
			fmt.Fprintf(b, "    %s\n", terminal.Line(terminal.Clip(l.Reason, mostOfReason)))
			told = append(told, l.Reason)
		}
	}
}
