package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"airqa/baselines"
	"airqa/env"
	"airqa/eval"
	"airqa/llm"
	"airqa/qa"
	"airqa/qa/dataset"
	"airqa/run"
	"airqa/run/runlog"
)

// maxEqualFailures episodes in a row that fail for one reason end a start.
const maxEqualFailures = 10

// loopForm names how replies lead to actions; it changes when the same replies would lead elsewhere.
const loopForm = "react-1"

type runCmd struct {
	dataFlags
	Questions string `required:"" placeholder:"FILE" help:"Questions in AirQA form: JSON Lines, or a folder of JSON files."`
	Baseline  string `required:"" placeholder:"NAME" help:"Baseline; airqa baselines lists them."`
	Out       string `required:"" placeholder:"DIR" help:"Run directory. The same command again finishes what is left in it."`
	modelFlags
	Workers  int      `short:"j" default:"4" help:"Episodes at once."`
	Limit    int      `placeholder:"N" help:"Only the first N questions."`
	Retrieve env.Mode `default:"dense" enum:"dense,bm25,hybrid" help:"How Retrieve searches: dense (paper), bm25 or hybrid."`
	settingFlags
}

// settingFlags are the numbers of a baseline.
type settingFlags struct {
	Turns        int  `default:"20" help:"Most turns of an agent (paper: 20)."`
	Window       int  `default:"5" help:"Turns that the model is shown (paper: 5)."`
	ByConference bool `name:"by-conference" help:"Limit retrieval for a question that names conferences and no paper to the papers of those."`
}

func (s settingFlags) settings() baselines.Settings {
	set := baselines.Defaults()
	set.Turns, set.Window, set.ByConference = s.Turns, s.Window, s.ByConference
	return set
}

// Help implements kong.HelpProvider.
func (runCmd) Help() string {
	return `Examples:
  airqa run --data papers --questions q.jsonl --baseline agentic-hybrid --model openai:gpt-4o --out runs/hybrid -j 8
  OPENAI_BASE_URL=http://127.0.0.1:8000/v1 airqa run --data papers --questions q.jsonl --baseline rag --model openai:Qwen2.5-72B-Instruct --out runs/rag --limit 20

Ctrl-C once lets the episodes under way end, twice stops them where they are; the same command goes on from there.`
}

// Run implements the sub-command.
func (c runCmd) Run(a *app) error {
	baseline, err := baselines.Find(c.Baseline)
	if err != nil {
		return coded{exitUsage, err}
	}
	if err := c.check(); err != nil {
		return err
	}
	model, described, err := c.modelFlags.open(a.getenv)
	if err != nil {
		return err
	}
	examples, err := a.loadQuestions(c.Questions)
	if err != nil {
		return err
	}
	world, err := c.dataFlags.open(a, c.Retrieve, 0)
	if err != nil {
		return err
	}
	defer func() { _ = world.Close() }()
	if err := a.warnOfMissing(world, examples); err != nil {
		return err
	}
	sum, err := a.execute(job{
		baseline: baseline, model: model, described: described, world: world, examples: examples,
		settings: c.settings(), out: c.Out, workers: c.Workers, limit: c.Limit,
		note: runlog.Note{QuestionsFile: c.Questions, DataDir: c.Data},
	})
	return a.runEnd(sum, c.Out, err)
}

func (c runCmd) check() error {
	switch {
	case c.Workers < 1:
		return misuse("-j %d: at least one episode at once", c.Workers)
	case c.Out == "":
		return misuse("--out is empty: name a run directory")
	case c.Limit < 0:
		return misuse("--limit %d: a limit counts questions", c.Limit)
	case c.Turns < 1 || c.Window < 1:
		return misuse("--turns and --window must be at least 1")
	}
	return nil
}

// loadQuestions reads examples and reports the faulty ones.
func (a *app) loadQuestions(path string) ([]qa.Example, error) {
	examples, faults, err := dataset.Load(path, eval.Check)
	for _, f := range faults {
		kept := "left out"
		if f.Loaded {
			kept = "kept"
		}
		a.say("warning: %v (%s)", f, kept)
	}
	return examples, err
}

// warnOfMissing tells of papers that questions name and the data directory does not hold.
func (a *app) warnOfMissing(world *env.Env, examples []qa.Example) error {
	papers, err := world.Papers(a.ctx)
	if err != nil {
		return err
	}
	held := make(map[string]bool, len(papers))
	for _, p := range papers {
		held[p.PaperID] = true
	}
	questions, first := 0, ""
	for _, ex := range examples {
		i := slices.IndexFunc(ex.AnchorPDF, func(id string) bool { return !held[id] })
		if i < 0 {
			continue
		}
		if questions == 0 {
			first = ex.AnchorPDF[i]
		}
		questions++
	}
	if questions > 0 {
		a.say("warning: %d of %d questions name papers that are not in the data directory, such as %s; ingest them, or the agent cannot find them",
			questions, len(examples), first)
	}
	return nil
}

// job is one baseline over one list of questions.
type job struct {
	baseline  baselines.Baseline
	model     llm.Model
	described map[string]any
	world     *env.Env
	examples  []qa.Example
	settings  baselines.Settings
	out       string
	workers   int
	limit     int
	note      runlog.Note
}

