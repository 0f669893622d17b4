// Package session runs one invocation over baselines and models. It makes or resumes run directories, wraps the models
// in budget and cache, shares the workers, and retries transient failures at the end. Start with [Plan], which package
// run/plan makes, and [Session.Execute].
package session

import (
	"context"
	"log/slog"
	"time"

	"airqa/baselines"
	"airqa/env"
	"airqa/eval"
	"airqa/eval/author"
	"airqa/internal/terminal"
	"airqa/llm/cache"
	"airqa/prompts"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/shard"
	"airqa/runlog"
)

// Session is the environment of an invocation. All fields but Notify, Stopped and FindPaper are required.
type Session struct {
	Notify   terminal.Notify
	Progress *terminal.Progress
	Log      *slog.Logger
	Now      func() time.Time
	Getenv   func(string) string
	// Given are the addresses that the command line or the environment gives.
	Given models.Addresses
	// Redact removes keys and the home directory from everything in a run directory, RedactKeys only keys.
	Redact, RedactKeys func([]byte) []byte
	// Interrupts watches for Ctrl-C and SIGTERM: the first closes drain; the second Ctrl-C, or the time after SIGTERM, ends ctx with
	// [airqa/qa.ErrInterrupted]; stop ends the watch.
	Interrupts func() (ctx context.Context, drain <-chan struct{}, stop func())
	// Stopped is closed when no further call may start, as after SIGTERM; nil never is.
	Stopped <-chan struct{}
	// FindPaper returns the paper that a question file names; nil finds UUIDs only.
	FindPaper author.Finder
	// Others score the questions of companion benchmarks.
	Others eval.Others
	// AsInPaper is recorded where the settings are; nil unless they were to be as in the paper.
	AsInPaper *qa.AsInPaper
	// Program is the program's version in run directories.
	Program string
}

// OpenModels opens the catalog of models for the session.
func (s Session) OpenModels(c models.Config) (*models.Models, error) {
	c.OwnURL, c.Getenv, c.Notify = s.Given.Models, s.Getenv, s.Notify
	return models.Open(c)
}

// OpenModel opens one model.
func (s Session) OpenModel(spec string, c models.Config) (models.Model, error) {
	source, err := s.OpenModels(c)
	if err != nil {
		return models.Model{}, err
	}
	return source.Open(spec)
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
	// Prompts are the texts that models are shown.
	Prompts prompts.Set
	// Share is the shard that the picked questions are; nil if the run is not divided.
	Share *shard.Share
	// Workers is the number of concurrent episodes, Repeats the number per question.
	Workers, Repeats int
	// Retry is "errors", "none" or "all": which finished episodes to run again.
	Retry string
	// Limits apply to the whole run, earlier invocations included.
	Limits budget.Limits
	Note   runlog.Note
	// Cache has earlier replies; may be nil. CacheFrom is a run whose replies are added to it; may be nil.
	Cache     *cache.Store
	CacheFrom *runlog.Run
	// Watch receives each new step, see [run.Config]. May be nil.
	Watch func(uuid string, s qa.Step)
	// From is an undivided run with the same settings, or the folder of several, whose episodes are taken over. May be empty.
	From string
	// Fork is the episode that a fork continues, see [Branch.Plan]. May be nil.
	Fork *Branch
}

// Job is one baseline with one model, in a run directory of its own.
type Job struct {
	Baseline baselines.Baseline
	models.Model
	Dir string
	// Name is the label of its progress bar.
	Name string
}

// kind is the kind of all questions.
func (p Plan) kind() qa.Kind {
	if len(p.Examples) == 0 {
		return ""
	}
	return p.Examples[0].Kind
}
