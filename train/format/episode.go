package format

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"airqa/internal/ledger"
	"airqa/qa"
)

// Episode is a recorded episode to write as a trajectory.
type Episode struct {
	qa.Trajectory
	// ID identifies the episode in all trajectories of an export, Run its run.
	ID, Run string
	// Baseline is the agent, Program the version of airqa that ran it.
	Baseline, Program, Model string
	// Tools were offered natively.
	Tools []qa.ToolSpec
	// Price is nil if it is unknown.
	Price *qa.Price
	// Score is nil if the answer was never scored.
	Score *qa.Score
	// Rows maps the numbers of steps to the ids of the rows of the export.
	Rows map[int]string
	// Turn returns the assistant message of step i, without reasoning that the endpoint returned separately.
	Turn func(i int) qa.Message
	// Edit is the last change to every message: redaction, for example.
	Edit func(qa.Message) qa.Message
	// Reasoning includes separate reasoning.
	Reasoning bool
	// Copied reports whether step i repeats one of another trajectory; nil if none does.
	Copied func(i int) bool
	// ImagePath returns the path of an image, relative to the file of the trajectory.
	ImagePath func(qa.Image) string
}

// USD is the cost of the episode; nil if the price is unknown.
func (e Episode) USD() *float64 {
	if e.Price == nil {
		return nil
	}
	return new(e.Price.Of(e.Usage().Add(e.Charged())))
}

// ReplyUSD is the cost of a reply; nil if the price is unknown. One from a cache costs nothing.
func (e Episode) ReplyUSD(r *qa.Reply) *float64 {
	switch {
	case e.Price == nil:
		return nil
	case r.Cached:
		return new(0.0)
	}
	return new(e.Price.Of(r.Usage))
}

// StepExtra is what a step of airqa has besides the format's own fields.
type StepExtra struct {
	// RowID is the id of the row that trains the step; empty if none does.
	RowID string `json:"row_id,omitempty"`
	// Turn is the number of the step in the run.
	Turn int `json:"turn,omitempty"`
	// ActionInText means that the call is a copy of the action in the message: the model wrote it as text.
	ActionInText bool `json:"action_in_text,omitempty"`
	// Status is that of the observation.
	Status qa.Status `json:"status,omitempty"`
	// FromCache marks a reply from a cache, which cost nothing.
	FromCache bool `json:"from_cache,omitempty"`
}

// TrajectoryExtra is what airqa adds to a trajectory.
type TrajectoryExtra struct {
	// Run is the id of the run, Question and Repeat the episode.
	Run      string     `json:"run"`
	Question string     `json:"question"`
	Repeat   int        `json:"repeat"`
	Outcome  qa.Outcome `json:"outcome"`
	// Verdict and Score are missing if the answer was never scored.
	Verdict qa.Verdict `json:"verdict,omitempty"`
	Score   *float64   `json:"score,omitempty"`
	// Price is missing if it is unknown.
	Price *qa.Price `json:"price,omitempty"`
	// Charged is the assumed usage of requests without a reply, which final_metrics includes in the cost alone.
	Charged *qa.Usage `json:"charged,omitempty"`
}

// Airqa returns what airqa adds to a trajectory; ok is false for that of another program.
func (t Trajectory) Airqa() (o TrajectoryExtra, ok bool) {
	err := json.Unmarshal(t.Extra, &o)
	return o, err == nil && len(o.Run) == 64 && o.Question != "" && o.Outcome != ""
}

// Airqa returns what airqa adds to a step; nothing for the step of another program.
func (s Step) Airqa() (e StepExtra) {
	if json.Unmarshal(s.Extra, &e) != nil {
		return StepExtra{}
	}
	return e
}

// NewTrajectory returns an episode as a trajectory.
func NewTrajectory(e Episode) (Trajectory, error) {
	w := &maker{e: e}
	step := 0 // of e.Steps
	for i := 0; i < len(e.Messages); i++ {
		m := e.Messages[i]
		if m.Role != qa.Assistant {
			source := SourceUser
			if m.Role == qa.System {
				source = SourceSystem
			}
			w.add(Step{Source: source, Message: w.content(m)})
			continue
		}
		for step < len(e.Steps) && e.Steps[step].Reply == nil {
			w.program(e.Steps[step])
			step++
		}
		if step == len(e.Steps) {
			return Trajectory{}, fmt.Errorf("episode %s has more replies than steps", e.Episode)
		}
		if s := e.Steps[step]; w.turn(step, s) && s.Observation != nil {
			i++ // the observation's message
		}
		step++
	}
	for ; step < len(e.Steps); step++ {
		w.program(e.Steps[step])
	}
	return w.trajectory()
}

type maker struct {
	e     Episode
	steps []Step
	err   error
}

func (w *maker) add(s Step) {
	s.ID = len(w.steps) + 1
	w.steps = append(w.steps, s)
}

func (w *maker) addTurn(step Step, s qa.Step, extra StepExtra) {
	if s.Observation != nil {
		extra.Status = s.Observation.Status
	}
	step.Extra = w.raw(extra)
	w.add(step)
}

