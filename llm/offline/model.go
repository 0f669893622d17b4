// Package offline is a rule-based policy that answers in place of a language model, so that airqa can be tried without a
// key, a network or a model file. Its scores say nothing about any model.
//
// Start from [New]. A [Model] reads only the messages that a language model would get (task.go). In the loop it follows
// a short plan of queries, searches and views (plan.go), then answers from the results (answer.go). It answers one-shot
// prompts from their context. It also writes questions about papers (author.go), and judges answers and scores
// abstracts by their words (scoring.go). It cannot read images and keeps no state between calls.
package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"airqa/internal/python"
	"airqa/internal/tokens"
	"airqa/qa"
)

// Model answers by rules. The same messages give the same reply. Calls may overlap.
type Model struct{ counts tokens.Memo }

// New returns the model.
func New() *Model { return &Model{} }

// Complete answers the prompts of the baselines in the format they require, and with one native call if tools are
// offered; any other text gets a guess between fences. The only error is the context's.
func (m *Model) Complete(ctx context.Context, ask qa.Request) (qa.Reply, error) {
	if err := ctx.Err(); err != nil {
		return qa.Reply{}, err
	}
	r := qa.Reply{Model: "offline", Finish: "stop"}
	if text, ok := authored(ask.Messages); ok {
		r.Text = text
	} else {
		readTask(ask.Messages, ask.Tools).reply(&r)
	}
	r.Usage = qa.Usage{Completion: tokens.Count(r.Text), Estimated: true}
	for _, message := range ask.Messages {
		r.Usage.Prompt += m.counts.Count(message.Text)
	}
	return r, nil
}

// authored answers the prompts of question synthesis, annotators and judges; false for other messages.
func authored(messages []qa.Message) (string, bool) {
	switch {
	case len(messages) == 1:
		text := strings.ToValidUTF8(messages[0].Text, "?")
		if reply, ok := annotate(text); ok {
			return reply, true
		}
		return write(text)
	case len(messages) == 2 && messages[0].Role == qa.System && messages[1].Role == qa.User:
		return grade(messages[0].Text, messages[1].Text)
	}
	return "", false
}

// reply answers the question or takes the next step.
func (t *task) reply(r *qa.Reply) {
	switch t.form {
	case wantsSQL:
		s := t.statement()
		r.Text = fenced(s.thought, "sql", s.args["sql"])
	case wantsAnswer:
		thought, value := t.answer()
		r.Text = fenced(thought, "txt", t.written(value))
	case wantsAction:
		s := t.next()
		r.Text = fmt.Sprintf("[Thought]: Turn %d. %s\n[Action]: %s", t.turn, s.thought, t.write(s))
	case wantsCall:
		s := t.next()
		r.Text, r.Finish = fmt.Sprintf("Turn %d. %s", t.turn, s.thought), "tool_calls"
		r.ToolCalls = []qa.ToolCall{{ID: fmt.Sprintf("call_%d", t.turn), Name: s.tool, Arguments: json.RawMessage(t.write(s))}}
	}
}

// fenced puts a value between fences and escapes any fence in it.
func fenced(thought, language string, v python.Value) string {
	return thought + "\n\n```" + language + "\n" + strings.ReplaceAll(python.Str(v), "```", "'''") + "\n```"
}
