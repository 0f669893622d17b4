package trace

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"airqa/qa"
	"airqa/runlog"
	"airqa/trace/cause"
)

// stamp shows whether a run has changed.
type stamp struct {
	log, scores int64
	writing     bool
}

// readStamp reads the sizes and times of a run's files.
func readStamp(dir string) (s stamp, err error) {
	if info, err := os.Stat(filepath.Join(dir, runlog.LogFile)); err == nil {
		s.log = info.Size()
	}
	if info, err := os.Stat(filepath.Join(dir, "scores")); err == nil {
		s.scores = info.ModTime().UnixNano()
	}
	s.writing, err = runlog.Writing(dir)
	return s, err
}

// rewriteShare is the inverse of the share of rows that must be new for writing the file beside the log: a run in progress
// does not write it with every step.
const rewriteShare = 10

// list makes the rows of a run. cached are the facts of an earlier list, or of the file beside the log, by key.
func (r *Run) list(ctx context.Context, cached map[string]Facts) error {
	names := r.Log.UUIDs()
	r.Rows = make([]Row, len(names))
	r.keys = make([]string, len(names))
	r.places = make(map[string]int, len(names))
	var todo []int
	for i, name := range names {
		r.places[name] = i
		uuid, repeat := qa.SplitEpisodeID(name)
		w := &r.Rows[i]
		*w = Row{Run: r.Name, Episode: name, UUID: uuid, Repeat: repeat}
		w.fill(r.examples[uuid])
		r.keys[i] = r.key(name)
		if facts, ok := cached[r.keys[i]]; ok {
			w.Facts = facts
		} else {
			todo = append(todo, i)
		}
	}
	if err := r.compute(ctx, todo); err != nil {
		return err
	}
	shorten(r.Rows)
	for _, w := range r.Rows {
		if w.Status == Damaged {
			r.Notices = append(r.Notices, fmt.Sprintf("%s: %s", w.Episode, w.Reason))
		}
	}
	if rewriteShare*len(todo) > len(names) {
		r.writeCache()
	}
	return nil
}

// compute computes the facts of some episodes on all cores: first everything but the causes, then the causes, which
// depend on the other answers to a question.
func (r *Run) compute(ctx context.Context, todo []int) error {
	r.repeats = make(map[string][]*Row)
	err := r.each(ctx, todo, func(w *Row, rec runlog.Recorded, err error) {
		if err != nil {
			w.Facts = Facts{Status: Damaged, Reason: err.Error()}
			return
		}
		w.Facts = r.factsOf(r.examples[w.UUID], rec)
	})
	if err != nil {
		return err
	}
	for i := range r.Rows {
		w := &r.Rows[i]
		r.repeats[w.UUID] = append(r.repeats[w.UUID], w)
	}
	var wrong []int
	for _, i := range todo {
		if r.Rows[i].Status == Wrong {
			wrong = append(wrong, i)
		}
	}
	return r.each(ctx, wrong, func(w *Row, rec runlog.Recorded, err error) {
		if err != nil {
			return
		}
		ex := r.examples[w.UUID]
		c := r.cause(ctx, ex, rec, cause.FindLoss(ex, rec, r.scores[w.Episode], r.Log.Config.Note.Missing))
		w.Cause, w.Rule = c.Code, c.Rule
	})
}

// each reads some episodes, by their index in Rows, on all cores. do may be called by several goroutines.
func (r *Run) each(ctx context.Context, list []int, do func(*Row, runlog.Recorded, error)) error {
	group, ctx := errgroup.WithContext(ctx)
	workers := min(runtime.GOMAXPROCS(0), max(1, len(list)/8))
	for n := range workers {
		part := list[n*len(list)/workers : (n+1)*len(list)/workers]
		group.Go(func() error {
			if len(part) == 0 {
				return nil
			}
			names := make([]string, len(part))
			for k, i := range part {
				names[k] = r.Rows[i].Episode
			}
			k := 0
			for rec, err := range r.Log.Episodes(names...) {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				do(&r.Rows[part[k]], rec, err)
				k++
			}
			return nil
		})
	}
	return group.Wait()
}
