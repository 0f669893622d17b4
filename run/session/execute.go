package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"airqa/baselines"
	"airqa/env"
	"airqa/eval"
	"airqa/internal/exit"
	"airqa/internal/ledger"
	"airqa/llm/cache"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run"
	"airqa/run/budget"
	"airqa/run/models"
	"airqa/run/replay"
	"airqa/run/shard"
	"airqa/runlog"
)

// maxEqualFailures is the number of consecutive episodes failing for one reason that end an invocation.
const maxEqualFailures = 10

// loopForm is the version of the episode loop; it changes if the same replies would lead to different actions.
const loopForm = "react-2"

// Plan is what the jobs of an invocation share.
type Plan struct {
	World *env.Env
	// Examples are all questions of the file, Picked the selected ones.
	Examples, Picked []qa.Example
	// Missing lists what the picked questions lacked before any of them was skipped.
	Missing  dataset.Missing
	Settings qa.Settings
	// Share is the shard that the picked questions are; nil if the run is not divided.
	Share *shard.Share
	// Workers is the number of concurrent episodes, Repeats the number per question.
	Workers, Repeats int
	// Retry is "errors", "none" or "all": which finished episodes to run again.
	Retry string
	// Limits are those of the whole run, earlier invocations included.
	Limits budget.Limits
	Note   runlog.Note
	// Cache has earlier replies; may be nil.
	Cache *cache.Store
	// Replay replays a recorded run; may be nil.
	Replay *replay.Source
	// First wraps the model outside cache and budget. May be nil.
	First func(qa.Model) qa.Model
	// Only reports which episodes belong to this invocation; nil means all.
	Only func(uuid string, repeat int) bool
	// Watch receives each new step, see [run.Config]. May be nil.
	Watch func(uuid string, s qa.Step)
	// Check rejects a configuration before anything is written. May be nil.
	Check func(runlog.Config) error
	// Seed writes the start of a new log. May be nil.
	Seed func(*runlog.Writer) error
}

// Job is one baseline with one model, in a run directory of its own.
type Job struct {
	Baseline baselines.Baseline
	models.Model
	Dir string
	// Name is the label of its progress bar.
	Name string
}

// Episodes returns the number of episodes per job of an invocation.
func (p Plan) Episodes() int {
	if p.Only == nil {
		return len(p.Picked) * p.Repeats
	}
	n := 0
	for _, ex := range p.Picked {
		for repeat := range p.Repeats {
			if p.Only(ex.UUID, repeat) {
				n++
			}
		}
	}
	return n
}

// Ended is the result of one job.
type Ended struct {
	Job
	run.Summary
	Tally Tally
	Err   error
}

// running is a job with its run directory.
type running struct {
	Job
	solver   run.Solver
	writer   *runlog.Writer
	recorded map[string]runlog.Recorded
	// skip reports which recorded episodes not to run; nil follows --retry.
	skip func(runlog.Recorded) bool
}

// Execute runs jobs in their run directories and resumes existing runs. Jobs share the workers: the next one starts
// when the previous one has no episode left to start. Nothing runs if any directory belongs to another configuration.
func (s Session) Execute(ctx context.Context, p Plan, jobs []Job) ([]Ended, error) {
	world, err := WorldOf(ctx, p.World, p.Settings.ByConference)
	if err != nil {
		return nil, err
	}
	if p.Note.GoldPapers, err = goldPapers(ctx, p.World, p.Examples); err != nil {
		return nil, err
	}
	account := budget.NewAccount(p.Limits, budget.Spent{}, s.Now)
	open := make([]*running, 0, len(jobs))
	defer func() {
		for _, o := range open {
			_ = o.writer.Close()
		}
	}()
	for _, c := range jobs {
		o, err := s.openJob(p, c, world, account)
		if err != nil {
			return nil, err
		}
		open = append(open, o)
		if err := p.World.Pin(c.Dir); err != nil {
			return nil, err
		}
	}
	ctx, drain, stop := s.Interrupts()
	defer stop()
	results := s.runJobs(ctx, drain, p, open, account)
	s.secondRound(ctx, drain, p, open, account, results)
	for _, r := range results {
		if r.Err == nil && r.Left == 0 {
			if err := p.World.Unpin(r.Dir); err != nil {
				return results, err
			}
		}
	}
	return results, nil
}

