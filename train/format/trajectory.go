package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"airqa/internal/ledger"
	"airqa/qa"
)

// ATIFVersion is the version that this package writes. It reads every version of 1.
const ATIFVersion = "ATIF-v1.7"

// Sources of a step.
const (
	SourceSystem = "system"
	SourceUser   = "user"
	SourceAgent  = "agent"
)

// Trajectory is one episode.
type Trajectory struct {
	SchemaVersion string          `json:"schema_version"`
	SessionID     string          `json:"session_id,omitempty"`
	TrajectoryID  string          `json:"trajectory_id,omitempty"`
	Agent         AgentInfo       `json:"agent"`
	Steps         []Step          `json:"steps"`
	Notes         string          `json:"notes,omitempty"`
	Totals        *Totals         `json:"final_metrics,omitempty"`
	Continued     string          `json:"continued_trajectory_ref,omitempty"`
	Extra         json.RawMessage `json:"extra,omitempty"`
	Subagents     []Trajectory    `json:"subagent_trajectories,omitempty"`
}

// AgentInfo is the agent of a trajectory.
type AgentInfo struct {
	Name    string          `json:"name"`
	Version string          `json:"version"`
	Model   string          `json:"model_name,omitempty"`
	Tools   json.RawMessage `json:"tool_definitions,omitempty"`
	Extra   json.RawMessage `json:"extra,omitempty"`
}

// Step is one message, or one turn of the agent with its calls and their results.
type Step struct {
	ID        int    `json:"step_id"` // from 1
	Timestamp string `json:"timestamp,omitempty"`
	// Source is [SourceSystem], [SourceUser] or [SourceAgent]. Other sources have neither a model nor calls.
	Source      string          `json:"source"`
	Model       string          `json:"model_name,omitempty"`
	Effort      json.RawMessage `json:"reasoning_effort,omitempty"`
	Message     Content         `json:"message"`
	Reasoning   string          `json:"reasoning_content,omitempty"`
	Calls       []Call          `json:"tool_calls,omitempty"`
	Observation *Observation    `json:"observation,omitempty"`
	Metrics     *Metrics        `json:"metrics,omitempty"`
	// Copied marks a step of an earlier trajectory, which must not be trained again.
	Copied bool `json:"is_copied_context,omitempty"`
	// Inferences is the number of calls of the model; 0 for an action of the program.
	Inferences *int            `json:"llm_call_count,omitempty"`
	Extra      json.RawMessage `json:"extra,omitempty"`
}

// Call is a call of a tool.
type Call struct {
	ID        string          `json:"tool_call_id"`
	Name      string          `json:"function_name"`
	Arguments json.RawMessage `json:"arguments"` // an object
	Extra     json.RawMessage `json:"extra,omitempty"`
}

// ToolCall returns the call as airqa records it.
func (c Call) ToolCall() qa.ToolCall {
	return qa.ToolCall{ID: c.ID, Name: c.Name, Arguments: Compact(c.Arguments)}
}

// Observation has the results of a step.
type Observation struct {
	Results []CallResult `json:"results"`
}

// CallResult is the result of a call of the same step.
type CallResult struct {
	CallID   string          `json:"source_call_id,omitempty"`
	Content  *Content        `json:"content,omitempty"`
	Subagent json.RawMessage `json:"subagent_trajectory_ref,omitempty"`
	Extra    json.RawMessage `json:"extra,omitempty"`
}

// Metrics is the usage of a step.
type Metrics struct {
	Prompt     *int            `json:"prompt_tokens,omitempty"`
	Completion *int            `json:"completion_tokens,omitempty"`
	Cached     *int            `json:"cached_tokens,omitempty"`
	USD        *float64        `json:"cost_usd,omitempty"`
	PromptIDs  json.RawMessage `json:"prompt_token_ids,omitempty"`
	ReplyIDs   json.RawMessage `json:"completion_token_ids,omitempty"`
	Logprobs   json.RawMessage `json:"logprobs,omitempty"`
	Extra      json.RawMessage `json:"extra,omitempty"`
}

// Totals is the usage of a trajectory.
type Totals struct {
	Prompt     *int            `json:"total_prompt_tokens,omitempty"`
	Completion *int            `json:"total_completion_tokens,omitempty"`
	Cached     *int            `json:"total_cached_tokens,omitempty"`
	USD        *float64        `json:"total_cost_usd,omitempty"`
	Steps      *int            `json:"total_steps,omitempty"`
	Extra      json.RawMessage `json:"extra,omitempty"`
}

// Content is a text, or a list of texts and images.
type Content struct {
	Text string
	// Parts is nil for a text.
	Parts []ContentPart
}

// ContentPart is a part of a content.
type ContentPart struct {
	Type   string  `json:"type"` // text, image or audio
	Text   *string `json:"text,omitempty"`
	Source *Media  `json:"source,omitempty"`
}

