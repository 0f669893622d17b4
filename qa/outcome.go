package qa

// Outcome tells how an episode ended. The list is closed.
type Outcome string

// The outcomes.
const (
	Answered        Outcome = "answered"
	TurnLimit       Outcome = "turn_limit"
	TokenLimit      Outcome = "token_limit"
	CostLimit       Outcome = "cost_limit"
	TimeLimit       Outcome = "time_limit"
	FormatErrors    Outcome = "format_errors" // the same kind of unreadable reply too often in a row
	ContextOverflow Outcome = "context_overflow"
	EndpointError   Outcome = "endpoint_error"
	NoImages        Outcome = "no_images" // the model or its server takes no images
	ToolFailure     Outcome = "tool_failure"
	Cancelled       Outcome = "cancelled"
)

// Failed tells whether the episode ended for a reason that is not the agent's: it says nothing about the
// agent's ability and is not scored.
func (o Outcome) Failed() bool { return o.Again() || o == NoImages }

// Again reports whether the episode failed for a reason that may pass, so that it is run again.
func (o Outcome) Again() bool { return o == EndpointError || o == ToolFailure || o == Cancelled }

// Answer is the final answer of an episode.
type Answer struct {
	// Given is false when the episode ended without an answer.
	Given bool `json:"given"`
	// Text is the answer as Python's str() prints it: what the evaluators of the paper read.
	Text string `json:"text"`
	// Literal is the answer as Python's repr() prints it, from which its type can be read back; empty when the
	// answer did not come from an action.
	Literal string `json:"literal,omitempty"`
	// LaTeX is Text with LaTeX commands as the model wrote them, where Python reads escapes out of them ("\frac" begins
	// with a form feed there). Empty where that makes no difference.
	LaTeX string `json:"latex,omitempty"`
}
