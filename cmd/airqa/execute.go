package main

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
	"airqa/llm"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run"
	"airqa/run/budget"
	"airqa/run/runlog"
)

// maxEqualFailures episodes in a row that fail for one reason end a start.
const maxEqualFailures = 10

// loopForm names how replies lead to actions; it changes when the same replies would lead elsewhere.
const loopForm = "react-2"

// plan is what the jobs of a start have in common.
type plan struct {
	world *env.Env
	// examples are all questions of the file, picked those to run.
	examples, picked []qa.Example
	// missing is what the picked questions lacked before any of them was skipped.
	missing  dataset.Missing
	settings qa.Settings
	workers  int
	repeats  int
	retry    string
	budget   budgetFlags
	note     runlog.Note
	chain
	// only tells which episodes belong to this start; nil takes all.
	only func(uuid string, repeat int) bool
	// check refuses a configuration before anything is made of it. May be nil.
	check func(runlog.Config) error
	// seed puts into a new log what it begins with. May be nil.
	seed func(*runlog.Writer) error
}

// episodes counts those of a start.
func (p plan) episodes() int {
	if p.only == nil {
		return len(p.picked) * p.repeats
	}
	n := 0
	for _, ex := range p.picked {
		for repeat := range p.repeats {
			if p.only(ex.UUID, repeat) {
				n++
			}
		}
	}
	return n
}

// ended is how one job came out.
type ended struct {
	job
	run.Summary
	err error
}

// opened is a job with its run directory.
type opened struct {
	job
	solver   run.Solver
	writer   *runlog.Writer
	recorded map[string]runlog.Recorded
	// skip tells which recorded episodes are left alone; nil leaves it to --retry.
	skip     func(runlog.Recorded) bool
	forecast func(qa.Request) qa.Usage
}

// execute runs jobs in their run directories, taking up what is there. They share the workers: the next one starts when
// the one before it has no episode left to hand out. Nothing runs when any of the directories belongs to another
// configuration.
func (a *app) execute(p plan, jobs []job) ([]ended, error) {
	world, err := worldOf(a.ctx, p.world, p.settings.ByConference)
	if err != nil {
		return nil, err
	}
	account := budget.NewAccount(p.budget.limits(a.now()), budget.Spent{}, a.now)
	open := make([]*opened, 0, len(jobs))
	defer func() {
		for _, o := range open {
			_ = o.writer.Close()
		}
	}()
	for _, c := range jobs {
		o, err := a.openJob(p, c, world, account)
		if err != nil {
			return nil, err
		}
		open = append(open, o)
	}
	ctx, drain, stop := a.interrupts()
	defer stop()
	results := a.runJobs(ctx, drain, p, open, account)
	a.tryAgain(ctx, drain, p, open, account, results)
	return results, nil
}

// openJob makes or opens the run directory of a job and charges the account with what earlier starts used.
func (a *app) openJob(p plan, c job, world baselines.World, account *budget.Account) (*opened, error) {
	o := &opened{job: c, forecast: llm.Forecast(c.maxReply)}
	asked, err := p.asked(c, account, o.forecast)
	if err != nil {
		return nil, err
	}
	solver := baselines.New(c.baseline, world, asked, p.settings)
	o.solver = p.solver(solver)
	if err := a.createRun(p, c, solver, world.Schema); err != nil {
		return nil, err
	}
	if o.writer, err = runlog.OpenWriter(c.dir, runlog.WriterConfig{Redact: a.redactor(), Now: a.now}); err != nil {
		return nil, err
	}
	if o.writer.Torn > 0 {
		a.say("note: %s: a half-written last line of %d bytes was cut off", c.dir, o.writer.Torn)
	}
	if err := keepTools(o.writer, solver); err != nil {
		return nil, errors.Join(err, o.writer.Close())
	}
	if p.seed != nil {
		if err := p.seed(o.writer); err != nil {
			return nil, errors.Join(err, o.writer.Close())
		}
	}
	var lost damage
	if o.recorded, lost, err = recordedIn(c.dir); err != nil {
		return nil, errors.Join(err, o.writer.Close())
	}
	a.warnOfDamage(c.dir, lost)
	account.Charge(spentIn(o.recorded, c.price))
	return o, nil
}

// keepTools stores the texts of the tools that run.json names by hash.
func keepTools(w *runlog.Writer, solver *baselines.Solver) error {
	_, tools, err := solver.Texts()
	if err != nil {
		return err
	}
	return w.KeepTexts(tools)
}

// createRun makes the run directory, or refuses one that belongs to another configuration.
func (a *app) createRun(p plan, c job, solver *baselines.Solver, schema string) error {
	config, questions, err := a.recordOf(p, c, solver, schema)
	if err != nil {
		return err
	}
	if p.check != nil {
		if err := p.check(config); err != nil {
			return err
		}
	}
	err = runlog.Create(c.dir, config, a.redactor()(questions))
	var mismatch *runlog.MismatchError
	if errors.As(err, &mismatch) {
		return coded{exitUsage, fmt.Errorf("%w\n  %s", err, adviceOn(mismatch.Diff))}
	}
	if err != nil {
		return err
	}
	return a.warnOfPrice(c)
}

