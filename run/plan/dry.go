package plan

import (
	"context"
	"slices"

	"airqa/agent"
	"airqa/baselines"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/session"
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
	// State is new or resumed.
	State string `json:"state"`
	// ToRun counts the episodes that would run, including those Begun, and Failed ones to retry.
	ToRun  int `json:"to_run"`
	Done   int `json:"done_before"`
	Failed int `json:"failed_before"`
	Begun  int `json:"begun_before"`
	// First is the size of the first prompt in cl100k tokens; nil if none could be rendered without a call.
	First    *Sizes    `json:"first_prompt"`
	Estimate *Estimate `json:"estimate"`
}

// Sizes are the minimum, median and maximum of some token counts.
type Sizes struct {
	Min    int `json:"min"`
	Median int `json:"median"`
	Max    int `json:"max"`
	// Of is the number of counts.
	Of int `json:"of"`
}

// DryRun estimates an invocation. It renders first prompts and reads run directories, but calls no model and writes
// nothing. With remoteVectors, searching would call an endpoint and is skipped.
func DryRun(ctx context.Context, s session.Session, p session.Plan, remoteVectors bool) (*Dry, error) {
	world, err := s.OpenWorld(ctx, &p)
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
		j, err := job{s, p, c}.estimate(ctx, world, d)
		if err != nil {
			return nil, err
		}
		d.Jobs = append(d.Jobs, j)
	}
	d.sum()
	d.warn(p, remoteVectors)
	return d, nil
}

// job is a job to estimate.
type job struct {
	session.Session
	plan session.Plan
	session.Job
}

// estimate estimates a job, and adds its earlier usage to d.
func (c job) estimate(ctx context.Context, world baselines.World, d *Dry) (JobEstimate, error) {
	asked := &probe{}
	solver := baselines.New(c.Baseline, world, asked, c.plan.Settings)
	j := JobEstimate{Dir: c.Dir, Baseline: c.Baseline.Name, Model: c.Spec, State: "new"}
	record, _, err := c.Record(c.plan, c.Job, solver, world.Schema)
	if err != nil {
		return j, err
	}
	exists, err := runlog.Check(c.Dir, record.Shape)
	if err != nil {
		return j, err
	}
	if exists {
		j.State = "resumed"
	}
	past, err := read(c.Dir, exists)
	if err != nil {
		return j, err
	}
	d.Spent += past.spent.Prompt + past.spent.Completion // budgets count the usage of earlier invocations
	if c.Price == nil {
		d.SpentUSD = nil
	}
	if d.SpentUSD != nil {
		*d.SpentUSD += c.Price.Of(past.spent)
	}
	due := j.count(c.plan, past.outcomes)
	if j.First, err = c.firstPrompts(ctx, due, solver, asked); err != nil {
		return j, err
	}
	j.Estimate = c.total(past.costs, j)
	return j, nil
}

// past is what a run directory says about earlier invocations.
type past struct {
	// outcomes has the episodes that began; those without an outcome have not ended.
	outcomes map[string]qa.Outcome
	// costs has the effort of each finished episode. Failures are left out: they are no measure of others.
	costs []Cost
	// spent is the usage of all episodes.
	spent qa.Usage
}

// read reads the log of a run, if there is one. A damaged episode has no outcome, because it runs again.
func read(dir string, exists bool) (past, error) {
	p := past{outcomes: make(map[string]qa.Outcome)}
	if !exists {
		return p, nil
	}
	r, err := runlog.Open(dir)
	if err != nil {
		return p, err
	}
	for rec, err := range r.Episodes() {
		if rec.Episode == "" {
			return p, err
		}
		if err != nil {
			rec.Outcome = ""
		}
		p.outcomes[rec.Episode] = rec.Outcome
		p.spent = p.spent.Add(rec.Spent).Add(rec.Usage()).Add(rec.Charged())
		if rec.Outcome != "" && !rec.Outcome.Failed() {
			p.costs = append(p.costs, Cost{rec.Turns(), rec.Usage()})
		}
	}
	return p, nil
}

