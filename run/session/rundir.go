package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"airqa/baselines"
	"airqa/internal/files"
	"airqa/internal/ledger"
	"airqa/internal/terminal"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/runlog"
)

// loopForm is the version of the episode loop; it changes if the same replies would lead to different actions.
const loopForm = "react-1"

// openJob makes or opens the run directory of a job and charges the account with earlier usage.
func (e *execution) openJob(j Job, world baselines.World) (_ *running, err error) {
	p := e.plan
	asked, err := j.Connect(models.Requests{Account: e.account, Cache: p.Cache, Protocol: p.Settings.Protocol})
	if err != nil {
		return nil, err
	}
	if p.Fork != nil {
		asked = changed{asked, p.Fork}
	}
	solver := baselines.New(j.Baseline, world, stoppable{asked, e.Stopped}, p.Settings)
	config, questions, err := e.Record(p, j, solver, world.Schema)
	if err != nil {
		return nil, err
	}
	if p.CacheFrom != nil {
		e.fillCache(j, config, solver.Offered(qa.Example{Kind: p.kind()}))
	}
	r := &running{Ended: Ended{Job: j}, solver: solver}
	if r.writer, r.recorded, err = e.openDir(j, solver, config, questions); err != nil {
		return nil, err
	}
	var earlier budget.Spent
	for _, rec := range r.recorded {
		earlier.Usage = earlier.Usage.Add(rec.Spent)
	}
	if j.Price != nil {
		earlier.USD = j.Price.Of(earlier.Usage)
	}
	e.account.Charge(earlier)
	return r, nil
}

// stoppable is a model that starts no call once stopped is closed: episodes are left at their next call.
type stoppable struct {
	qa.Model
	stopped <-chan struct{}
}

// Complete calls the model.
func (s stoppable) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	select {
	case <-s.stopped:
		return qa.Reply{}, &qa.SuspendedError{Reason: qa.ErrInterrupted.Error()}
	default:
		return s.Model.Complete(ctx, r)
	}
}

// openDir makes or opens the run directory of a job and reads what it has.
func (e *execution) openDir(
	j Job, solver *baselines.Solver, config runlog.Config, questions []byte,
) (w *runlog.Writer, recorded map[string]runlog.Recorded, err error) {
	if err := e.createRun(j, config, questions); err != nil {
		return nil, nil, err
	}
	if w, err = runlog.OpenWriter(j.Dir, runlog.WriterConfig{Redact: e.Redact, Now: e.Now}); err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if w.Torn > 0 {
		e.Notify.Notef("%s: removed an incomplete last line of %d bytes", j.Dir, w.Torn)
	}
	_, tools, err := solver.Texts(e.plan.kind())
	if err == nil {
		err = w.KeepTexts(tools) // run.json names them by hash
	}
	if err == nil {
		err = e.takeEpisodes(j, w)
	}
	if err != nil {
		return w, nil, err
	}
	recorded, lost, err := recordedIn(j.Dir)
	if err != nil {
		return w, nil, err
	}
	if n := len(lost.lines); n > 0 {
		e.Notify.Warnf("%s: %s of %s cannot be read, such as line %d", j.Dir, terminal.Plural(n, "line"), runlog.LogFile, lost.lines[0].Line)
	}
	if lost.episodes > 0 {
		e.Notify.Warnf("%s: %s will run again because events are missing or damaged; lost: %s, %d tokens; the first: %v", j.Dir,
			terminal.Plural(lost.episodes, "episode"), terminal.Plural(lost.calls, "call"), lost.usage.Prompt+lost.usage.Completion, lost.first)
	}
	return w, recorded, nil
}

// from is the run whose episodes a job takes over.
func (e *execution) from(j Job) string {
	if len(e.plan.Jobs) > 1 {
		return filepath.Join(e.plan.From, filepath.Base(j.Dir))
	}
	return e.plan.From
}

// takeEpisodes makes the start of a log. It copies the episodes and verdicts of another run that a run directory does not have.
func (e *execution) takeEpisodes(j Job, w *runlog.Writer) error {
	switch {
	case e.plan.Fork != nil:
		return e.plan.Fork.start(j.Dir, w)
	case e.plan.From == "":
		return nil
	}
	from := e.from(j)
	run, err := runlog.Open(from)
	if errors.Is(err, runlog.ErrNoRun) { // see createRun
		return nil
	}
	if err != nil {
		return err
	}
	to, err := runlog.Open(j.Dir)
	if err != nil {
		return err
	}
	if _, err := w.CopyBlobs(from); err != nil {
		return err
	}
	wanted := make(map[string]bool)
	for _, ex := range e.plan.Picked {
		wanted[ex.UUID] = true
	}
	for _, id := range run.UUIDs() {
		if uuid, _ := qa.SplitEpisodeID(id); wanted[uuid] {
			if err := w.CopyEpisode(run, to, id); err != nil {
				return err
			}
		}
	}
	verdicts := filepath.Join(j.Dir, runlog.VerdictsFile)
	if _, missing := os.Stat(verdicts); missing != nil {
		err = files.IgnoreMissing(files.Copy(verdicts, filepath.Join(from, runlog.VerdictsFile)))
	}
	return errors.Join(err, w.Sync())
}

