package web

import (
	"sync"

	"airqa/report"
	"airqa/runlog"
	"airqa/trace"
)

// waitBelow is the number of episodes of a run up to which a page waits for its numbers.
const waitBelow = 500

// numbers computes the report's numbers of runs, once for each state of a log. Those of long runs are computed beside the
// pages, which show them when they are there.
type numbers struct {
	ready func()
	mu    sync.Mutex
	// done and the runs in work are by the log as it was read; a changed log is another one.
	done  map[string]result
	tasks sync.WaitGroup
}

type result struct {
	log  *runlog.Run
	row  report.Row
	err  error
	over bool
}

func newNumbers(ready func()) *numbers { return &numbers{ready: ready, done: make(map[string]result)} }

// wait waits for computations in progress.
func (n *numbers) wait() { n.tasks.Wait() }

// of returns the numbers of a run; ok is false while they are computed for the first time. Those of an earlier state are
// returned while there are no newer ones.
func (n *numbers) of(r *trace.Run) (row report.Row, ok bool, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	known, seen := n.done[r.Name]
	if seen && known.log == r.Log {
		return known.row, known.over, known.err
	}
	o := report.Options{Intervals: report.WilsonIntervals}
	log, examples := r.Log, r.Examples
	compute := func() result {
		row, err := report.Collect(log, examples, o)
		return result{log, row, err, true}
	}
	if len(r.Rows) <= waitBelow {
		known = compute()
		n.done[r.Name] = known
		return known.row, true, known.err
	}
	name := r.Name
	known.log = log
	n.done[name] = known
	n.tasks.Go(func() {
		n.put(name, compute())
		n.ready()
	})
	return known.row, known.over, known.err
}

// put keeps a result unless the log has changed in the meantime.
func (n *numbers) put(name string, r result) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done[name].log == r.log {
		n.done[name] = r
	}
}
