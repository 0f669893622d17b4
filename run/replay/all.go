package replay

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Summary is the result of several episodes.
type Summary struct {
	Episodes []Episode
	Total    Total
}

// Total sums the episodes.
type Total struct {
	Run      string `json:"run"`
	Episodes int    `json:"episodes"`
	// Differing counts the episodes with a result that differs or an action that failed; Unread those that could not be
	// read.
	Differing int `json:"differing"`
	Unread    int `json:"unread"`
	Counts
}

// Run executes episodes with some workers and reports each finished one to done, one at a time. If ctx ends, the result has
// the finished episodes, and the error is its cause.
func (r *Runner) Run(ctx context.Context, names []string, workers int, done func(Total)) (Summary, error) {
	results := make([]*Episode, len(names))
	var mu sync.Mutex
	total := Total{Run: r.config.Run.Dir}
	g, inner := errgroup.WithContext(ctx)
	g.SetLimit(workers)
	for i, name := range names {
		if inner.Err() != nil {
			break
		}
		g.Go(func() error {
			e, err := r.Episode(inner, name)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			results[i] = &e
			total.add(e)
			done(total)
			return nil
		})
	}
	err := g.Wait()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	s := Summary{Total: total}
	for _, e := range results {
		if e != nil {
			s.Episodes = append(s.Episodes, *e)
		}
	}
	return s, err
}

func (t *Total) add(e Episode) {
	t.Episodes++
	if e.Error != "" {
		t.Unread++
	}
	if e.Different+e.Failed > 0 {
		t.Differing++
	}
	t.Equal += e.Equal
	t.Different += e.Different
	t.Failed += e.Failed
	t.NoAction += e.NoAction
	t.NoResult += e.NoResult
}

// Same reports whether everything that was executed has the recorded result, and every episode was read.
func (t Total) Same() bool { return t.Differing+t.Unread == 0 }
