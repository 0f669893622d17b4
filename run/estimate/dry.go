package estimate

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"airqa/agent"
	"airqa/baselines"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/session"
	"airqa/run/status"
	"airqa/runlog"
	"airqa/tools"
)

// mostRendered is the maximum number of first prompts rendered per job; with more questions, they are sampled evenly.
const mostRendered = 200

// Dry is the estimate of an invocation.
type Dry struct {
	Jobs []JobEstimate `json:"jobs"`
	// Missing are the papers that questions name but the data directory lacks; MissingQuestions counts these questions.
	// Collections are the venues to search for which it has no paper; SearchingQuestions counts their questions. With
	// --missing skip, the counts cover the questions that would be skipped.
	Missing            []string `json:"missing_papers"`
	MissingQuestions   int      `json:"missing_questions"`
	Collections        []string `json:"missing_collections"`
	SearchingQuestions int      `json:"searching_questions"`
	// MissingChoice is how the run would treat them: stop, skip or run.
	MissingChoice string `json:"missing_choice"`
	// Total covers all jobs; nil if one of them cannot be estimated.
	Total *Estimate `json:"total"`
	// Spent is the recorded usage in the run directories, for budgets; SpentUSD is nil if a price is unknown.
	Spent    int      `json:"spent_tokens"`
	SpentUSD *float64 `json:"spent_usd"`
	Warnings []string `json:"warnings"`
}

// JobEstimate is the estimate of one job.
type JobEstimate struct {
	Dir      string `json:"run"`
	Baseline string `json:"baseline"`
	Model    string `json:"model"`
	// State is new, resumed or mismatch; Mismatch lists the differences.
	State    string   `json:"state"`
	Mismatch []string `json:"mismatch,omitempty"`
	// ToRun counts the episodes that would run, including those Begun, and Failed ones to retry.
	ToRun  int `json:"to_run"`
	Done   int `json:"done_before"`
	Failed int `json:"failed_before"`
	Begun  int `json:"begun_before"`
	// First is the size of the first prompt in cl100k tokens; nil if none could be rendered without a call.
	First    *Sizes    `json:"first_prompt"`
	Estimate *Estimate `json:"estimate"`
}

// Run estimates an invocation. It renders first prompts and reads run directories, but calls no model and writes
// nothing. With remoteVectors, searching would call an endpoint and is skipped.
func Run(ctx context.Context, s session.Session, p session.Plan, remoteVectors bool) (*Dry, error) {
	world, err := session.NewWorld(ctx, p.World, p.Settings.ByConference, p.Examples)
	if err != nil {
		return nil, err
	}
	if remoteVectors {
		world.Retriever = unsearched{}
	}
	m := p.Missing
	d := &Dry{
		Jobs: []JobEstimate{}, Warnings: []string{}, SpentUSD: new(float64), // lists in JSON, not null
		Missing: append([]string{}, m.Papers...), MissingQuestions: len(m.Named),
		Collections: append([]string{}, m.Collections...), SearchingQuestions: len(m.Searched),
	}
	if m.Any() {
		d.MissingChoice = p.Note.Missing.Choice
	}
	for _, c := range p.Jobs {
		j, err := job{s, p, c}.estimate(ctx, world)
		if err != nil {
			return nil, err
		}
		if err := d.charge(c, j.State); err != nil {
			return nil, err
		}
		d.Jobs = append(d.Jobs, j)
	}
	d.sum()
	d.warn(p, remoteVectors)
	return d, nil
}

// Mismatch returns an error if a run directory belongs to another configuration.
func (d *Dry) Mismatch() error {
	for _, j := range d.Jobs {
		if j.State == stateMismatch {
			return qa.Usagef("%s belongs to another configuration: choose another directory, or repeat the settings of the run that is there", j.Dir)
		}
	}
	return nil
}

// job is a job to estimate.
type job struct {
	session.Session
	plan session.Plan
	session.Job
}

// The states of a run directory.
const (
	stateNew      = "new"
	stateResumed  = "resumed"
	stateMismatch = "mismatch"
)

func (c job) estimate(ctx context.Context, world baselines.World) (JobEstimate, error) {
	asked := &probe{}
	solver := baselines.New(c.Baseline, world, asked, c.plan.Settings)
	j := JobEstimate{Dir: c.Dir, Baseline: c.Baseline.Name, Model: c.Spec, State: stateNew}
	record, _, err := c.Record(c.plan, c.Job, solver, world.Schema)
	if err != nil {
		return j, err
	}
	exists, err := runlog.Check(c.Dir, record.Shape)
	var mismatch *runlog.MismatchError
	switch {
	case errors.As(err, &mismatch):
		j.State, j.Mismatch = stateMismatch, mismatch.Diff
		return j, nil
	case err != nil:
		return j, err
	case exists:
		j.State = stateResumed
	}
	past, err := Read(c.Dir)
	if err != nil {
		return j, err
	}
	due := j.count(c.plan, past)
	if j.First, err = c.firstPrompts(ctx, due, solver, asked); err != nil {
		return j, err
	}
	j.Estimate = basisOf(c.plan, c.Job, past, j)
	return j, nil
}