// count counts the episodes by their outcome in the log, and returns the questions of those to run.
func (j *JobEstimate) count(p session.Plan, outcomes map[string]qa.Outcome) []qa.Example {
	var due []qa.Example
	for repeat := range p.Repeats {
		for _, ex := range p.Picked {
			switch outcome, began := outcomes[qa.EpisodeID(ex.UUID, repeat)]; {
			case outcome.Again():
				j.Failed++
				if p.Retry == "none" {
					continue
				}
			case outcome != "":
				j.Done++
				continue
			case began:
				j.Begun++
			}
			due = append(due, ex)
		}
	}
	j.ToRun = len(due)
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
	if len(sizes) == 0 {
		return nil, nil //nolint:nilnil // no prompt is no error
	}
	slices.Sort(sizes)
	return &Sizes{sizes[0], sizes[(len(sizes)-1)/2], sizes[len(sizes)-1], len(sizes)}, nil
}

// unsearched replaces a search that would call an embedding endpoint.
type unsearched struct{}

// Retrieve stops the episode.
func (unsearched) Retrieve(context.Context, string, int, tools.Scope) ([]tools.Hit, error) {
	return nil, errStop
}

// total estimates the episodes to run: from the finished ones of the run, or from one call on the shortest first prompt up to
// all calls with a full window after the longest.
func (c job) total(finished []Cost, j JobEstimate) *Estimate {
	n := Exactly(j.ToRun)
	if len(finished) >= FewestPast {
		return EstimateFromPast(c.Dir, finished, n, c.Price)
	}
	if j.First == nil {
		return nil
	}
	settings := c.plan.Settings
	least, most := Cost{Calls: 1, Usage: qa.Usage{Prompt: j.First.Min}}, Cost{Calls: 1}
	switch {
	case c.Baseline.Loop:
		most.Calls = settings.Turns
	case len(c.Baseline.Tools) > 0:
		most.Calls = 2 // a query first, then the answer
	}
	most.Usage.Completion = most.Calls * c.MaxReply
	for i := range most.Calls {
		most.Usage.Prompt += j.First.Max + min(i, settings.Window)*(c.MaxReply+settings.ObservationTokens)
	}
	e := EstimateFromBounds(least, most, n, c.Price)
	if limit := float64(settings.QuestionBudget.Tokens * j.ToRun); limit > 0 {
		e.Tokens = e.Tokens.atMost(limit)
	}
	if limit := settings.QuestionBudget.USD * float64(j.ToRun); limit > 0 && e.USD != nil {
		e.USD = new(e.USD.atMost(limit))
	}
	return e
}

// sum adds the estimates, unless one is missing.
func (d *Dry) sum() {
	total := Estimate{Calls: Exactly(0), Tokens: Exactly(0), USD: new(Exactly(0))}
	for _, j := range d.Jobs {
		if j.Estimate == nil {
			return
		}
		total.Add(*j.Estimate)
	}
	d.Total = &total
}

// probe is a model that records the first request of an episode and suspends the episode.
type probe struct{ first *qa.Request }

// Complete records the request and returns errStop.
func (p *probe) Complete(_ context.Context, r qa.Request) (qa.Reply, error) {
	if p.first == nil {
		p.first = &r
	}
	return qa.Reply{}, errStop
}

// errStop suspends an episode of an estimate.
var errStop error = &qa.SuspendedError{Reason: "only estimated"}

// noLog is an episode log that discards everything.
type noLog struct{}

func (noLog) Message(qa.Message) error  { return nil }
func (noLog) Call(qa.Step) error        { return nil }
func (noLog) Observation(qa.Step) error { return nil }
func (noLog) Lost([]qa.Attempt) error   { return nil }
func (noLog) End(qa.Trajectory) error   { return nil }
