package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"airqa/eval"
	"airqa/eval/judge"
	"airqa/llm"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/runlog"
)

// scoringMode names the semantics of the scores: those of the authors' code.
const scoringMode = "reference"

type scoreCmd struct {
	Dir string `arg:"" optional:"" name:"run" help:"Run directory to score."`
	scoreFileFlags
	JSON bool `name:"json" help:"Print a line of JSON for each example, then the totals."`
	judgeFlags
}

// Help implements kong.HelpProvider.
func (scoreCmd) Help() string {
	return `Examples:
  airqa score runs/hybrid
  airqa score --gold q.jsonl --pred predictions.jsonl --judge offline --json

Scoring a run calls no agent model and changes no trajectory: scores are written to RUN/scores/. An answer whose judge
failed stays unscored, which is not a zero; score again when the judge is back.`
}

// Run implements the sub-command.
func (c scoreCmd) Run(a *app) (err error) {
	if err := c.check(); err != nil {
		return err
	}
	j, err := c.open(a, c.verdicts())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	c.Judge = j.name
	if j.absent != nil && c.Dir != "" {
		if err := a.needsNoJudge(c.Dir); err != nil {
			return err
		}
	}
	scorer := eval.New(eval.Config{Judge: j.judge})
	if c.Dir == "" {
		return c.scoreFile(a, scorer)
	}
	scores, err := a.scoreRun(c.Dir, scorer, c.Judge)
	if err != nil {
		return err
	}
	if err := c.show(a, scores, "next: airqa report "+c.Dir); err != nil {
		return err
	}
	if t := count(scores); t.Unscored > 0 && c.Judge != noJudgeName {
		return coded{exitFailedExamples, fmt.Errorf(
			"%d answers are unscored, which is no zero; airqa score %s --json says why each is, and the same command tries again", t.Unscored, c.Dir)}
	}
	return nil
}

// verdicts is where a run's verdicts are kept, so that scoring it again asks nothing again.
func (c scoreCmd) verdicts() string {
	if c.Dir == "" {
		return ""
	}
	return filepath.Join(c.Dir, verdictsFile)
}

