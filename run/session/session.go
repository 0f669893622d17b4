// Package session runs one invocation of the program over baselines and models: it makes or resumes their run directories, puts
// budget, cache and replay around the models, shares the workers, and tries once more what failed for a transient reason.
// Start with [Plan] and [Session.Execute]. What an invocation would do and cost is in run/estimate.
package session

import (
	"context"
	"log/slog"
	"time"

	"airqa/internal/progress"
)

// Session is what an invocation gets from the command line. All fields but Notify and Log are required.
type Session struct {
	Notify   progress.Notify
	Progress *progress.Reporter
	Log      *slog.Logger
	Now      func() time.Time
	Getenv   func(string) string
	// BaseURL is --base-url where the command has it: the address that the key of the model's provider is for.
	BaseURL string
	// Redact takes keys and the home directory out of what goes into a run directory, RedactKeys only the keys.
	Redact, RedactKeys func([]byte) []byte
	// Interrupts watches for Ctrl-C: drain is closed at the first, ctx ends with [airqa/internal/exit.ErrInterrupted] at the
	// second; stop ends the watch.
	Interrupts func() (ctx context.Context, drain <-chan struct{}, stop func())
	// Program is how run directories name the program.
	Program string
}
