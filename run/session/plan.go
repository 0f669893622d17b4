package session

import (
	"context"
	"slices"
	"time"

	"airqa/baselines"
	"airqa/env"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/budget"
	"airqa/run/models"
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

// Plan is an invocation that is ready to run.
type Plan struct {
	Jobs []Job
	// Out is the run directory, or the folder of several.
	Out   string
	World *env.Env
	// Examples are all questions of the file, Picked the selected ones.
	Examples, Picked []qa.Example
	// Missing lists what the picked questions lacked before any of them was skipped.
	Missing  dataset.Missing
	Settings qa.Settings
	// Share is the shard that the picked questions are; nil if the run is not divided.
	Share *shard.Share
	// Workers is the number of concurrent episodes, Repeats the number per question.
	Workers, Repeats int
	// Retry is "errors", "none" or "all": which finished episodes to run again.
	Retry string
	// Limits are those of the whole run, earlier invocations included.
	Limits budget.Limits
	Note   runlog.Note
	// Cache has earlier replies; may be nil. CacheFrom is a run whose replies are added to it; may be nil.
	Cache     *cache.Store
	CacheFrom *runlog.Run
	// First wraps the model outside cache and budget. May be nil.
	First func(qa.Model) qa.Model
	// Only reports which episodes belong to this invocation; nil means all.
	Only func(uuid string, repeat int) bool
	// Watch receives each new step, see [run.Config]. May be nil.
	Watch func(uuid string, s qa.Step)
	// Check rejects a configuration before anything is written. May be nil.
	Check func(runlog.Config) error
	// From is an undivided run with the same settings, or the folder of several, whose episodes are taken over. May be empty.
	From string
	// Seed writes the start of a new log. May be nil.
	Seed func(*runlog.Writer) error
}

// Job is one baseline with one model, in a run directory of its own.
type Job struct {
	Baseline baselines.Baseline
	models.Model
	Dir string
	// Name is the label of its progress bar.
	Name string
}

// Prepare opens the models, reads and selects the questions, opens the papers, and decides about questions that lack some.
// It writes no run directory. Close the plan's World at the end.
func (s Session) Prepare(ctx context.Context, c Config) (p Plan, err error) {
	jobs, out, err := s.Jobs(c.Choice)
	if err != nil {
		return Plan{}, err
	}
	examples, err := s.QuestionsFor(c.Questions, jobs)
	if err != nil {
		return Plan{}, err
	}
	picked, err := s.Select(c.Selection, examples)
	if err != nil {
		return Plan{}, err
	}
	picked, share := c.Shard.Take(picked)
	p = Plan{
		Jobs: jobs, Out: out, Examples: examples, Picked: picked, Share: share, Settings: c.Settings, Workers: c.Workers,
		Repeats: c.Repeats, Retry: c.Retry, Limits: c.Limits,
		Note: runlog.Note{QuestionsFile: c.Questions, DataDir: c.Data},
	}
	if p.World, err = c.OpenWorld(WorldConfig(jobs, c.Settings)); err != nil {
		return Plan{}, err
	}
	lacking, err := s.decideMissing(ctx, c, p)
	if err != nil {
		_ = p.World.Close()
		return Plan{}, err
	}
	return lacking, nil
}

// WorldConfig is how jobs open their papers: as existing runs saw them, and without a search index if no baseline searches.
func WorldConfig(jobs []Job, settings qa.Settings) env.Config {
	c := env.Config{
		Mode: env.Mode(settings.Retrieve), QueryDeadline: time.Duration(settings.QuerySeconds * float64(time.Second)),
		NoSearch: !slices.ContainsFunc(jobs, func(j Job) bool { return j.Baseline.Searches() }),
	}
	for _, j := range jobs {
		if config, err := runlog.ReadConfig(j.Dir); err == nil {
			c.Fingerprint = config.Shape.Data
			break
		}
	}
	return c
}

// Episodes returns the number of episodes per job of an invocation.
func (p Plan) Episodes() int {
	if p.Only == nil {
		return len(p.Picked) * p.Repeats
	}
	n := 0
	for _, ex := range p.Picked {
		for repeat := range p.Repeats {
			if p.Only(ex.UUID, repeat) {
				n++
			}
		}
	}
	return n
}

// kind is the kind of all questions.
func (p Plan) kind() qa.Kind {
	if len(p.Examples) == 0 {
		return ""
	}
	return p.Examples[0].Kind
}