// createRun makes the run directory, or rejects one that belongs to another configuration with a [runlog.MismatchError].
func (e *execution) createRun(j Job, config runlog.Config, questions []byte) (err error) {
	if e.plan.Fork != nil {
		err = e.plan.Fork.check(e.Notify, config)
	}
	if err == nil && e.plan.From != "" {
		undivided := config.Shape
		undivided.Shard, undivided.Selected = "", ""
		_, err = runlog.Check(e.from(j), undivided)
		begun := func(j Job) bool { // a folder of several runs may lack those that have not begun
			_, missing := runlog.ReadConfig(e.from(j))
			return missing == nil
		}
		if err == nil && !slices.ContainsFunc(e.plan.Jobs, begun) {
			err = &qa.UsageError{Err: runlog.NoRun(e.plan.From)}
		}
	}
	if err == nil {
		err = runlog.Create(j.Dir, config, questions)
	}
	if err != nil {
		return err
	}
	existing, err := runlog.ReadConfig(j.Dir)
	if err != nil {
		return err
	}
	if was, is := models.PriceText(existing.Note.Price), models.PriceText(j.Price); was != is {
		e.Notify.Warnf("%s started with the price %s, but the budget now uses %s; status and reports use the first", j.Dir, was, is)
	}
	return nil
}

// Record returns run.json for a job, and the redacted questions as JSON Lines.
func (s Session) Record(p Plan, j Job, solver *baselines.Solver, schema string) (runlog.Config, []byte, error) {
	questions, err := dataset.Lines(p.Examples)
	if err != nil {
		return runlog.Config{}, nil, err
	}
	questions = ledger.RedactStrings(questions, s.Redact)
	described, note := maps.Clone(j.Described), p.Note
	if base, ok := described["base_url"].(string); ok {
		note.BaseURL = base
		delete(described, "base_url")
	}
	note.QuestionCount, note.Headers, note.Price = len(p.Examples), j.Headers, j.Price
	if p.Repeats > 1 {
		note.Repeats = p.Repeats
	}
	note.Tools, note.Prompts = j.Baseline.Tools, solver.Own()
	settings := p.Settings.Record()
	maps.Copy(settings, p.World.Retrieval())
	prompts, tools, err := solver.Texts(p.kind())
	if err != nil {
		return runlog.Config{}, nil, err
	}
	for name, text := range tools {
		tools[name] = runlog.Hash(text)
	}
	shape := runlog.Shape{
		Baseline: j.Baseline.Name, Model: described, Settings: settings, Prompts: prompts, Tools: tools,
		Schema: runlog.Hash(schema), Data: p.World.Fingerprint(), Questions: runlog.Hash(string(questions)), Loop: loopForm,
	}
	if p.Share != nil {
		shape.Shard, shape.Selected, note.ShardQuestions = p.Share.String(), p.Share.Selected, p.Share.UUIDs
	}
	config, err := runlog.Config{Program: s.Program, Created: s.Now().UTC(), Note: note, Shape: shape}.
		Redacted(s.RedactKeys) // paths of the note stay as given
	return config, questions, err
}

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
		damaged, isDamaged := errors.AsType[*runlog.DamageError](err)
		_, isMissing := errors.AsType[*runlog.BlobError](err)
		switch {
		case isDamaged || isMissing && !rec.Finished():
			lost.episodes++
			lost.first = cmp.Or(lost.first, err)
			lost.calls, lost.usage = lost.calls+rec.Turns(), lost.usage.Add(rec.Usage())
			if isDamaged {
				rec.Spent = rec.Spent.Add(damaged.After)
				lost.calls, lost.usage = lost.calls+damaged.Calls, lost.usage.Add(damaged.After)
			}
			rec = runlog.Recorded{Trajectory: qa.Trajectory{Episode: rec.Episode}, Spent: rec.Spent}
		case err != nil && !isMissing:
			return nil, lost, fmt.Errorf("%s: %w", dir, err)
		case rec.Finished():
			rec.Messages, rec.Steps = nil, nil
		}
		recorded[rec.Episode] = rec
	}
	return recorded, lost, nil
}

// Served is a run directory for the episodes of clients.
type Served struct {
	Solver *baselines.Solver
	Writer *runlog.Writer
	// Repeats are the numbers of the next episodes, by the uuids of questions that have some.
	Repeats map[string]int
}

// ServedJob is the job of a served baseline: its model is a name for the clients of airqa serve.
func ServedJob(b baselines.Baseline, name, dir string) Job {
	m := models.Model{Spec: "served:" + name, Described: map[string]any{"provider": "served", "model": name}}
	return Job{Baseline: b, Model: m, Dir: dir, Name: b.Name}
}

// Serve makes or opens the run directory of the only job of a plan. Without a directory, it only makes the solver.
func (s Session) Serve(ctx context.Context, p Plan) (served Served, err error) {
	world, err := s.OpenWorld(ctx, &p)
	if err != nil {
		return served, err
	}
	served.Solver = baselines.New(p.Jobs[0].Baseline, world, nil, p.Settings)
	if p.Jobs[0].Dir == "" { // nothing is recorded
		return served, nil
	}
	config, questions, err := s.Record(p, p.Jobs[0], served.Solver, world.Schema)
	if err != nil {
		return served, err
	}
	e := &execution{Session: s, plan: p}
	var recorded map[string]runlog.Recorded
	if served.Writer, recorded, err = e.openDir(p.Jobs[0], served.Solver, config, questions); err != nil {
		return served, err
	}
	served.Repeats = make(map[string]int)
	for id := range recorded {
		uuid, repeat := qa.SplitEpisodeID(id)
		served.Repeats[uuid] = max(served.Repeats[uuid], repeat+1)
	}
	return served, nil
}