// needsNoJudge refuses to score a run with subjective questions without a judge: the scores would stand in the place of
// better ones.
func (a *app) needsNoJudge(dir string) error {
	_, examples, err := a.openRun(dir)
	if err != nil {
		return err
	}
	n := 0
	for _, ex := range examples {
		if eval.Subjective(ex.Evaluator) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return misuse("%d questions of %s need a judge and there is no key for it: set %s or AIRQA_JUDGE_API_KEY, or choose --judge offline (lexical) or --judge none (leave them unscored)",
		n, dir, llm.KeyVariable)
}

func (c scoreCmd) check() error {
	files := c.Gold != "" || c.Pred != ""
	switch {
	case files && c.Dir != "":
		return misuse("score either a run directory, or --gold with --pred")
	case files && (c.Gold == "" || c.Pred == ""):
		return misuse("--gold and --pred go together")
	case !files && c.Dir == "":
		return misuse("name a run directory, or --gold and --pred; airqa score --help shows both")
	}
	return c.scoreFileFlags.check()
}

// scoreRun scores every episode of a run that has ended, and writes the scores beside its log.
func (a *app) scoreRun(dir string, scorer *eval.Scorer, judgeName string) ([]qa.Score, error) {
	r, examples, err := a.openRun(dir)
	if err != nil {
		return nil, err
	}
	byUUID := make(map[string]runlog.Recorded)
	for rec, err := range r.Episodes() {
		if err != nil {
			a.say("warning: %s: %v (this episode is left out)", dir, err)
			continue
		}
		if rec.Outcome != "" {
			rec.Messages, rec.Steps = nil, nil
			byUUID[rec.UUID] = rec
		}
	}
	var scores []qa.Score
	stage := a.progress.Stage("score "+filepath.Base(dir), len(byUUID))
	for _, ex := range examples {
		rec, ended := byUUID[ex.UUID]
		if !ended {
			continue
		}
		scores = append(scores, a.scoreEpisode(scorer, ex, rec))
		stage.Set(len(scores), "")
	}
	stage.Close(fmt.Sprintf("%d of %d questions scored", len(scores), len(examples)))
	if len(scores) == 0 {
		return nil, fmt.Errorf("%s: no question of this run is finished yet; airqa run goes on with it", dir)
	}
	return scores, runlog.WriteScores(dir, runlog.Scoring{
		Mode: scoringMode, Judge: judgeName, Program: program, Created: a.now().UTC(),
	}, scores)
}

// scoreEpisode scores one answer. No answer is a zero; an episode that failed for a reason not its own is unscored.
func (a *app) scoreEpisode(scorer *eval.Scorer, ex qa.Example, rec runlog.Recorded) qa.Score {
	s := qa.Score{UUID: ex.UUID, Repeat: rec.Repeat, Func: ex.Evaluator.Func}
	switch {
	case rec.Outcome.Failed():
		s.Verdict, s.Reason = qa.Unscored, string(rec.Outcome)+": "+rec.Reason
	case !rec.Answer.Given:
		s.Verdict, s.Reason = qa.Wrong, "no answer ("+string(rec.Outcome)+")"
	default:
		ctx, votes := judge.WithVotes(a.ctx)
		result := scorer.Score(ctx, ex.Evaluator, eval.Text(rec.Answer.Text))
		s.Verdict, s.Value, s.Reason, s.Votes = result.Verdict, result.Value, result.Reason, votes.List()
	}
	return s
}

// openRun reads a run directory and its questions.
func (a *app) openRun(dir string) (*runlog.Run, []qa.Example, error) {
	r, err := runlog.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, bad := range r.BadLines {
		a.say("warning: %s: %v (left out)", dir, bad)
	}
	if r.Unknown > 0 {
		a.say("note: %s: %d events of a kind that this program does not know", dir, r.Unknown)
	}
	examples, _, err := dataset.Load(filepath.Join(dir, runlog.QuestionsFile), nil)
	if err != nil {
		return nil, nil, err
	}
	raw, err := dataset.Lines(examples)
	if err == nil && runlog.Hash(string(raw)) != r.Config.Shape.Questions {
		a.say("warning: %s is not what the run was started with: scores may be of other golds", filepath.Join(dir, runlog.QuestionsFile))
	}
	return r, examples, err
}

// totals are the counts of one scoring.
type totals struct {
	Questions   int `json:"questions"`
	Right       int `json:"right"`
	Wrong       int `json:"wrong"`
	Unparseable int `json:"unparseable"`
	Unscored    int `json:"unscored"`
	// Score is the mean over the scored questions, 0 to 1.
	Score   float64 `json:"score"`
	Scoring string  `json:"scoring"`
	Judge   string  `json:"judge"`

	sum float64
}

// add counts one score.
func (t *totals) add(s qa.Score) {
	t.Questions++
	t.sum += s.Value
	switch s.Verdict {
	case qa.Right:
		t.Right++
	case qa.Unparseable:
		t.Unparseable++
	case qa.Unscored:
		t.Unscored++
	default:
		t.Wrong++
	}
	if scored := t.Questions - t.Unscored; scored > 0 {
		t.Score = t.sum / float64(scored)
	}
}

func count(scores []qa.Score) totals {
	t := totals{Scoring: scoringMode}
	for _, s := range scores {
		t.add(s)
	}
	return t
}

// show prints scores as JSON lines, or their totals for a person.
func (c scoreCmd) show(a *app, scores []qa.Score, next string) error {
	t := count(scores)
	t.Judge = c.Judge
	if c.JSON {
		w := newScoreWriter(a.out)
		for _, s := range scores {
			if err := w.write(s); err != nil {
				return err
			}
		}
		return w.end(t)
	}
	err := t.print(a)
	if next != "" {
		a.say("%s", next)
	}
	return err
}

// print shows totals to a person.
func (t totals) print(a *app) error {
	return a.print(fmt.Sprintf("%d questions: %d right, %d wrong, %d unparseable, %d unscored\nscore %.2f %% of the %d scored (%s semantics, judge %s)",
		t.Questions, t.Right, t.Wrong, t.Unparseable, t.Unscored, 100*t.Score, t.Questions-t.Unscored, t.Scoring, t.Judge))
}