// PapersOf returns the fingerprint of the papers that existing runs of the jobs saw, so that they resume with these; empty
// if there is no such run.
func PapersOf(jobs []Job) string {
	for _, j := range jobs {
		if config, err := runlog.ReadConfig(j.Dir); err == nil {
			return config.Shape.Data
		}
	}
	return ""
}

// openJob makes or opens the run directory of a job and charges the account with earlier usage.
func (s Session) openJob(p Plan, c Job, world baselines.World, account *budget.Account) (*running, error) {
	asked, err := p.connect(c, account)
	if err != nil {
		return nil, err
	}
	solver := baselines.New(c.Baseline, world, asked, p.Settings)
	o := &running{Job: c, solver: solver}
	if p.Replay != nil {
		o.solver = replay.Solver{Inner: solver, Source: p.Replay}
	}
	if err := s.createRun(p, c, solver, world.Schema); err != nil {
		return nil, err
	}
	if o.writer, err = runlog.OpenWriter(c.Dir, runlog.WriterConfig{Redact: s.Redact, Now: s.Now}); err != nil {
		return nil, err
	}
	if o.writer.Torn > 0 {
		s.Notify.Notef("%s: removed an incomplete last line of %d bytes", c.Dir, o.writer.Torn)
	}
	if err := keepTools(o.writer, solver, p.kind()); err != nil {
		return nil, errors.Join(err, o.writer.Close())
	}
	if p.Seed != nil {
		if err := p.Seed(o.writer); err != nil {
			return nil, errors.Join(err, o.writer.Close())
		}
	}
	var lost damage
	if o.recorded, lost, err = recordedIn(c.Dir); err != nil {
		return nil, errors.Join(err, o.writer.Close())
	}
	s.warnOfDamage(c.Dir, lost)
	account.Charge(spentIn(o.recorded, c.Price))
	return o, nil
}

// connect is the model of a job as its agent sees it. A replay needs neither cache nor budget.
func (p Plan) connect(j Job, account *budget.Account) (qa.Model, error) {
	if p.Replay != nil {
		return p.Replay, nil
	}
	connected, err := j.Connect(models.Requests{Account: account, Cache: p.Cache, Protocol: p.Settings.Protocol})
	if err != nil {
		return nil, err
	}
	if p.First != nil {
		return p.First(connected.Model), nil
	}
	return connected.Model, nil
}

// keepTools stores the texts of the tools that run.json names by hash.
func keepTools(w *runlog.Writer, solver *baselines.Solver, kind qa.Kind) error {
	_, tools, err := solver.Texts(kind)
	if err != nil {
		return err
	}
	return w.KeepTexts(tools)
}

// createRun makes the run directory, or rejects one that belongs to another configuration.
func (s Session) createRun(p Plan, c Job, solver *baselines.Solver, schema string) error {
	config, questions, err := s.Record(p, c, solver, schema)
	if err != nil {
		return err
	}
	if p.Check != nil {
		if err := p.Check(config); err != nil {
			return err
		}
	}
	err = runlog.Create(c.Dir, config, questions)
	var mismatch *runlog.MismatchError
	if errors.As(err, &mismatch) {
		return exit.With(exit.Usage, fmt.Errorf("%w\n  %s", err, adviceOn(mismatch.Diff)))
	}
	if err != nil {
		return err
	}
	return s.warnOfPrice(c)
}

// warnOfPrice reports a price that differs from the run's recorded one.
func (s Session) warnOfPrice(c Job) error {
	config, err := runlog.ReadConfig(c.Dir)
	if err != nil {
		return err
	}
	if was, is := models.PriceText(config.Note.Price), models.PriceText(c.Price); was != is {
		s.Notify.Warnf("%s started with the price %s, but the budget now uses %s; status and reports use the first", c.Dir, was, is)
	}
	return nil
}

// adviceOn suggests what to do about a run directory of another configuration.
func adviceOn(differences []string) string {
	texts := func(line string) bool {
		return strings.HasPrefix(line, "prompts.") || strings.HasPrefix(line, "tools.")
	}
	switch {
	case slices.ContainsFunc(differences, func(line string) bool { return strings.HasPrefix(line, "shard: ") }):
		return "A run directory belongs to one shard: choose another --out, or repeat --shard"
	case slices.ContainsFunc(differences, func(line string) bool { return strings.HasPrefix(line, "selected: ") }):
		return "The questions of a shard depend on all selected questions: repeat --sample, --tag, --limit and the like, or choose another --out"
	case slices.ContainsFunc(differences, texts):
		return "Another version of airqa, with other prompts, started this run: it can be scored and reported, but not resumed. Choose another --out"
	}
	return "Choose another --out, or repeat the settings of the existing run"
}

