package synthesis

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"airqa/eval"
	"airqa/extractor"
	"airqa/extractor/candidate"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/plan"
	"airqa/run/scoring"
	"airqa/run/session"
	"airqa/runlog"
)

// ActConfig configures a collection of trajectories for the accepted questions.
type ActConfig struct {
	Common
	Settings qa.Settings
	// Baselines answer the questions, Repeats times each, Workers at a time.
	Baselines        []string
	Repeats, Workers int
	Judges           scoring.Judges
}

// Act answers the accepted questions and scores the answers. The runs are in SYN/runs, in a directory for each set of
// questions; replies are kept with those of the synthesis, so that no question is paid for twice. Health is nil if there
// are no trajectories.
func Act(ctx context.Context, c ActConfig) (h Health, err error) {
	questions, s := filepath.Join(c.Dir, candidate.QuestionsFile), c.Session
	if _, err := candidate.ReadSettings(c.Dir); err != nil {
		return nil, err
	}
	examples, err := s.Questions(questions)
	if err != nil {
		return nil, err
	}
	if len(examples) == 0 {
		return nil, fmt.Errorf("%s has no questions; airqa synth why %s shows why", questions, c.Dir)
	}
	if c.Limits, err = c.remainingLimits(); err != nil {
		return nil, err
	}
	jobs, err := c.jobs(examples)
	if err != nil {
		return nil, err
	}
	store, err := c.openReplies()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	ended, err := s.Execute(ctx, session.Plan{
		Jobs: jobs, World: c.World, Examples: examples, Picked: examples, Settings: c.Settings, Workers: c.Workers, Repeats: c.Repeats,
		Retry: "errors", Limits: c.Limits, Prompts: c.Prompts, Cache: store, Note: runlog.Note{QuestionsFile: questions, DataDir: c.Data},
	})
	if err != nil {
		return nil, err
	}
	quiet := s
	quiet.Notify = nil // scoring follows
	stopped := quiet.Result(ended)
	if err := c.score(jobs); err != nil && !errors.Is(err, scoring.ErrNothingEnded) {
		return nil, errors.Join(stopped, err)
	}
	h, err = c.record(jobs, examples)
	return h, errors.Join(stopped, err)
}

// remainingLimits are the limits minus what making the questions has used.
func (c ActConfig) remainingLimits() (budget.Limits, error) {
	left := c.Limits
	history, err := candidate.ReadHistory(c.Dir)
	if err != nil {
		return left, err
	}
	spent := history.Spent()
	used := false
	if left.Tokens > 0 {
		left.Tokens -= spent.Usage.Prompt + spent.Usage.Completion
		used = left.Tokens <= 0
	}
	if left.USD > 0 && spent.USD != nil {
		left.USD -= *spent.USD
		used = used || left.USD <= 0
	}
	if used {
		err = &qa.SuspendedError{Reason: "the questions have used the whole budget; raise the limit and the same command resumes"}
	}
	return left, err
}

// jobs returns a run for each baseline. Its directory is named for the questions too: other questions make another run.
func (c ActConfig) jobs(examples []qa.Example) ([]session.Job, error) {
	jobs, _, err := plan.Jobs(c.Session, plan.Choice{
		Baselines: c.Baselines, Models: []string{c.Model}, Calls: c.Calls,
		Workers: c.Workers, Out: filepath.Join(c.Dir, candidate.RunsDir),
	})
	if err != nil {
		return nil, err
	}
	text, err := dataset.Lines(examples)
	if err != nil {
		return nil, err
	}
	hash, err := extractor.Hash(string(text))
	for i := range jobs {
		name := jobs[i].Baseline.Name + "@" + session.Slug(c.Model) + "-" + hash
		jobs[i].Dir = filepath.Join(c.Dir, candidate.RunsDir, name)
	}
	return jobs, err
}

// score scores the runs.
func (c ActConfig) score(jobs []session.Job) error {
	judges := c.Judges
	if c.Model == models.Offline && len(judges.Names) == 0 {
		judges.Names = []string{models.Offline}
	}
	for _, j := range jobs {
		judge, err := judges.Open(c.Session, filepath.Join(j.Dir, runlog.VerdictsFile))
		if err != nil {
			return err
		}
		if judge.Absent != nil {
			c.Session.Notify.Warnf("%v; subjective answers stay unscored", judge.Absent)
		}
		by := scoring.Scoring{Session: c.Session, Mode: eval.Reference, Judge: judge, JudgeConcurrency: judges.Concurrency}
		_, err = by.Run(j.Dir)
		if err := errors.Join(err, judge.Close()); err != nil {
			return err
		}
	}
	return nil
}

// record adds a line to the ledger for each trajectory, and returns the health of the actor.
func (c ActConfig) record(jobs []session.Job, examples []qa.Example) (h Health, err error) {
	ledger, err := candidate.OpenLedger(c.Dir, c.Session.Redact)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	origins := make(map[string]candidate.Synth)
	for _, ex := range examples {
		if origin, ok := candidate.SynthOf(ex); ok {
			origins[ex.UUID] = origin
		}
	}
	for _, j := range jobs {
		run, lines, err := readHealth(j.Dir, origins)
		if err != nil {
			return h, err
		}
		h = append(h, run)
		if err := ledger.Add(lines...); err != nil {
			return h, err
		}
	}
	return h, nil
}
