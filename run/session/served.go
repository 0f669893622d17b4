package session

import (
	"context"

	"airqa/baselines"
	"airqa/qa"
	"airqa/run/models"
	"airqa/runlog"
)

// ServedProvider is the provider in run.json of a run whose replies come from clients of airqa serve.
const ServedProvider = "served"

// Served is a run directory for the episodes of clients.
type Served struct {
	Solver *baselines.Solver
	Writer *runlog.Writer
	// Repeats are the numbers of the next episodes, by the uuids of questions that have some.
	Repeats map[string]int
}

// ServedJob is the job of a served baseline: its model is a name for the clients.
func ServedJob(b baselines.Baseline, name, dir string) Job {
	described := map[string]any{"provider": ServedProvider, "model": name}
	return Job{Baseline: b, Model: models.Model{Spec: ServedProvider + ":" + name, Described: described}, Dir: dir, Name: b.Name}
}

// Serve makes or opens the run directory of the only job of a plan. Without a directory, it only makes the solver.
func (s Session) Serve(ctx context.Context, p Plan) (served Served, err error) {
	world, err := NewWorld(ctx, p.World, p.Settings.ByConference, p.Examples)
	if err != nil {
		return served, err
	}
	served.Solver = baselines.New(p.Jobs[0].Baseline, world, nil, p.Settings)
	if p.Jobs[0].Dir == "" { // nothing is recorded
		return served, nil
	}
	if p.Note.GoldPapers, err = goldPapers(ctx, p.World, p.Examples); err != nil {
		return served, err
	}
	e := &execution{Session: s, plan: p}
	var recorded map[string]runlog.Recorded
	if served.Writer, recorded, err = e.openDir(p.Jobs[0], served.Solver, world.Schema); err != nil {
		return served, err
	}
	served.Repeats = make(map[string]int)
	for id := range recorded {
		uuid, repeat := qa.SplitEpisodeID(id)
		served.Repeats[uuid] = max(served.Repeats[uuid], repeat+1)
	}
	return served, nil
}