// execute runs a job in its run directory, taking up what is there.
func (a *app) execute(j job) (run.Summary, error) {
	world, err := worldOf(a.ctx, j.world)
	if err != nil {
		return run.Summary{}, err
	}
	solver := baselines.New(j.baseline, world, endpoint{j.model}, j.settings)
	if err := a.createRun(j, solver, world.Schema); err != nil {
		return run.Summary{}, err
	}
	writer, err := runlog.OpenWriter(j.out, runlog.WriterConfig{Redact: a.redactor(), Now: a.now})
	if err != nil {
		return run.Summary{}, err
	}
	defer func() { _ = writer.Close() }()
	if writer.Torn > 0 {
		a.say("note: %s: a half-written last line of %d bytes was cut off", j.out, writer.Torn)
	}
	recorded, err := recordedIn(j.out)
	if err != nil {
		return run.Summary{}, err
	}
	return a.runAll(j, solver, writer, recorded)
}

// createRun makes the run directory, or refuses one that belongs to another configuration.
func (a *app) createRun(j job, solver *baselines.Solver, schema string) error {
	questions, err := dataset.Lines(j.examples)
	if err != nil {
		return err
	}
	if base, ok := j.described["base_url"].(string); ok {
		j.note.BaseURL = base
		j.described = maps.Clone(j.described)
		delete(j.described, "base_url")
	}
	settings := j.settings.Map()
	maps.Copy(settings, j.world.Retrieval())
	prompts, tools, err := solver.Texts()
	if err != nil {
		return err
	}
	for name, text := range tools {
		tools[name] = runlog.Hash(text)
	}
	j.note.QuestionCount = len(j.examples)
	err = runlog.Create(j.out, runlog.Config{
		Program: program, Created: a.now().UTC(), Note: j.note,
		Shape: runlog.Shape{
			Baseline: j.baseline.Name, Model: j.described, Settings: settings, Prompts: prompts, Tools: tools,
			Schema: runlog.Hash(schema), Data: j.world.Fingerprint(), Questions: runlog.Hash(string(questions)), Loop: loopForm,
		},
	}, a.redactor()(questions))
	var mismatch *runlog.MismatchError
	if errors.As(err, &mismatch) {
		return coded{exitUsage, fmt.Errorf("%w\n  Choose another --out, or repeat the settings of the run that is there", err)}
	}
	return err
}

// recordedIn reads what the log of a run directory holds. Of finished episodes only the outcome is kept.
func recordedIn(dir string) (map[string]runlog.Recorded, error) {
	r, err := runlog.Open(dir)
	if err != nil {
		return nil, err
	}
	if len(r.BadLines) > 0 {
		return nil, fmt.Errorf("%s: %w; move the directory away or mend the line", dir, r.BadLines[0])
	}
	recorded := make(map[string]runlog.Recorded)
	for rec, err := range r.Episodes() {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		if rec.Finished() {
			rec.Messages, rec.Steps = nil, nil
		} else if err := r.LoadImages(&rec); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		recorded[rec.Episode] = rec
	}
	return recorded, nil
}

func (a *app) runAll(j job, solver *baselines.Solver, writer *runlog.Writer, recorded map[string]runlog.Recorded) (run.Summary, error) {
	examples := j.examples
	if j.limit > 0 && j.limit < len(examples) {
		examples = examples[:j.limit]
	}
	stage := a.progress.Stage(j.baseline.Name, len(examples))
	failed := 0
	runner, err := run.New(run.Config{
		Solver: solver, Writer: writer, Recorded: recorded, Workers: j.workers, Now: a.now, MaxEqualFailures: maxEqualFailures,
		Progress: func(e run.Event) {
			if e.Trajectory.Outcome.Failed() {
				failed++
				a.log.Debug("episode failed", "uuid", e.Trajectory.UUID, "reason", e.Trajectory.Reason)
			}
			stage.Set(e.Done, progressNote(failed))
		},
	})
	if err != nil {
		return run.Summary{}, err
	}
	ctx, drain, stop := a.interrupts()
	defer stop()
	sum, err := runner.Run(ctx, drain, examples)
	stage.Close(summaryLine(sum))
	return sum, err
}

func progressNote(failed int) string {
	if failed == 0 {
		return ""
	}
	return fmt.Sprintf("%d failed", failed)
}

func summaryLine(s run.Summary) string {
	parts := []string{fmt.Sprintf("%d of %d questions done", s.Skipped+s.Finished, s.Total)}
	if s.Skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d of them before", s.Skipped))
	}
	if s.Failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", s.Failed))
	}
	if s.Left > 0 {
		parts = append(parts, fmt.Sprintf("%d left", s.Left))
	}
	return strings.Join(parts, ", ")
}

// runEnd says what to do next and turns the summary into an exit code.
func (a *app) runEnd(s run.Summary, out string, err error) error {
	switch {
	case errors.Is(err, errInterrupted):
		return fmt.Errorf("stopped with %d of %d questions left; the same command goes on from here", s.Left, s.Total)
	case err != nil:
		return err
	case s.Left > 0 && s.Failed >= maxEqualFailures:
		return coded{exitFailedExamples, fmt.Errorf("stopped after %d failures, the first because: %s\n  %d of %d questions are left; the same command goes on from here",
			s.Failed, s.FirstFailure, s.Left, s.Total)}
	case s.Left > 0:
		return fmt.Errorf("stopped with %d of %d questions left; the same command goes on from here", s.Left, s.Total)
	case s.Failed > 0:
		return coded{exitFailedExamples, fmt.Errorf(
			"%d of %d questions failed, the first because: %s\n  The same command tries them again; airqa trace %s shows them all",
			s.Failed, s.Total, s.FirstFailure, out)}
	}
	a.say("next: airqa score %s", out)
	return nil
}
