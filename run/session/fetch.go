package session

import (
	"context"
	"errors"
	"fmt"

	"airqa/env/datadir"
	"airqa/ingest/fetch"
)

// Fetch downloads papers into a data directory, created if needed, and reports failed downloads. It sets folder, clock and progress
// of f.
func (s Session) Fetch(data string, f fetch.Fetcher, items []fetch.Item) (sum fetch.Summary, err error) {
	if len(items) == 0 {
		return sum, nil
	}
	dir, err := datadir.Create(data)
	if err != nil {
		return sum, err
	}
	ctx, drain, stop := s.Interrupts()
	defer stop()
	ctx, cancel := UntilDrained(ctx, drain) // finished downloads are kept: nothing to wait for
	defer cancel()
	stage := s.Progress.Stage("fetch", len(items))
	f.Dir, f.Now = dir.Downloads(), s.Now
	f.Progress = func(e fetch.Event) {
		stage.Set(e.Done, fmt.Sprintf("%s %.1f MB", e.Item.Name, float64(e.Bytes)/(1<<20)))
	}
	sum, err = f.Fetch(ctx, items)
	stage.Close(fmt.Sprintf("%d fetched, %d already present, %d failed", sum.Downloaded, sum.Skipped, len(sum.Failed)))
	for _, failed := range sum.Failed {
		s.Notify.Infof("error: %s: %v", failed.Item.URL, failed.Err)
	}
	if errors.Is(err, context.Canceled) {
		return sum, errors.New("stopped while fetching; the same command resumes from here")
	}
	return sum, err
}
