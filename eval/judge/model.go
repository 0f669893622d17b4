package judge

import (
	"context"
	"fmt"
	"strings"

	"airqa/eval"
	"airqa/prompts"
	"airqa/qa"
)

// Asker sends one request to a chat model, see [Messages].
type Asker interface {
	Ask(ctx context.Context, system, user string) (qa.Reply, error)
}

// Messages returns the messages of a request: the user message alone if there is no system message.
func Messages(system, user string) []qa.Message {
	if system == "" {
		return []qa.Message{{Role: qa.User, Text: user}}
	}
	return []qa.Message{{Role: qa.System, Text: system}, {Role: qa.User, Text: user}}
}

// maxAsks is the maximum number of requests for one verdict.
const maxAsks = 3

// Config configures a [Model]. Only Asker is required.
type Config struct {
	Asker Asker
	// Meter counts the requests; it may be shared or nil.
	Meter *Meter
	// Visible removes the thinking of a reply; without it, all of a reply is read.
	Visible func(string) string
	// Prompts are the texts that it is asked with.
	Prompts prompts.Set
}

// Model is an [eval.Judge] that asks a chat model with the judge prompts of package prompts. The paper's judge is
// gpt-4o-mini-2024-07-18 at temperature 0 (section 3.2). Its calls may overlap if those of its asker may.
type Model struct{ Config }

// NewModel returns a judge that asks with c.Asker.
func NewModel(c Config) *Model {
	if c.Visible == nil {
		c.Visible = func(reply string) string { return reply }
	}
	return &Model{c}
}

// Judge is [Model.Decide] without the cost.
func (m *Model) Judge(ctx context.Context, r eval.JudgeRequest) (bool, error) {
	v, err := m.Decide(ctx, r)
	return v.Right, err
}

// Decide asks for a verdict. It retries a reply without one at most twice and then returns [ErrNoVerdict]. An error of
// the asker is returned at once.
func (m *Model) Decide(ctx context.Context, r eval.JudgeRequest) (Verdict, error) {
	system, user, err := Prompt(m.Prompts, r)
	if err != nil {
		return Verdict{}, err
	}
	var v Verdict
	cut := 0
	for range maxAsks {
		reply, err := m.Asker.Ask(ctx, system, user)
		if err != nil {
			m.Meter.add(Spent{Failed: 1})
			return v, fmt.Errorf("ask the judge: %w", err)
		}
		m.Meter.add(Spent{Calls: 1, Usage: reply.Usage})
		v.Asks++
		v.Usage = v.Usage.Add(reply.Usage)
		word := ""
		switch {
		case !r.Fixed:
			word = plainVerdict(reply.Text)
		case reply.Finish != qa.FinishLength:
			word = lastVerdict(m.Visible(reply.Text), fence(m.Prompts, r))
		}
		word = strings.ToLower(strings.TrimSpace(word))
		if word == "true" || word == "false" {
			v.Right, v.Reply = word == "true", reply.Text
			return v, nil
		}
		if reply.Finish == qa.FinishLength {
			cut++
		}
		user += "\n\n" + m.Prompts.JudgeAgain() // repeated for each retry: a cache must not return the same reply
	}
	if cut > 0 {
		return v, fmt.Errorf("%w in %d replies, of which %d were cut off at the token limit", ErrNoVerdict, maxAsks, cut)
	}
	return v, fmt.Errorf("%w in %d replies", ErrNoVerdict, maxAsks)
}
