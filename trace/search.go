package trace

import (
	"context"
	"errors"
	"iter"

	"airqa/runlog"
)

// Hit is a text found in an episode.
type Hit struct {
	Run string `json:"run"`
	runlog.Hit
}

// Grep searches a text in everything that the runs recorded; see [runlog.Run.Grep], also for errors that do not end it.
func (l *Library) Grep(ctx context.Context, text string) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		for _, r := range l.Runs {
			for hit, err := range r.Log.Grep(ctx, text) {
				if !yield(Hit{r.Name, hit}, err) {
					return
				}
			}
		}
	}
}

// Unread reports whether an error of [Library.Grep] is about one event or text that could not be read, after which the
// search continues.
func Unread(err error) bool {
	var line runlog.LineError
	var blob *runlog.BlobError
	return errors.As(err, &line) || errors.As(err, &blob)
}

// having finds the episodes that contain a text.
func (l *Library) having(ctx context.Context, text string) (func(Row) bool, error) {
	has := make(map[Key]bool)
	for hit, err := range l.Grep(ctx, text) {
		switch {
		case err != nil && Unread(err):
			if l.Warn != nil {
				l.Warn(err)
			}
		case err != nil:
			return nil, err
		default:
			has[Key{hit.Run, hit.Episode}] = true
		}
	}
	return func(w Row) bool { return has[w.Key()] }, nil
}
