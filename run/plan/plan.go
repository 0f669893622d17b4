// Package plan makes the plan of an invocation of airqa run, and estimates it. [Prepare] turns a [Config] into the plan that
// package session executes: it opens the models and the papers, selects the questions, and decides about missing papers.
// [DryRun] predicts the effort of a plan. An [Estimate] is a range of calls, tokens and cost, which comes from finished
// units of work ([EstimateFromPast]) or from the sizes of prompts and replies ([EstimateFromBounds]).
package plan

import (
	"context"
	"errors"
	"slices"

	"airqa/env"
	"airqa/qa"
	"airqa/run/session"
	"airqa/run/shard"
	"airqa/runlog"
)

// Config describes an invocation of airqa run.
type Config struct {
	Choice
	// Questions is the question file, of which the options choose a part.
	Questions string
	Options
	// OpenWorld opens the data directory. The caller knows where its vectors are and how they are embedded.
	OpenWorld func(env.Config) (*env.Env, error)
	// Plan has the settings and limits of the run, and the data directory for the record. Prepare adds what it opens and selects.
	Plan session.Plan
	// DryRun makes a plan to be estimated: missing papers do not stop it, and its models need no key.
	DryRun bool
}

// Options select questions.
type Options struct {
	Selection
	Shard shard.Part `placeholder:"I/N" help:"Run only shard I of N equal parts of the selected questions, in its own run directory; airqa shards merge merges all shards into one run. --budget and -j apply to this shard."`
	// Missing is [runlog.MissingStop] (run nothing), [runlog.MissingSkip] or [runlog.MissingRun] (ask anyway): the treatment of
	// questions whose papers are missing. A resumed run keeps its first choice instead of stopping.
	Missing string `default:"stop" enum:"stop,skip,run" help:"Questions with papers missing from the data directory: stop (run nothing), skip (leave them out) or run (ask anyway); skip and run also accept a data directory to which adding papers was interrupted. A resumed run keeps its first choice."`
}

// Prepare opens the models, reads and selects the questions, opens the papers, and decides about questions that lack some.
// It writes no run directory. Close the plan's World at the end.
func Prepare(ctx context.Context, s session.Session, c Config) (p session.Plan, err error) {
	p = c.Plan
	p.Workers, p.Note.QuestionsFile = c.Workers, c.Questions
	c.Calls.NoCalls = c.DryRun
	if p.Jobs, p.Out, err = Jobs(s, c.Choice); err != nil {
		return p, err
	}
	if p.Examples, err = s.QuestionsFor(c.Questions, p.Jobs); err != nil {
		return p, err
	}
	if p.Picked, err = Select(s, c.Selection, p.Examples); err != nil {
		return p, err
	}
	p.Picked, p.Share = c.Shard.Take(p.Picked)
	if p.World, err = c.OpenWorld(WorldConfig(p.Jobs, p.Settings)); err != nil {
		return p, err
	}
	if err := decideMissing(ctx, s, c, &p); err != nil {
		return p, errors.Join(err, p.World.Close())
	}
	return p, nil
}

// WorldConfig is how jobs open their papers: as existing runs saw them, and without a search index if no baseline searches.
func WorldConfig(jobs []session.Job, settings qa.Settings) env.Config {
	c := env.Config{
		Mode: env.Mode(settings.Retrieve), QueryDeadline: settings.QueryDeadline(),
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