// kind is the kind of all questions.
func (p Plan) kind() qa.Kind {
	if len(p.Examples) == 0 {
		return ""
	}
	return p.Examples[0].Kind
}

// Record returns run.json for a job, and the redacted questions as JSON Lines.
func (s Session) Record(p Plan, c Job, solver *baselines.Solver, schema string) (runlog.Config, []byte, error) {
	questions, err := dataset.Lines(p.Examples)
	if err != nil {
		return runlog.Config{}, nil, err
	}
	questions = ledger.RedactStrings(questions, s.Redact)
	described, note := maps.Clone(c.Described), p.Note
	if base, ok := described["base_url"].(string); ok {
		note.BaseURL = base
		delete(described, "base_url")
	}
	note.QuestionCount, note.Price = len(p.Examples), c.Price
	if p.Repeats > 1 {
		note.Repeats = p.Repeats
	}
	note.Tools = c.Baseline.Tools
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
		Baseline: c.Baseline.Name, Model: described, Settings: settings, Prompts: prompts, Tools: tools,
		Schema: runlog.Hash(schema), Data: p.World.Fingerprint(), Questions: runlog.Hash(string(questions)), Loop: loopForm,
	}
	if p.Share != nil {
		shape.Shard, shape.Selected, note.ShardQuestions = p.Share.String(), p.Share.Selected, p.Share.UUIDs
	}
	config, err := runlog.Config{Program: s.Program, Created: s.Now().UTC(), Note: note, Shape: shape}.
		Redacted(s.RedactKeys) // paths of the note stay as given
	return config, questions, err
}

// runJobs runs the jobs in sequence over shared workers.
func (s Session) runJobs(ctx context.Context, drain <-chan struct{}, p Plan, jobs []*running, account *budget.Account) []Ended {
	results := make([]Ended, len(jobs))
	slots := make(chan struct{}, p.Workers)
	var all sync.WaitGroup
	for i, c := range jobs {
		board := s.newBoard(c, p, account)
		runner, err := run.New(s.runConfig(p, c, slots, board))
		results[i] = Ended{Job: c.Job, Err: err}
		if err != nil {
			continue
		}
		all.Go(func() {
			results[i].Summary, results[i].Err = runner.Run(ctx, drain, p.Picked)
			results[i].Tally = board.close(results[i].Summary)
		})
		<-runner.Fed()
	}
	all.Wait()
	return results
}

func (s Session) runConfig(p Plan, c *running, slots chan struct{}, b *board) run.Config {
	config := run.Config{
		Solver: c.solver, Writer: c.writer, Recorded: c.recorded, Workers: p.Workers, Slots: slots, Repeats: p.Repeats, Now: s.Now,
		Budget: QuestionBudget(p.Settings.QuestionLimits, c.Forecast(), c.Price), MaxEqualFailures: maxEqualFailures, Progress: b.add,
		Outage: func(wait time.Duration, reason string) {
			s.Notify.Infof("%s: every question is failing (%s); next attempt in %s (Ctrl-C stops)", c.Name, reason, wait)
		},
	}
	config.Only, config.Skip, config.Watch = p.Only, c.skip, p.Watch
	if p.Replay != nil {
		config.MaxEqualFailures = 0 // recorded failures are no reason to wait
	}
	switch p.Retry {
	case "none":
		config.Skip = func(rec runlog.Recorded) bool { return rec.Outcome != "" }
	case "all":
		config.Skip = func(rec runlog.Recorded) bool { return rec.Outcome != "" && !rec.Outcome.Failed() }
	}
	return config
}

// newBoard opens the progress bar of a job.
func (s Session) newBoard(c *running, p Plan, account *budget.Account) *board {
	byUUID := make(map[string]qa.Evaluator, len(p.Picked))
	for _, ex := range p.Picked {
		byUUID[ex.UUID] = ex.Evaluator
	}
	b := &board{
		Session: s, stage: s.Progress.Stage(c.Name, p.Episodes()), scorer: eval.New(eval.Config{}), evaluators: byUUID,
		price: c.Price, account: account, started: s.Now(), model: c.Model, only: len(p.Picked) == 1,
	}
	c.OnWait(b.refresh)
	return b
}
