package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"airqa/eval"
	"airqa/eval/stream"
	"airqa/internal/exit"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/runlog"
)

type scoreCmd struct {
	Dirs []string `arg:"" optional:"" name:"run" help:"Run directories to score, or folders of them."`
	scoreFileFlags
	Scoring string `default:"reference" enum:"reference,fixed" help:"Semantics: reference (the authors' code, quirks included: what published numbers mean) or fixed (its known faults mended)."`
	Explain string `placeholder:"UUID" help:"Show how one answer is scored, in both modes; the beginning of a uuid will do, #K behind it for a repeat."`
	JSON    bool   `name:"json" help:"Print a line of JSON for each example, then the totals."`
	judgeFlags
}

// Help implements kong.HelpProvider.
func (scoreCmd) Help() string {
	return `Examples:
  airqa score runs/hybrid
  airqa score runs --scoring fixed --judges openai:gpt-4o-mini-2024-07-18,openai:gpt-4o,offline
  airqa score runs/hybrid --explain 5f0c0a4e
  airqa score --gold q.jsonl --pred predictions.jsonl --judge offline --json

Scoring a run calls no agent model and changes no trajectory: scores are written to RUN/scores/, a file for each scoring and
judge. An answer whose judge failed stays unscored, which is not a zero; score again when the judge is back. Verdicts are kept
in RUN/verdicts.jsonl: none is asked for twice.`
}

// Run implements the sub-command.
func (c scoreCmd) Run(a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	if len(c.Dirs) == 0 {
		return c.scoreFiles(a)
	}
	dirs, err := findRuns(c.Dirs)
	if err != nil {
		return err
	}
	if c.Explain != "" {
		return c.explainRun(a, dirs)
	}
	sum, err := c.scoreDirs(a, dirs)
	if err != nil {
		return err
	}
	where := strings.Join(c.Dirs, " ")
	if !c.JSON {
		a.say("next: airqa report %s", where)
	}
	return c.verdict(sum)
}

// scoreDirs scores runs one after the other and sums what could not be scored. Of several, one in which nothing has
// ended is left out.
func (c scoreCmd) scoreDirs(a *app, dirs []string) (sum totals, err error) {
	left := 0
	for _, dir := range dirs {
		t, err := c.scoreDir(a, dir, len(dirs) > 1)
		if errors.Is(err, errNothingEnded) && len(dirs) > 1 {
			a.say("note: left out: %v", err)
			left++
			continue
		}
		if err != nil {
			return sum, err
		}
		sum.Unscored, sum.faulty, sum.NoEvaluator = sum.Unscored+t.Unscored, sum.faulty+t.faulty, sum.NoEvaluator+t.NoEvaluator
		sum.why = cmp.Or(sum.why, t.why)
	}
	if left == len(dirs) {
		return sum, errors.New("none of these runs has a finished question")
	}
	return sum, nil
}

// verdict makes the exit code of what could not be scored.
func (c scoreCmd) verdict(sum totals) error {
	unscored := sum.Unscored - sum.faulty - sum.NoEvaluator
	switch {
	case unscored > 0 && c.Judge != noJudgeName:
		return exit.With(exit.FailedExamples, fmt.Errorf(
			"%s unscored, which is no zero; the first because: %s\n  the same command tries again; with --json it says why each is",
			are(unscored, "answer"), terminal.Clip(sum.why, mostOfReason)))
	case sum.faulty > 0:
		return exit.With(exit.FailedExamples, fmt.Errorf("%s not scored, since the evaluator is faulty; airqa stats --lint says what is wrong", are(sum.faulty, "answer")))
	}
	return nil
}

// mostOfReason bounds what is shown of a reason, in characters: an endpoint may send a page.
const mostOfReason = 200

// have is a number of things that are the subject of a sentence.
func have(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " has"
	}
	return terminal.Plural(n, noun) + " have"
}

// are is a number of things that are the subject of a sentence.
func are(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return terminal.Plural(n, noun) + " are"
}

