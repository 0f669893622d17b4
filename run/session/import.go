package session

import (
	"context"
	"errors"
	"fmt"

	"airqa/env"
	"airqa/env/ingest/sources/release"
	"airqa/internal/exit"
	"airqa/internal/progress"
)

// Import copies papers into a data directory, with progress bars. Ctrl-C works as for an ingest.
func (s Session) Import(to env.WriterConfig, cfg release.Config) (sum release.Summary, err error) {
	ctx, drain, stop := s.Interrupts()
	defer stop()
	interrupted := false
	err = s.Write(ctx, to, "embed", func(store *env.Writer) (err error) {
		cfg.Store = store
		sum, interrupted, err = s.copyPapers(ctx, drain, cfg)
		return err
	})
	switch {
	case errors.Is(context.Cause(ctx), exit.ErrInterrupted):
		return sum, errors.New("stopped before everything was indexed; the same command resumes from here")
	case err == nil && interrupted:
		return sum, fmt.Errorf("stopped after %d of %d papers; the same command resumes from here",
			sum.Added+sum.Skipped+len(sum.Failed), sum.Total)
	}
	return sum, err
}

// copyPapers copies until drain is closed. Each paper is one transaction, so only the one in progress is waited for.
func (s Session) copyPapers(ctx context.Context, drain <-chan struct{}, cfg release.Config) (sum release.Summary, interrupted bool, err error) {
	ctx, cancel := UntilDrained(ctx, drain)
	defer cancel()
	var stage *progress.Stage
	cfg.Progress = func(done, total int, title string) {
		if stage == nil {
			stage = s.Progress.Stage("import", total)
		}
		stage.Set(done, title)
	}
	sum, err = release.Import(ctx, cfg)
	if errors.Is(context.Cause(ctx), exit.ErrInterrupted) {
		interrupted, err = true, nil
	}
	if stage != nil {
		stage.Close(fmt.Sprintf("%d added, %d of them with PDF, %d already present, %d failed", sum.Added, sum.WithPDF, sum.Skipped, len(sum.Failed)))
	}
	return sum, interrupted, err
}
