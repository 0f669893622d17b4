package qa

import (
	"encoding/json"
	"time"
)

// Usage is the token count of one request, or the sum of several, as reported by the endpoint.
type Usage struct {
	Prompt     int `json:"prompt"`
	Completion int `json:"completion"`
	Cached     int `json:"cached,omitempty"`
	Reasoning  int `json:"reasoning,omitempty"`
	// Estimated means that the endpoint reported nothing, so the program counted (cl100k).
	Estimated bool `json:"estimated,omitempty"`
}

// Add returns the sum; it is estimated if either part is.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Prompt: u.Prompt + v.Prompt, Completion: u.Completion + v.Completion,
		Cached: u.Cached + v.Cached, Reasoning: u.Reasoning + v.Reasoning,
		Estimated: u.Estimated || v.Estimated,
	}
}

// FinishLength is the finish reason of a [Reply] truncated by the token limit.
const FinishLength = "length"

// The finish reasons of a [Reply] that the endpoint's filter stopped, and of one that the model refused.
const (
	FinishFilter  = "content_filter"
	FinishRefusal = "refusal"
)

// Reply is a model's answer to one request.
type Reply struct {
	Text string `json:"text"`
	// Reasoning is text that the endpoint returned separately from the reply.
	Reasoning string `json:"reasoning,omitempty"`
	// ToolCalls are the requested tool calls in order; empty if no tools were offered.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// Sealed is opaque data that is sent back to the endpoint with the [Message] of the reply: signed reasoning, and the
	// names of the fields that Reasoning came in. No other endpoint or model gets it.
	Sealed json.RawMessage `json:"sealed,omitempty"`
	// Model is the model name reported by the endpoint; may be empty.
	Model string `json:"model,omitempty"`
	// ID is the endpoint's id of the reply.
	ID string `json:"id,omitempty"`
	// Finish is the endpoint's reason for ending the reply, such as "stop" or [FinishLength].
	Finish string `json:"finish,omitempty"`
	Usage  Usage  `json:"usage"`
	// Attempts lists all requests of this call, the successful one last.
	Attempts []Attempt `json:"attempts,omitempty"`
	// Cached means that the reply comes from a cache: nothing was sent, and Usage is that of the original request.
	Cached bool `json:"from_cache,omitempty"`
}

// Attempt is one HTTP request of a call.
type Attempt struct {
	Started time.Time `json:"started"`
	// Seconds is the duration of the request; Wait the pause before it (back-off, limiter).
	Seconds float64 `json:"seconds"`
	Wait    float64 `json:"wait,omitempty"`
	// Status is the HTTP status, 0 if there was no response.
	Status int `json:"status,omitempty"`
	// Error is the class of the failure, empty on success.
	Error FailureClass `json:"error,omitempty"`
	// Charged is the assumed cost of a request without a reply: its forecast, since no usage was reported. It is nil
	// for requests that cost nothing (refused with HTTP 4xx, or no connection) and for the one with the reply.
	Charged *Usage `json:"charged,omitempty"`
}

// Price is the price of a model in USD per million tokens.
type Price struct {
	Prompt     float64 `json:"prompt"`
	Completion float64 `json:"completion"`
	// Cached is the price of prompt tokens that the endpoint had cached.
	Cached float64 `json:"cached"`
}

// Of returns the cost of a usage in USD. Reasoning tokens are completion tokens; cached ones are a part of the prompt.
func (p Price) Of(u Usage) float64 {
	fresh := max(u.Prompt-u.Cached, 0)
	return (float64(fresh)*p.Prompt + float64(u.Cached)*p.Cached + float64(u.Completion)*p.Completion) / 1e6
}