// Media is a file.
type Media struct {
	Type string `json:"media_type"`
	// Path is relative to the file of the trajectory.
	Path     string   `json:"path"`
	Duration *float64 `json:"duration_sec,omitempty"`
}

// MarshalJSON writes a text as a string.
func (c Content) MarshalJSON() ([]byte, error) {
	var v any = c.Text
	if c.Parts != nil {
		v = c.Parts
	}
	line, err := ledger.Encode(v)
	return line, err
}

// UnmarshalJSON reads a string or a list.
func (c *Content) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '[' {
		return json.Unmarshal(raw, &c.Parts)
	}
	return json.Unmarshal(raw, &c.Text)
}

// Line returns the trajectory as one line of JSON. The same trajectory has the same bytes.
func (t Trajectory) Line() ([]byte, error) { return ledger.Encode(t) }

// ReadTrajectory reads a trajectory. Unknown keys, which Harbor refuses, are an error as well.
func ReadTrajectory(raw []byte) (t Trajectory, err error) {
	if err := ledger.Strict(raw, &t); err != nil {
		return t, fmt.Errorf("read trajectory: %w", err)
	}
	return t, t.Check()
}

// Check returns the first violation of the format's rules.
func (t Trajectory) Check() error {
	minor := 0
	if n, err := fmt.Sscanf(t.SchemaVersion, "ATIF-v1.%d", &minor); n != 1 || err != nil {
		return fmt.Errorf("schema_version %q: want ATIF-v1.x", t.SchemaVersion)
	}
	if t.Agent.Name == "" || len(t.Steps) == 0 {
		return fmt.Errorf("trajectory %s has no agent or no steps", t.TrajectoryID)
	}
	for i, s := range t.Steps {
		if s.ID != i+1 {
			return fmt.Errorf("steps[%d]: step_id is %d; want %d", i, s.ID, i+1)
		}
		if err := s.check(); err != nil {
			return fmt.Errorf("step %d: %w", s.ID, err)
		}
	}
	seen := make(map[string]bool)
	for _, sub := range t.Subagents {
		if sub.TrajectoryID == "" || seen[sub.TrajectoryID] {
			return fmt.Errorf("trajectory_id %q of a subagent is empty or not unique", sub.TrajectoryID)
		}
		seen[sub.TrajectoryID] = true
		if err := sub.Check(); err != nil {
			return fmt.Errorf("subagent %s: %w", sub.TrajectoryID, err)
		}
	}
	return nil
}

func (s Step) check() error {
	switch {
	case !slices.Contains([]string{SourceSystem, SourceUser, SourceAgent}, s.Source):
		return fmt.Errorf("source %q: want system, user or agent", s.Source)
	case s.Source != SourceAgent && s.ofAgent():
		return fmt.Errorf("a step of the %s has a field of the agent", s.Source)
	case s.Inferences != nil && *s.Inferences == 0 && (s.Metrics != nil || s.Reasoning != ""):
		return errors.New("an action without a model call has metrics or reasoning")
	}
	if _, ok := ParseTime(s.Timestamp); s.Timestamp != "" && !ok {
		return fmt.Errorf("timestamp %q is not in ISO 8601", s.Timestamp)
	}
	if err := s.Message.check(); err != nil {
		return err
	}
	return s.checkCalls()
}

// ofAgent reports whether a step has a field that only the agent's steps have.
func (s Step) ofAgent() bool {
	return s.Model != "" || s.Effort != nil || s.Reasoning != "" || s.Calls != nil || s.Metrics != nil
}

// ParseTime reads a timestamp in one of the forms of ISO 8601. One without a zone is in UTC.
func ParseTime(text string) (time.Time, bool) {
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00",
		time.DateTime, time.DateOnly,
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// checkCalls checks the calls and that results refer to them.
func (s Step) checkCalls() error {
	calls := make(map[string]bool)
	for _, c := range s.Calls {
		var object map[string]json.RawMessage
		if json.Unmarshal(c.Arguments, &object) != nil || object == nil {
			return fmt.Errorf("the arguments of %s are not an object", c.Name)
		}
		calls[c.ID] = true
	}
	if s.Observation == nil {
		return nil
	}
	for _, r := range s.Observation.Results {
		if r.CallID != "" && !calls[r.CallID] {
			return fmt.Errorf("a result refers to call %q, which is not in the step", r.CallID)
		}
		if r.Content != nil {
			if err := r.Content.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c Content) check() error {
	for _, p := range c.Parts {
		isText := p.Type == "text"
		if !isText && p.Type != "image" && p.Type != "audio" || isText != (p.Text != nil) || isText == (p.Source != nil) {
			return fmt.Errorf("a part of type %q has the wrong fields", p.Type)
		}
	}
	return nil
}
