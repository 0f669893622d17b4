package runlog

import (
	"encoding/json"
	"time"

	"airqa/internal/ledger"
	"airqa/qa"
)

// Format is the format number that this program writes and reads.
const Format = 1

// Types of event. A reader counts and skips unknown ones.
const (
	TypeStart       = "start"
	TypeMessage     = "message"
	TypeCall        = "call"
	TypeObservation = "observation"
	TypeLost        = "lost"
	TypeEnd         = "end"
)

// head starts every line with its keys in this order, so that a reader finds the episode without parsing the whole
// line.
type head struct {
	Type    string    `json:"type"`
	Episode string    `json:"episode"`
	Seq     int       `json:"seq"`
	Time    time.Time `json:"time"`
}

type startEvent struct {
	head
	UUID   string `json:"uuid"`
	Repeat int    `json:"repeat"`
}

// part is a piece of a message: inline text, a text of the texts folder, or the observation of a step.
type part struct {
	Text        *ledger.Text `json:"text,omitempty"`
	Ref         string       `json:"ref,omitempty"`
	Observation int          `json:"observation,omitempty"`
}

type messageEvent struct {
	head
	Role   qa.Role    `json:"role"`
	Parts  []part     `json:"parts"`
	Images []qa.Image `json:"images,omitempty"`
}

type callEvent struct {
	head
	Step   int          `json:"step"`
	Shown  []qa.Span    `json:"shown"`
	Reply  reply        `json:"reply"`
	Kept   int          `json:"kept"`
	Called *qa.ToolCall `json:"called,omitempty"`
	// Others are what the model got as the results of the other calls.
	Others     []qa.CallResult `json:"others,omitempty"`
	Unlabelled bool            `json:"unlabelled,omitempty"`
	Thought    *qa.Span        `json:"thought,omitempty"`
	Action     *qa.Action      `json:"action,omitempty"`
	ParseError *qa.ParseError  `json:"parse_error,omitempty"`
	Started    time.Time       `json:"started"`
	Ended      time.Time       `json:"ended"`
}

// reply is qa.Reply with texts that keep invalid UTF-8.
type reply struct {
	Text      ledger.Text  `json:"text"`
	Reasoning *ledger.Text `json:"reasoning,omitempty"`
	Model     string       `json:"model,omitempty"`
	ID        string       `json:"id,omitempty"`
	Finish    string       `json:"finish,omitempty"`
	Usage     qa.Usage     `json:"usage"`
	Attempts  []qa.Attempt `json:"attempts,omitempty"`
	// ToolCalls are the native calls of the reply; the event's Called is the one that became the action.
	ToolCalls []qa.ToolCall `json:"tool_calls,omitempty"`
	// Sealed is opaque provider data to send back with the call.
	Sealed json.RawMessage `json:"sealed,omitempty"`
	Cached bool            `json:"from_cache,omitempty"`
}

type observationEvent struct {
	head
	Step    int         `json:"step"`
	By      string      `json:"by"`
	Action  *qa.Action  `json:"action,omitempty"` // only if the program chose it
	Status  qa.Status   `json:"status"`
	Text    ledger.Text `json:"text"`
	Images  []qa.Image  `json:"images,omitempty"`
	Cut     *qa.Cut     `json:"cut,omitempty"`
	Full    string      `json:"full,omitempty"` // hash of the untruncated text
	Hash    string      `json:"hash"`           // fingerprint of text and images
	Hits    []qa.Hit    `json:"hits,omitempty"`
	Touched *qa.Touched `json:"touched,omitempty"`
	Start   time.Time   `json:"started"`
	End     time.Time   `json:"ended"`
}

// lostEvent lists requests without a reply because the run was stopped.
type lostEvent struct {
	head
	Attempts []qa.Attempt `json:"attempts"`
}

type endEvent struct {
	head
	Outcome qa.Outcome `json:"outcome"`
	Reason  string     `json:"reason,omitempty"`
	// Transient is true for a tool failure because its store or endpoint was unavailable.
	Transient bool         `json:"transient,omitempty"`
	Answer    qa.Answer    `json:"answer"`
	Turns     int          `json:"turns"`
	Usage     qa.Usage     `json:"usage"`
	Failed    []qa.Attempt `json:"failed_attempts,omitempty"` // of a call that never got a reply
}

func textOf(s string) *ledger.Text {
	if s == "" {
		return nil
	}
	return new(ledger.Text(s))
}
