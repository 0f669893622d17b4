// Package session runs one invocation over baselines and models. It makes or resumes run directories, wraps the models
// in budget and cache, shares the workers, and retries transient failures at the end. Start with [Plan], which package
// run/plan makes, and [Session.Execute].
package session

import (
	"context"
	"log/slog"
	"time"

	"airqa/eval/author"
	"airqa/internal/progress"
	"airqa/run/models"
)

// Session is the environment of an invocation. All fields but Notify, Stopped and FindPaper are required.
type Session struct {
	Notify   progress.Notify
	Progress *progress.Reporter
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
