package session

import (
	"errors"
	"fmt"

	"airqa/qa"
	"airqa/runlog"
)

// damage is the lost part of a log: unreadable lines, and the episodes that run again because of them.
type damage struct {
	lines           []runlog.LineError
	episodes, calls int
	usage           qa.Usage
	first           error
}

// recordedIn reads the log of a run directory. Of finished episodes it keeps only the outcome and the usage. It counts
// and omits damaged episodes, which run again.
func recordedIn(dir string) (map[string]runlog.Recorded, damage, error) {
	r, err := runlog.Open(dir)
	if err != nil {
		return nil, damage{}, err
	}
	lost := damage{lines: r.BadLines}
	recorded := make(map[string]runlog.Recorded)
	for rec, err := range r.Episodes() {
		rec.Spent = rec.Spent.Add(rec.Usage()).Add(rec.Charged())
		if err == nil && !rec.Finished() {
			err = r.LoadImages(&rec)
		}
		var damaged *runlog.DamageError
		var missing *runlog.BlobError
		if errors.As(err, &damaged) {
			rec.Spent = rec.Spent.Add(damaged.After)
		}
		switch {
		case damaged != nil || errors.As(err, &missing) && !rec.Finished():
			lost.add(rec, err)
			rec = runlog.Recorded{Trajectory: qa.Trajectory{Episode: rec.Episode}, Spent: rec.Spent}
		case err != nil && missing == nil:
			return nil, lost, fmt.Errorf("%s: %w", dir, err)
		case rec.Finished():
			rec.Messages, rec.Steps = nil, nil
		}
		recorded[rec.Episode] = rec
	}
	return recorded, lost, nil
}

func (d *damage) add(rec runlog.Recorded, err error) {
	d.episodes++
	d.calls += rec.Turns()
	d.usage = d.usage.Add(rec.Usage())
	var damaged *runlog.DamageError
	if errors.As(err, &damaged) {
		d.calls += damaged.Calls
		d.usage = d.usage.Add(damaged.After)
	}
	if d.first == nil {
		d.first = err
	}
}
