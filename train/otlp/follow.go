package otlp

import (
	"context"
	"errors"
	"slices"
	"time"

	"airqa/internal/pause"
	"airqa/runlog"
)

// followEvery is the interval at which logs are looked at.
const followEvery = time.Second

// Follow sends spans as [Send] does while runs are writing, and returns when none does any more. The span of an episode
// follows when the episode has ended for good, or its run has.
func Follow(ctx context.Context, c Config, endpoint string) (Summary, error) {
	s, err := newSender(ctx, c, endpoint)
	if err != nil {
		return Summary{}, err
	}
	defer func() { _ = s.client.Stop(context.WithoutCancel(ctx)) }()
	s.live = true
	at := make(map[string]int64)
	for {
		writing, err := s.anyWriting()
		if err != nil || !writing {
			break // an error is that of the last round, too
		}
		for _, dir := range c.Runs {
			if err := s.news(ctx, dir, at); err != nil {
				return s.sum, err
			}
		}
		if err := pause.For(ctx, followEvery); err != nil {
			return s.sum, err
		}
	}
	s.live = false
	for _, dir := range c.Runs {
		if err := s.run(ctx, dir); err != nil {
			return s.sum, err
		}
	}
	return s.sum, nil
}

func (s *sender) anyWriting() (bool, error) {
	for _, dir := range s.Runs {
		writing, err := runlog.Writing(dir)
		if err != nil || writing {
			return writing, err
		}
	}
	return false, nil
}

// news sends the spans of the episodes with events after an offset, and moves it.
func (s *sender) news(ctx context.Context, dir string, at map[string]int64) error {
	var names []string
	end := at[dir]
	for mark, err := range runlog.Skim(dir, end) {
		var skipped *runlog.SkipError
		if err != nil && !errors.As(err, &skipped) {
			return err
		}
		if end = mark.End; err == nil && !slices.Contains(names, mark.Episode) {
			names = append(names, mark.Episode)
		}
	}
	if len(names) == 0 {
		return nil
	}
	at[dir] = end
	return s.run(ctx, dir, names...)
}