// scoreFiles scores a file of predictions, or explains one of them.
func (c scoreCmd) scoreFiles(a *app) (err error) {
	j, err := c.open(a, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	c.Judge = j.name
	if c.Explain != "" {
		return c.explainFile(a, j.judge)
	}
	t, err := c.scoreFile(a, j)
	if err == nil && j.absent != nil && t.Unscored > t.faulty {
		return exit.With(exit.FailedExamples, fmt.Errorf("%d of %s need a judge: %w", t.Unscored-t.faulty, terminal.Plural(t.Answers, "answer"), j.absent))
	}
	return errors.Join(err, c.verdict(t))
}

func (c scoreCmd) scorer(j eval.Judge) *eval.Scorer {
	return eval.New(eval.Config{Judge: j, Mode: eval.Mode(c.Scoring)})
}

// scoreDir scores one run and shows its totals.
func (c scoreCmd) scoreDir(a *app, dir string, several bool) (t totals, err error) {
	j, err := c.open(a, filepath.Join(dir, verdictsFile))
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	c.Judge = j.name
	if j.absent != nil {
		if err := c.needsNoJudge(a, dir, j.absent); err != nil {
			return t, err
		}
	}
	scores, err := a.scoreRun(dir, scoring{c.Scoring, j, c.streamConfig(c.scorer(j.judge))})
	if err != nil {
		return t, err
	}
	t = c.count(scores)
	if several {
		t.Run = dir
	}
	if spent := j.spent(); spent.Calls > 0 {
		a.say("%s: %d calls of the judge, %d tokens", dir, spent.Calls, spent.Usage.Prompt+spent.Usage.Completion)
	}
	return t, c.show(a, scores, t)
}

// needsNoJudge refuses to score a run without a judge if an answer needs one: the scores would stand in the place of better
// ones.
func (c scoreCmd) needsNoJudge(a *app, dir string, absent error) error {
	quiet := a.session()
	quiet.Notify = nil // scoring says it again
	r, examples, err := quiet.OpenRun(dir)
	if err != nil {
		return err
	}
	ended, all := quiet.Ended(r)
	n, s := 0, c.scorer(nil)
	for _, ex := range examples {
		if !eval.Subjective(ex.Evaluator) {
			continue
		}
		for _, rec := range ended[ex.UUID] {
			if i := item(nil, rec); i.Verdict == "" && s.JudgeDecides(a.ctx, ex.Evaluator, i.Answer) {
				n++
			}
		}
	}
	if n == 0 {
		return nil
	}
	return exit.Misuse("%d of %s of %s need a judge: %w", n, terminal.Plural(all, "answer"), dir, absent)
}

func (c scoreCmd) check() error {
	files := c.Gold != "" || c.Pred != ""
	switch {
	case files && len(c.Dirs) > 0:
		return exit.Misuse("score either run directories, or --gold with --pred")
	case files && (c.Gold == "" || c.Pred == ""):
		return exit.Misuse("--gold and --pred go together")
	case !files && len(c.Dirs) == 0:
		return exit.Misuse("name a run directory, or --gold and --pred; airqa score --help shows both")
	}
	return c.scoreFileFlags.check()
}

// scoring is by what rules a run is scored.
type scoring struct {
	mode   string
	judge  *judging
	config stream.Config
}

// errNothingEnded is returned for a run that has nothing to score.
var errNothingEnded = errors.New("no question of this run is finished yet; airqa run goes on with it")

// scoreRun scores every episode of a run that has ended, and writes the scores beside its log.
func (a *app) scoreRun(dir string, by scoring) ([]qa.Score, error) {
	r, examples, err := a.session().OpenRun(dir)
	if err != nil {
		return nil, err
	}
	ended, n := a.session().Ended(r)
	if n == 0 {
		return nil, fmt.Errorf("%s: %w", dir, errNothingEnded)
	}
	a.session().NoteMissing(r, ended)
	ctx, drain, stop := a.interrupts()
	defer stop()
	by.judge.drain, by.config.Drain = drain, drain // half a scoring is none, and verdicts are kept
	scores := make([]qa.Score, 0, n)
	stage := a.progress.Stage("score "+filepath.Base(dir), n)
	for s, err := range stream.Score(ctx, by.config, items(examples, ended, by.config.Scorer)) {
		if err != nil {
			stage.Close(fmt.Sprintf("stopped at %d of %d", len(scores), n))
			return nil, undrained(err)
		}
		scores = append(scores, s)
		stage.Set(len(scores), "")
	}
	stage.Close(fmt.Sprintf("%d of %s scored, to %d of %d questions", runlog.Verdicts(scores), terminal.Plural(n, "answer"), len(ended), len(examples)))
	return scores, runlog.WriteScores(dir, runlog.Scoring{
		Mode: by.mode, Judge: by.judge.name, JudgeBaseURL: by.judge.baseURL, Program: program, Created: a.now().UTC(),
	}, scores, a.redactor())
}

// undrained is the error of an interrupted stream of scores.
func undrained(err error) error {
	if errors.Is(err, stream.ErrDrained) {
		return fmt.Errorf("scoring: %w", exit.ErrInterrupted)
	}
	return err
}

// items are the answers to score, in the order of the questions.
func items(examples []qa.Example, ended map[string][]runlog.Recorded, s *eval.Scorer) iter.Seq2[stream.Item, error] {
	return func(yield func(stream.Item, error) bool) {
		for _, ex := range examples {
			list := ended[ex.UUID]
			if len(list) == 0 {
				continue
			}
			gold := stream.NewGold(s, ex.UUID, ex.Evaluator)
			for _, rec := range list {
				if !yield(item(gold, rec), nil) {
					return
				}
			}
		}
	}
}

// item is the answer of an episode. No answer is a zero; an episode that failed for a reason not its own is unscored.
func item(gold *stream.Gold, rec runlog.Recorded) stream.Item {
	i := stream.Item{Gold: gold, Repeat: rec.Repeat, Answer: eval.Answer(rec.Answer)}
	switch {
	case rec.Outcome.Failed():
		i.Verdict, i.Reason = qa.Unscored, string(rec.Outcome)+": "+rec.Reason
	case !rec.Answer.Given:
		i.Verdict, i.Reason = qa.Wrong, "no answer ("+string(rec.Outcome)+")"
	}
	return i
}