// warnOfPrice tells of a price that is not the one which the run was begun with: its record is written once.
func (a *app) warnOfPrice(c job) error {
	config, err := runlog.ReadConfig(c.dir)
	if err != nil {
		return err
	}
	if begun := config.Note.Price; !samePrice(begun, c.price) {
		a.say("warning: %s was begun with the price %s and is budgeted with %s now; status and reports count by the first", c.dir, priceText(begun), priceText(c.price))
	}
	return nil
}

// adviceOn is what to do about a run directory of another configuration.
func adviceOn(differences []string) string {
	texts := func(line string) bool {
		return strings.HasPrefix(line, "prompts.") || strings.HasPrefix(line, "tools.")
	}
	if slices.ContainsFunc(differences, texts) {
		return "Another version of airqa, with other prompts, began this run: it can be scored and reported, but not resumed. Choose another --out"
	}
	return "Choose another --out, or repeat the settings of the run that is there"
}

// recordOf is what the run directory of a job says of it, and the questions as JSON Lines.
func (a *app) recordOf(p plan, c job, solver *baselines.Solver, schema string) (runlog.Config, []byte, error) {
	questions, err := dataset.Lines(p.examples)
	if err != nil {
		return runlog.Config{}, nil, err
	}
	described, note := maps.Clone(c.described), p.note
	if base, ok := described["base_url"].(string); ok {
		note.BaseURL = base
		delete(described, "base_url")
	}
	note.QuestionCount, note.Price = len(p.examples), c.price
	if p.repeats > 1 {
		note.Repeats = p.repeats
	}
	settings := p.settings.Record()
	maps.Copy(settings, p.world.Retrieval())
	prompts, tools, err := solver.Texts()
	if err != nil {
		return runlog.Config{}, nil, err
	}
	for name, text := range tools {
		tools[name] = runlog.Hash(text)
	}
	config, err := runlog.Config{
		Program: program, Created: a.now().UTC(), Note: note,
		Shape: runlog.Shape{
			Baseline: c.baseline.Name, Model: described, Settings: settings, Prompts: prompts, Tools: tools,
			Schema: runlog.Hash(schema), Data: p.world.Fingerprint(), Questions: runlog.Hash(string(questions)), Loop: loopForm,
		},
	}.Redacted(runlog.Redactor(keys(a.getenv), "")) // paths of the note stay as given
	return config, questions, err
}

// runJobs runs the jobs one behind the other over shared workers.
func (a *app) runJobs(ctx context.Context, drain <-chan struct{}, p plan, jobs []*opened, account *budget.Account) []ended {
	results := make([]ended, len(jobs))
	slots := make(chan struct{}, p.workers)
	var all sync.WaitGroup
	for i, c := range jobs {
		board := a.newBoard(c, p, account)
		runner, err := run.New(a.runConfig(p, c, slots, board))
		results[i] = ended{job: c.job, err: err}
		if err != nil {
			continue
		}
		all.Go(func() {
			results[i].Summary, results[i].err = runner.Run(ctx, drain, p.picked)
			board.close(results[i].Summary)
		})
		<-runner.Fed()
	}
	all.Wait()
	return results
}

func (a *app) runConfig(p plan, c *opened, slots chan struct{}, b *board) run.Config {
	config := run.Config{
		Solver: c.solver, Writer: c.writer, Recorded: c.recorded, Workers: p.workers, Slots: slots, Repeats: p.repeats, Now: a.now,
		Budget: questionBudget(p.settings.QuestionLimits, c.forecast, c.price), MaxEqualFailures: maxEqualFailures, Progress: b.note,
		Outage: func(wait time.Duration, reason string) {
			a.say("%s: every question fails now (%s); the next one starts in %s (Ctrl-C stops)", c.name, reason, wait)
		},
	}
	config.Only, config.Skip = p.only, c.skip
	if p.replay != nil {
		config.MaxEqualFailures = 0 // recorded failures are no reason to wait
	}
	switch p.retry {
	case "none":
		config.Skip = func(rec runlog.Recorded) bool { return rec.Outcome != "" }
	case "all":
		config.Skip = func(rec runlog.Recorded) bool { return rec.Outcome != "" && !rec.Outcome.Failed() }
	}
	return config
}

// newBoard opens the bar of a job.
func (a *app) newBoard(c *opened, p plan, account *budget.Account) *board {
	byUUID := make(map[string]qa.Evaluator, len(p.picked))
	for _, ex := range p.picked {
		byUUID[ex.UUID] = ex.Evaluator
	}
	b := &board{
		app: a, stage: a.progress.Stage(c.name, p.episodes()), scorer: eval.New(eval.Config{}), evaluators: byUUID,
		price: c.price, account: account, started: a.now(), waits: c.waits,
	}
	c.waits.tell(b.refresh)
	return b
}
