package recordtest

import (
	"maps"
	"slices"
	"testing"

	"airqa/qa"
	"airqa/runlog"
)

// Fork records a fork of an episode of a run, which changes the message of [runlog.Fork] and continues as the model of c
// does. c needs another Dir and Seed than the run, and otherwise the same values. A changed reply is that of the other
// model. Requests has those of the run as well.
func Fork(t testing.TB, c Config, from Made, fork runlog.Fork) Made {
	t.Helper()
	if c.Settings.Turns == 0 {
		c.Settings = qa.DefaultSettings()
	}
	c.Note.Fork = &fork
	uuid, repeat := qa.SplitEpisodeID(fork.Episode)
	s, m := c.solver(t)
	c.create(t, s, from.Examples)
	c.begin(t, from, fork)
	at := slices.IndexFunc(from.Examples, func(ex qa.Example) bool { return ex.UUID == uuid })
	c.solve(t, s, m, from.Examples[at], repeat)
	made := Made{Requests: maps.Clone(from.Requests), Examples: from.Examples}
	maps.Copy(made.Requests, m.requests)
	var err error
	made.Run, err = runlog.Open(c.Dir)
	check(t, err)
	return made
}

// begin writes the part of the episode before the changed message, and a changed observation.
func (c Config) begin(t testing.TB, from Made, fork runlog.Fork) {
	t.Helper()
	events, err := from.Run.Events(fork.Episode)
	check(t, err)
	end := slices.IndexFunc(events, func(ev runlog.Event) bool { return ev.Type == runlog.TypeCall && ev.Step == fork.Step })
	if fork.Changed == runlog.ForkObservation {
		end++
	}
	w, err := runlog.OpenWriter(c.Dir, runlog.WriterConfig{Now: now, Redact: c.Redact})
	check(t, err)
	check(t, w.Copy(from.Run, events[:end]))
	if fork.Changed == runlog.ForkObservation {
		c.observe(t, w, fork)
	}
	check(t, w.Close())
}

func (c Config) observe(t testing.TB, w *runlog.Writer, fork runlog.Fork) {
	t.Helper()
	r, err := runlog.Open(c.Dir)
	check(t, err)
	uuid, repeat := qa.SplitEpisodeID(fork.Episode)
	begun, err := r.Episode(uuid, repeat)
	check(t, err)
	log, err := w.Begin(uuid, repeat, &begun)
	check(t, err)
	s := begun.Steps[fork.Step-1]
	s.Observation, s.Acted = &qa.Observation{Status: qa.StatusOK, Text: string(w.Redact([]byte("another result: ≥ 3 € " + c.Private)))}, s.Ended
	check(t, log.Observation(s))
}