// count sorts the episodes by their state in the log, and returns the questions of those to run.
func (j *JobEstimate) count(p session.Plan, past Past) []qa.Example {
	var due []qa.Example
	for repeat := range p.Repeats {
		for _, ex := range p.Picked {
			state := past.States[qa.EpisodeID(ex.UUID, repeat)]
			switch state {
			case Done:
				j.Done++
				continue
			case Failed:
				j.Failed++
			case Begun:
				j.Begun++
			}
			if state == Failed && p.Retry == "none" {
				continue
			}
			j.ToRun++
			due = append(due, ex)
		}
	}
	return due
}

// firstPrompts measures the first prompts by running the episodes up to the first request.
func (c job) firstPrompts(ctx context.Context, due []qa.Example, solver *baselines.Solver, asked *probe) (*Sizes, error) {
	forecast := llm.Forecast(0)
	every := max(1, (len(due)+mostRendered-1)/mostRendered)
	var sizes []int
	for i := 0; i < len(due); i += every {
		ex := due[i]
		asked.first = nil
		_, err := solver.Solve(ctx, ex, agent.Setup{UUID: ex.UUID, Log: noLog{}, Now: c.Now})
		if err != nil && qa.Suspension(err) == "" {
			return nil, err
		}
		if asked.first != nil {
			sizes = append(sizes, forecast(*asked.first).Prompt)
		}
	}
	return Measure(sizes), nil
}

// unsearched replaces a search that would call an embedding endpoint.
type unsearched struct{}

// Retrieve stops the episode.
func (unsearched) Retrieve(context.Context, string, int, tools.Scope) ([]tools.Hit, error) {
	return nil, errStop
}

// basisOf selects the basis of an estimate: the finished episodes of the run itself, else of sibling runs with the same
// baseline and model, else with the same baseline, else the bounds.
func basisOf(p session.Plan, c session.Job, past Past, j JobEstimate) *Estimate {
	if e := FromPast(c.Dir, past.Costs, j.ToRun, c.Price); e != nil {
		return e
	}
	for _, same := range []bool{true, false} {
		if basis, costs := siblings(c, same); len(costs) > 0 {
			if e := FromPast(basis, costs, j.ToRun, c.Price); e != nil {
				return e
			}
		}
	}
	if j.First == nil {
		return nil
	}
	b := Bounds{
		Calls: 1, Window: p.Settings.Window, Reply: c.MaxReply, Observation: p.Settings.ObservationTokens,
		Tokens: p.Settings.QuestionTokens, USD: p.Settings.QuestionUSD,
	}
	switch {
	case c.Baseline.Loop:
		b.Calls = p.Settings.Turns
	case len(c.Baseline.Tools) > 0:
		b.Calls = 2 // a query first, then the answer
	}
	return FromBounds(b, *j.First, j.ToRun, c.Price)
}

// siblings reads the costs of episodes of the same baseline in the run directories next to a job's. It skips forks and
// replays, which asked the model for few of their replies or none.
func siblings(c session.Job, sameModel bool) (basis string, costs []Cost) {
	folder := filepath.Dir(filepath.Clean(c.Dir))
	found, err := os.ReadDir(folder)
	if err != nil {
		return "", nil
	}
	for _, entry := range found {
		dir := filepath.Join(folder, entry.Name())
		config, err := runlog.ReadConfig(dir)
		if err != nil || dir == filepath.Clean(c.Dir) || !sameKind(c, config, sameModel) {
			continue
		}
		past, err := Read(dir)
		if err != nil || len(past.Costs) == 0 {
			continue
		}
		if basis != "" {
			basis += ", "
		}
		basis, costs = basis+dir, append(costs, past.Costs...)
	}
	return basis, costs
}

// sameKind reports whether a run used the same baseline and a model, optionally the same one.
func sameKind(j session.Job, other runlog.Config, sameModel bool) bool {
	if other.Shape.Baseline != j.Baseline.Name || other.Note.Fork != nil || other.Note.CacheFrom != "" {
		return false
	}
	model := other.Shape.Model
	return !sameModel || model["provider"] == j.Described["provider"] && model["model"] == j.Described["model"]
}

// charge adds the usage of earlier invocations, which budgets count.
func (d *Dry) charge(c session.Job, state string) error {
	if c.Price == nil {
		d.SpentUSD = nil
	}
	if state != stateResumed {
		return nil
	}
	f, err := status.Open(c.Dir)
	if err != nil {
		return err
	}
	s, err := f.Look(f.Created())
	if err != nil {
		return err
	}
	used := s.Usage.Add(s.Charged)
	d.Spent += used.Prompt + used.Completion
	if d.SpentUSD != nil {
		*d.SpentUSD += c.Price.Of(used)
	}
	return nil
}

// sum adds the estimates.
func (d *Dry) sum() {
	for i, j := range d.Jobs {
		switch {
		case j.Estimate == nil:
			d.Total = nil
			return
		case i == 0:
			total := *j.Estimate
			total.Basis, total.Past = "", 0
			d.Total = &total
		default:
			d.Total.Add(*j.Estimate)
		}
	}
}