func (w *maker) raw(v any) json.RawMessage {
	line, err := ledger.Encode(v)
	if err != nil {
		w.err = err
	}
	return line
}

func (w *maker) content(m qa.Message) Content {
	m = w.e.Edit(m)
	if len(m.Images) == 0 {
		return Content{Text: m.Text}
	}
	c := Content{Parts: []ContentPart{{Type: "text", Text: &m.Text}}}
	for _, im := range m.Images {
		c.Parts = append(c.Parts, ContentPart{Type: "image", Source: &Media{Type: im.MIME, Path: w.e.ImagePath(im)}})
	}
	return c
}

// turn adds a turn of the model. It reports whether the observation is a part of it, and not a message of its own: the
// answer to a reply without any call is one.
func (w *maker) turn(i int, s qa.Step) bool {
	m := w.e.Turn(i)
	extra := StepExtra{RowID: w.e.Rows[s.N], Turn: s.N}
	if len(m.ToolCalls) == 0 && s.Action != nil {
		extra.ActionInText = true
		m.ToolCalls = []qa.ToolCall{{Name: s.Action.Name, Arguments: w.raw(s.Action.Args)}}
	}
	reasoning := ""
	if w.e.Reasoning {
		reasoning = w.e.Edit(qa.Message{Role: qa.Assistant, Text: s.Reply.Reasoning}).Text
	}
	m = w.e.Edit(m)
	one := 1
	metrics := &Metrics{Prompt: &s.Reply.Usage.Prompt, Completion: &s.Reply.Usage.Completion, Cached: &s.Reply.Usage.Cached}
	metrics.USD = w.e.ReplyUSD(s.Reply)
	step := Step{
		Source: SourceAgent, Timestamp: timestamp(s.Started), Message: Content{Text: m.Text}, Reasoning: reasoning,
		Metrics: metrics, Inferences: &one, Copied: w.e.Copied != nil && w.e.Copied(i),
	}
	if s.Reply.Model != "" && s.Reply.Model != w.e.Model {
		step.Model = s.Reply.Model
	}
	results := w.calls(&step, s, m.ToolCalls)
	extra.FromCache = s.Reply.Cached
	w.addTurn(step, s, extra)
	return results
}

// calls adds calls and their results to a step, and reports whether it has the observation.
func (w *maker) calls(step *Step, s qa.Step, calls []qa.ToolCall) bool {
	for j, c := range calls {
		id := c.ID
		if id == "" {
			id = fmt.Sprintf("call_%d_%d", s.N, j)
		}
		step.Calls = append(step.Calls, Call{ID: id, Name: c.Name, Arguments: w.arguments(c.Arguments)})
		if s.Observation == nil {
			continue
		}
		content := w.content(qa.Message{Role: qa.ToolResult, Text: s.Observation.Text, Images: s.Observation.Images})
		if at := slices.IndexFunc(s.Others, func(r qa.CallResult) bool { return r.ID == c.ID }); j > 0 && at >= 0 {
			content = w.content(qa.Message{Role: qa.ToolResult, Text: s.Others[at].Text})
		}
		if step.Observation == nil {
			step.Observation = new(Observation)
		}
		step.Observation.Results = append(step.Observation.Results, CallResult{CallID: id, Content: &content})
	}
	return len(calls) > 0
}

func (w *maker) arguments(raw json.RawMessage) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) == nil && object != nil {
		return raw
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	return w.raw(map[string]string{"text": text})
}

// program adds an action that a baseline took itself.
func (w *maker) program(s qa.Step) {
	none := 0
	step := Step{Source: SourceAgent, Timestamp: timestamp(s.Started), Inferences: &none}
	if s.Action != nil {
		m := w.e.Edit(qa.Message{Role: qa.Assistant, ToolCalls: []qa.ToolCall{{Name: s.Action.Name, Arguments: w.raw(s.Action.Args)}}})
		w.calls(&step, s, m.ToolCalls)
	}
	w.addTurn(step, s, StepExtra{Turn: s.N})
}

func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

func (w *maker) trajectory() (Trajectory, error) {
	usage, n := w.e.Usage(), len(w.steps)
	t := Trajectory{
		SchemaVersion: ATIFVersion, SessionID: w.e.ID, TrajectoryID: w.e.ID, Steps: w.steps,
		Agent:  AgentInfo{Name: w.e.Baseline, Version: w.e.Program, Model: w.e.Model},
		Totals: &Totals{Prompt: &usage.Prompt, Completion: &usage.Completion, Cached: &usage.Cached, Steps: &n, USD: w.e.USD()},
	}
	if len(w.e.Tools) > 0 {
		t.Agent.Tools = ToolList(w.e.Tools)
	}
	extra := TrajectoryExtra{Run: w.e.Run, Question: w.e.UUID, Repeat: w.e.Repeat, Outcome: w.e.Outcome, Price: w.e.Price}
	if w.e.Score != nil {
		extra.Verdict, extra.Score = w.e.Score.Verdict, &w.e.Score.Value
	}
	if charged := w.e.Charged(); charged != (qa.Usage{}) {
		extra.Charged = &charged
	}
	t.Extra = w.raw(extra)
	if w.err == nil {
		w.err = t.Check()
	}
	return t, w.err
}
