package scoring

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"airqa/eval"
	"airqa/eval/stream"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/run/session"
	"airqa/runlog"
)

// Scoring configures the scoring of answers. All fields are required.
type Scoring struct {
	session.Session
	Mode  eval.Mode
	Judge *Judge
	// Cores is the number of processors to score on; 0 means all.
	Cores int
	// JudgeConcurrency is the number of concurrent calls to each judge.
	JudgeConcurrency int
}

// ErrNothingEnded is returned for a run without finished episodes.
var ErrNothingEnded = errors.New("no question of this run is finished yet; airqa run resumes it")

// stream configures the stream of scores. Twice as many answers wait for a judge as it takes concurrently, so that it
// is never idle. Scores cut short by drain are discarded, but their verdicts are cached.
func (c Scoring) stream(drain <-chan struct{}) stream.Config {
	c.Judge.Drain = drain
	scorer := eval.New(eval.Config{Judge: c.Judge.Judge, Mode: c.Mode, Others: c.Others})
	return stream.Config{Scorer: scorer, Workers: c.Cores, Judges: 2 * max(c.JudgeConcurrency, 1), Drain: drain}
}

// Run scores every finished episode of a run and writes the scores to its directory.
func (c Scoring) Run(dir string) ([]qa.Score, error) {
	r, examples, err := c.OpenRun(dir)
	if err != nil {
		return nil, err
	}
	ended, n := c.Ended(r)
	if n == 0 {
		return nil, fmt.Errorf("%s: %w", dir, ErrNothingEnded)
	}
	ran := make(map[string]bool, len(ended))
	for uuid := range ended {
		ran[uuid] = true
	}
	if l := r.Config.Note.Missing.Lacking(ran); l != nil {
		c.Notify.Notef("%s: %s", dir, l)
	}
	ctx, drain, stop := c.Interrupts()
	defer stop()
	config := c.stream(drain)
	scores := make([]qa.Score, 0, n)
	stage := c.Progress.Stage("score "+filepath.Base(dir), n)
	answers := func(yield func(stream.Item, error) bool) { // in question order
		for _, ex := range examples {
			if len(ended[ex.UUID]) == 0 {
				continue
			}
			gold := stream.NewGold(config.Scorer, ex.UUID, ex.Evaluator)
			for _, rec := range ended[ex.UUID] {
				if !yield(stream.ItemOf(gold, rec.Trajectory), nil) {
					return
				}
			}
		}
	}
	for s, err := range stream.Score(ctx, config, answers) {
		if err != nil {
			stage.Close(fmt.Sprintf("stopped at %d of %d", len(scores), n))
			return nil, err
		}
		scores = append(scores, s)
		stage.Set(len(scores), "")
	}
	stage.Close(fmt.Sprintf("%d of %s scored, to %d of %d questions", runlog.Verdicts(scores), terminal.Plural(n, "answer"), len(ended), len(examples)))
	return scores, runlog.WriteScores(dir, runlog.Scoring{
		Mode: string(c.Mode), Judge: c.Judge.Name, JudgeBaseURL: c.Judge.BaseURL, JudgeExtraBody: c.Judge.Body,
		JudgePrompts: c.Judge.Prompts, AsInPaper: c.AsInPaper, Program: c.Program, Created: c.Now().UTC(),
	}, scores, c.Redact)
}

// NeedJudge counts the answers of a run whose score depends on a judge, and all its answers.
func (c Scoring) NeedJudge(ctx context.Context, dir string) (n, all int, err error) {
	c.Notify = nil // Run reports the same problems
	r, examples, err := c.OpenRun(dir)
	if err != nil {
		return 0, 0, err
	}
	ended, all := c.Ended(r)
	s := eval.New(eval.Config{Mode: c.Mode, Others: c.Others})
	for _, ex := range examples {
		if !eval.Subjective(ex.Evaluator) {
			continue
		}
		for _, rec := range ended[ex.UUID] {
			if i := stream.ItemOf(nil, rec.Trajectory); i.Verdict == "" && s.JudgeDecides(ctx, ex.Evaluator, i.Answer) {
				n++
			}
		}
	}
	return n, all, nil
}
