package importer

import (
	"encoding/json"
	"time"

	"airqa/internal/ledger"
	"airqa/qa"
)

// origin describes the run that episodes belong to: those of one origin make one run directory.
type origin struct {
	// Agent and Program are the agent and its version.
	Agent, Program, Provider, Model string
	// Format is the format of the file, Run the id of airqa's own run.
	Format, Run string
}

// episode is a trajectory of any format.
type episode struct {
	origin
	file   string
	uuid   string
	repeat int
	// question is the text of the question, extra what else the file has about it.
	question string
	extra    map[string]json.RawMessage
	tools    []qa.ToolSpec
	price    *qa.Price

	turns  []turn
	failed []qa.Attempt
	scores []scored

	outcome        qa.Outcome
	reason         string
	answer         *qa.Answer // nil takes it from the last turn
	started, ended time.Time
	losses         Losses
}

// scored is a score by the rules of a judge.
type scored struct {
	judge string
	qa.Score
}

// turn is a message; that of an assistant is a step.
type turn struct {
	role   qa.Role
	text   string
	images []qa.Image

	// The rest is an assistant's.
	reasoning, model, finish string
	usage                    qa.Usage
	fromCache                bool
	// program marks an action without a call of the model.
	program bool
	// inText means that the only call is a copy of the action in the text.
	inText bool
	calls  []call
	// shown is the message that followed a reply without a call, as its observation; nil for none.
	shown          *result
	started, ended time.Time
}

// call is a call of a tool.
type call struct {
	qa.ToolCall
	// result is nil if the log has none.
	result *result
	// notRun marks a call that was not run.
	notRun bool
}

// ran reports whether a call was run.
func (c call) ran() bool { return c.result != nil && !c.notRun }

// result is the result of a call.
type result struct {
	text           string
	images         []qa.Image
	status         qa.Status
	started, ended time.Time
}

// statusOf returns the status of a result that does not state it.
func statusOf(text string, images []qa.Image) qa.Status {
	if text == "" && len(images) == 0 {
		return qa.StatusEmpty
	}
	return qa.StatusOK
}

// redact removes secrets before places in the texts and hashes of them are taken.
func (e *episode) redact(filter func([]byte) []byte) {
	text := func(s *string) { *s = string(filter([]byte(*s))) }
	text(&e.question)
	for i := range e.tools {
		t := &e.tools[i]
		text(&t.Description)
		t.Parameters = ledger.RedactStrings(t.Parameters, filter)
	}
	for i := range e.turns {
		t := &e.turns[i]
		text(&t.text)
		text(&t.reasoning)
		for j := range t.calls {
			t.calls[j].Arguments = ledger.RedactStrings(t.calls[j].Arguments, filter)
		}
		for _, r := range t.results() {
			text(&r.text)
		}
	}
}
