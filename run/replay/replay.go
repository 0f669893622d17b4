// Package replay executes the recorded actions of a run again and compares their results with the recorded ones. No model
// is asked and nothing is written. Start with [Open] and [Runner.Run].
package replay

import (
	"context"
	"errors"
	"maps"
	"strings"

	"airqa/agent"
	"airqa/baselines"
	"airqa/env"
	"airqa/prompts"
	"airqa/qa"
	"airqa/run/session"
	"airqa/runlog"
	"airqa/trace/diff"
)

// State classifies a [Step].
type State string

// The states.
const (
	// Equal and Different are results that were compared.
	Equal     State = "equal"
	Different State = "different"
	// Failed is an action that the tools could not execute.
	Failed State = "failed"
	// NoAction is a reply without an action; NoResult an action whose result is not recorded, because the episode ended.
	// Neither is executed.
	NoAction State = "no_action"
	NoResult State = "no_result"
)

// Step is one recorded step.
type Step struct {
	N     int   `json:"n"`
	State State `json:"state"`
	// Action is empty for a step without one.
	Action string `json:"action"`
	// Change is the difference from the recorded result (A) to the one of now (B); nil unless Different.
	Change *diff.Change `json:"change,omitempty"`
	// Error is why the action failed.
	Error string `json:"error,omitempty"`
}

// Episode is the result of one episode.
type Episode struct {
	Episode string `json:"episode"`
	Steps   []Step `json:"steps"`
	Counts
	// Error is why the episode could not be read from the log; it then has no steps.
	Error string `json:"error,omitempty"`
}

// Counts counts steps by state.
type Counts struct {
	Equal     int `json:"equal"`
	Different int `json:"different"`
	Failed    int `json:"failed"`
	NoAction  int `json:"no_action"`
	NoResult  int `json:"no_result"`
}

func (c *Counts) add(s State) {
	switch s {
	case Equal:
		c.Equal++
	case Different:
		c.Different++
	case Failed:
		c.Failed++
	case NoAction:
		c.NoAction++
	case NoResult:
		c.NoResult++
	}
}

// Config configures a [Runner]. All fields are required.
type Config struct {
	Run      *runlog.Run
	Examples []qa.Example
	Env      *env.Env
	// Redact is the redaction of the log, which the new results get too before they are compared.
	Redact func([]byte) []byte
}

// Runner executes episodes again. Calls may overlap.
type Runner struct {
	config   Config
	solver   *baselines.Solver
	examples map[string]qa.Example
	changes  []runlog.Change
}

// Open prepares the tools of a run.
func Open(ctx context.Context, c Config) (*Runner, error) {
	settings := Settings(c.Run)
	baseline, err := baselines.Find(c.Run.Config.Shape.Baseline)
	if err != nil {
		return nil, err
	}
	world, err := session.NewWorld(ctx, session.Plan{
		World: c.Env, Settings: settings, Examples: c.Examples, Prompts: prompts.Of(c.Run.Config.Note.Prompts),
	})
	if err != nil {
		return nil, err
	}
	r := &Runner{config: c, solver: baselines.New(baseline, world, nil, settings), examples: make(map[string]qa.Example)}
	for _, ex := range c.Examples {
		r.examples[ex.UUID] = ex
	}
	r.changes = c.changes(world.Schema)
	return r, nil
}

// Settings are the recorded settings of a run.
func Settings(r *runlog.Run) qa.Settings { return qa.SettingsOf(r.Config.Shape.Settings) }

// Changes lists what has changed since the run that may change results: the papers, the schema, the embedding model. A
// is the recorded value.
func (r *Runner) Changes() []runlog.Change { return r.changes }

func (c Config) changes(schema string) []runlog.Change {
	now := c.Run.Config.Shape
	now.Data, now.Schema = c.Env.Fingerprint(), runlog.Hash(schema)
	now.Settings = make(map[string]any)
	maps.Copy(now.Settings, c.Run.Config.Shape.Settings)
	maps.Copy(now.Settings, c.Env.Retrieval())
	return runlog.Changes(c.Run.Config.Shape, now)
}

// Episode executes the actions of one episode ("uuid#repeat"). The error is that of an ended context; every other error
// is in the result.
func (r *Runner) Episode(ctx context.Context, name string) (Episode, error) {
	e := Episode{Episode: name, Steps: []Step{}}
	uuid, repeat := qa.SplitEpisodeID(name)
	rec, err := r.config.Run.Episode(uuid, repeat)
	var missing *runlog.BlobError
	if err != nil && !errors.As(err, &missing) { // a system prompt is not needed
		e.Error = err.Error()
		return e, nil
	}
	ex, known := r.examples[rec.UUID]
	if !known {
		e.Error = "the run does not contain the question"
		return e, nil
	}
	tools := r.solver.Tools(ex)
	for i, s := range rec.Steps {
		if ctx.Err() != nil {
			return e, context.Cause(ctx)
		}
		old := recordedResult(rec, i)
		step := Step{N: s.N, State: NoResult}
		if s.Action != nil {
			step.Action = s.Action.Text
		}
		switch {
		case s.Action == nil:
			step.State = NoAction
		case old != nil:
			o, err := tools.Act(ctx, *s.Action)
			if ctx.Err() != nil {
				return e, context.Cause(ctx)
			}
			r.judge(&step, old, o, err)
		}
		e.add(step.State)
		e.Steps = append(e.Steps, step)
	}
	return e, nil
}

// recordedResult returns the recorded observation of a step; that of the final action is the answer. It is nil if there is
// none.
func recordedResult(rec runlog.Recorded, i int) *qa.Observation {
	s := rec.Steps[i]
	if s.Observation != nil || i < len(rec.Steps)-1 || rec.Outcome != qa.Answered {
		return s.Observation
	}
	return &qa.Observation{Status: qa.StatusFinal, Answer: &rec.Answer}
}

// judge compares a result with the recorded one.
func (r *Runner) judge(step *Step, old *qa.Observation, now qa.Observation, err error) {
	if err != nil {
		step.State, step.Error = Failed, err.Error()
		return
	}
	now.Text = string(r.config.Redact([]byte(now.Text)))
	was := *old
	was.Text, now.Text = strings.TrimSuffix(old.Text, agent.RepeatNote)+answerText(old), now.Text+string(r.config.Redact([]byte(answerText(&now))))
	step.State = Equal
	if step.Change = diff.Results(&was, &now); step.Change != nil {
		step.State = Different
	}
}

// answerText is the answer of a final observation, which has no text of its own.
func answerText(o *qa.Observation) string {
	if o.Answer == nil {
		return ""
	}
	return o.Answer.Text
}
