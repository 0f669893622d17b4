package qa

// Outcome is the way an episode ended. The list is closed.
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
	NoImages        Outcome = "no_images" // the model or its server does not accept images
	ToolFailure     Outcome = "tool_failure"
	Cancelled       Outcome = "cancelled"
)

// Failed reports whether the episode ended for a reason outside the agent's control: it says nothing about the agent's
// ability and is not scored.
func (o Outcome) Failed() bool { return o.Again() || o == NoImages }

// Again reports whether the failure may be transient, so that the episode is run again.
func (o Outcome) Again() bool { return o == EndpointError || o == ToolFailure || o == Cancelled }

// Answer is the final answer of an episode.
type Answer struct {
	// Given is false if the episode ended without an answer.
	Given bool `json:"given"`
	// Text is the answer as printed by Python's str(), which the paper's evaluators read.
	Text string `json:"text"`
	// Literal is the answer as printed by Python's repr(), which preserves its type; empty if the answer did not come
	// from an action.
	Literal string `json:"literal,omitempty"`
	// LaTeX is Text with LaTeX commands as the model wrote them, which Python would read as escapes ("\frac" begins
	// with a form feed there). It is empty if that makes no difference.
	LaTeX string `json:"latex,omitempty"`
	// Evidence has the ids of the passages that support the answer, Ranking those of documents, best first, as given:
	// unknown ones are kept.
	Evidence []string `json:"evidence,omitempty"`
	Ranking  []string `json:"ranking,omitempty"`
}
