package qa

import (
	"encoding/json"
	"time"
)

// Usage counts the tokens of one request or the sum of several, as the endpoint reported them.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
	Cached     int `json:"cached,omitempty"`
	Reasoning  int `json:"reasoning,omitempty"`
	// Estimated is true when the endpoint reported nothing and the program counted by itself (cl100k).
	Estimated bool `json:"estimated,omitempty"`
}

// Add returns the sum; it is estimated when either part is.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Prompt: u.Prompt + v.Prompt, Completion: u.Completion + v.Completion,
		Cached: u.Cached + v.Cached, Reasoning: u.Reasoning + v.Reasoning,
		Estimated: u.Estimated || v.Estimated,
	}
}

// FinishLength is the reason of a [Reply] that the limit of tokens for one reply cut off.
const FinishLength = "length"

// Reply is what a model answered to one request.
type Reply struct {
	Text string `json:"text"`
	// Reasoning is text that the endpoint kept apart from the reply.
	Reasoning string `json:"reasoning,omitempty"`
	// ToolCalls are the tools that the model wants to run, in order; empty when it was offered none.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// Sealed is what the endpoint wants back, unread, with the [Message] that stands for a reply with tool calls: signed
	// reasoning, for most. Only the endpoint that made it understands it.
	Sealed json.RawMessage `json:"sealed,omitempty"`
	// Model is the name that the endpoint gave itself; empty when it gave none.
	Model string `json:"model,omitempty"`
	// ID is the endpoint's id of the reply.
	ID string `json:"id,omitempty"`
	// Finish is why the endpoint ended the reply, such as "stop" or [FinishLength].
	Finish string `json:"finish,omitempty"`
	Usage  Usage  `json:"usage"`
	// Attempts lists every request that was made for this reply, the successful one last.
	Attempts []Attempt `json:"attempts,omitempty"`
	// Cached is true for a reply that a cache had: nothing was sent, and Usage is what the first request for it used.
	Cached bool `json:"from_cache,omitempty"`
}

// Attempt is one HTTP request of a call.
type Attempt struct {
	Started time.Time `json:"started"`
	// Seconds is the time of the request; Wait the pause before it (back-off, limiter).
	Seconds float64 `json:"seconds"`
	Wait    float64 `json:"wait,omitempty"`
	// Status is the HTTP status, 0 when none came.
	Status int `json:"status,omitempty"`
	// Error is the class of the failure, empty on success.
	Error FailureClass `json:"error,omitempty"`
	// Charged is what a request without a reply is taken to have cost: its forecast, since nobody reported its usage. nil for
	// one that the endpoint refused (HTTP 4xx) or that found no connection, which costs nothing, and for the one that brought the reply.
	Charged *Usage `json:"charged,omitempty"`
}

// Price is what a model costs, in USD per million tokens.
type Price struct {
	Prompt     float64 `json:"prompt"`
	Completion float64 `json:"completion"`
	// Cached is the price of prompt tokens that the endpoint had from an earlier call.
	Cached float64 `json:"cached"`
}

// Of returns the cost of a usage in USD. Reasoning tokens are completion tokens; cached ones are a part of the prompt.
func (p Price) Of(u Usage) float64 {
	fresh := max(u.Prompt-u.Cached, 0)
	return (float64(fresh)*p.Prompt + float64(u.Cached)*p.Cached + float64(u.Completion)*p.Completion) / 1e6
}
