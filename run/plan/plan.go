// Package plan makes the plan of an invocation of airqa run, and estimates it. [Prepare] turns a [Config] into the plan that
// package session executes: it opens the models and the papers, selects the questions, and decides about missing papers.
// [DryRun] predicts the effort of a plan. An [Estimate] is a range of calls, tokens and cost, which comes from finished
// units of work ([EstimateFromPast]) or from the sizes of prompts and replies ([EstimateFromBounds]).
package plan

import (
	"context"
	"slices"
	"time"

	"airqa/env"
	"airqa/qa"
	"airqa/run/budget"
	"airqa/run/session"
	"airqa/run/shard"
	"airqa/runlog"
)

// Config describes an invocation of airqa run.
type Config struct {
	Choice
	// Questions is the question file. Selection and Shard are the part of it that runs.
	Questions string
	Selection Selection
	Shard     shard.Part
	// Missing is [runlog.MissingStop] (run nothing), [runlog.MissingSkip] or [runlog.MissingRun] (ask anyway): the treatment of
	// questions whose papers are missing. A resumed run keeps its first choice instead of stopping.
	Missing string
	// Data is the data directory for the record, OpenWorld opens it. The caller knows where its vectors are and how they
	// are embedded.
	Data      string
	OpenWorld func(env.Config) (*env.Env, error)
	Settings  qa.Settings
	Limits    budget.Limits
	// Repeats is the number of episodes per question. Retry is "errors", "none" or "all".
	Repeats int
	Retry   string
	// DryRun makes a plan to be estimated: missing papers do not stop it.
	DryRun bool
}

// Prepare opens the models, reads and selects the questions, opens the papers, and decides about questions that lack some.
// It writes no run directory. Close the plan's World at the end.
func Prepare(ctx context.Context, s session.Session, c Config) (p session.Plan, err error) {
	jobs, out, err := Jobs(s, c.Choice)
	if err != nil {
		return session.Plan{}, err
	}
	examples, err := s.QuestionsFor(c.Questions, jobs)
	if err != nil {
		return session.Plan{}, err
	}
	picked, err := Select(s, c.Selection, examples)
	if err != nil {
		return session.Plan{}, err
	}
	picked, share := c.Shard.Take(picked)
	p = session.Plan{
		Jobs: jobs, Out: out, Examples: examples, Picked: picked, Share: share, Settings: c.Settings, Workers: c.Workers,
		Repeats: c.Repeats, Retry: c.Retry, Limits: c.Limits,
		Note: runlog.Note{QuestionsFile: c.Questions, DataDir: c.Data},
	}
	if p.World, err = c.OpenWorld(WorldConfig(jobs, c.Settings)); err != nil {
		return session.Plan{}, err
	}
	if err := decideMissing(ctx, s, c, &p); err != nil {
		_ = p.World.Close()
		return session.Plan{}, err
	}
	return p, nil
}

// WorldConfig is how jobs open their papers: as existing runs saw them, and without a search index if no baseline searches.
func WorldConfig(jobs []session.Job, settings qa.Settings) env.Config {
	c := env.Config{
		Mode: env.Mode(settings.Retrieve), QueryDeadline: time.Duration(settings.QuerySeconds * float64(time.Second)),
		NoSearch: !slices.ContainsFunc(jobs, func(j session.Job) bool { return j.Baseline.Searches() }),
	}
	for _, j := range jobs {
		if config, err := runlog.ReadConfig(j.Dir); err == nil {
			c.Fingerprint = config.Shape.Data
			break
		}
	}
	return c
}
