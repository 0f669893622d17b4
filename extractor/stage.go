package extractor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"airqa/extractor/candidate"
	"airqa/internal/ledger"
	"airqa/llm/cache"
	"airqa/prompts"
	"airqa/qa"
)

// calls is the model of one stage of one candidate. It notes which replies the stage used. It is not safe for concurrent
// use.
type calls struct {
	p     *Pipeline
	model qa.Model
	keys  []string
	usage qa.Usage
}

// Complete asks the model.
func (c *calls) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	key, err := cache.KeyOf(c.p.c.Endpoint, c.p.c.Protocol, r)
	if err != nil {
		return qa.Reply{}, err
	}
	reply, err := c.model.Complete(ctx, r)
	if err == nil {
		c.keys = append(c.keys, key.String())
		c.usage = c.usage.Add(reply.Usage)
	}
	return reply, err
}

// Ask is Complete for judges.
func (c *calls) Ask(ctx context.Context, system, user string) (qa.Reply, error) {
	return c.Complete(ctx, qa.Request{Messages: []qa.Message{{Role: qa.System, Text: system}, {Role: qa.User, Text: user}}})
}

// until asks until parse accepts a reply, at most the configured number of times; later requests state the fault of the
// last reply. It returns the number of replies and the last fault.
func (c *calls) until(ctx context.Context, first qa.Message, parse func(text string) error) (attempts int, fault, err error) {
	message := first
	for attempt := range c.p.c.Attempts {
		reply, err := c.Complete(ctx, qa.Request{Messages: []qa.Message{message}, Repeat: attempt})
		if err != nil {
			return attempt, nil, err
		}
		if fault = parse(reply.Text); fault == nil {
			return attempt + 1, nil, nil
		}
		if reply.Finish == qa.FinishLength {
			fault = fmt.Errorf("it was cut off at the token limit: %w", fault)
		}
		again, err := prompts.Render("synth_again", prompts.Data{"fault": fault.Error()})
		if err != nil {
			return attempt + 1, nil, err
		}
		message.Text = first.Text + "\n\n" + again
	}
	return c.p.c.Attempts, fault, nil
}

// result is what a stage found out.
type result struct {
	attempts int
	reason   candidate.Reason // empty if the candidate passes
	detail   string
	data     any
}

// stage runs a stage of a candidate, or returns its line in the ledger if neither the stage nor its input has changed.
// identity has the candidate's identity.
func (p *Pipeline) stage(ctx context.Context, identity candidate.Line, stage, fingerprint string, input any, run func(*calls) (result, error)) (candidate.Line, error) {
	line := identity
	line.Stage, line.Fingerprint, line.Data = stage, fingerprint, nil
	var err error
	if line.Input, err = hashOf([]any{p.c.Library.Fingerprint(), input}); err != nil {
		return line, err
	}
	old, ok, err := p.c.Ledger.Get(line.Candidate, stage)
	if err != nil {
		return line, err
	}
	final := old.Outcome == candidate.Done || old.Outcome == candidate.Rejected
	if ok && final && old.Fingerprint == line.Fingerprint && old.Input == line.Input {
		return old, nil
	}
	c := &calls{p: p, model: p.model}
	r, err := run(c)
	line.Attempt, line.Reason, line.Detail, line.Calls, line.Usage = r.attempts, r.reason, r.detail, c.keys, c.usage
	line.USD = p.cost(c.usage)
	if err != nil {
		return p.unfinished(ctx, line, err)
	}
	line.Outcome = candidate.Done
	if r.reason != "" {
		line.Outcome = candidate.Rejected
	}
	if r.data != nil {
		if line.Data, err = json.Marshal(r.data); err != nil {
			return line, err
		}
	}
	return p.redacted(line)
}

// redacted returns a line as the ledger keeps it, so that a resumed run works with the same texts as the first one.
func (p *Pipeline) redacted(line candidate.Line) (candidate.Line, error) {
	if p.c.Redact == nil {
		return line, nil
	}
	raw, err := ledger.Encode(line)
	if err != nil {
		return line, err
	}
	var clean candidate.Line
	return clean, json.Unmarshal(ledger.RedactStrings(raw, p.c.Redact), &clean)
}

// cost returns the price of calls; nil if it is unknown.
func (p *Pipeline) cost(u qa.Usage) *float64 {
	if p.c.Price == nil {
		return nil
	}
	usd := p.c.Price.Of(u)
	return &usd
}

// unfinished turns the error of a stage into the candidate's outcome. An error that is not about a call is returned.
func (p *Pipeline) unfinished(ctx context.Context, line candidate.Line, err error) (candidate.Line, error) {
	var call *qa.CallError
	suspended := qa.Suspension(err)
	switch {
	case suspended != "":
		p.note(&p.suspended, suspended)
		line.Outcome, line.Reason = candidate.Pending, candidate.Budget
	case ctx.Err() != nil, errors.Is(err, context.Canceled), errors.Is(err, qa.ErrInterrupted):
		line.Outcome, line.Reason = candidate.Pending, candidate.Interrupted
	case errors.As(err, &call) && (call.Class == qa.FailContextOverflow || call.Class == qa.FailImages):
		line.Outcome, line.Reason = candidate.Rejected, candidate.CallRefused
	case errors.As(err, &call):
		p.note(&p.failure, err.Error())
		line.Outcome, line.Reason = candidate.Failed, candidate.CallFailed
	default:
		return line, err
	}
	line.Detail = strings.TrimSpace(err.Error())
	return line, nil
}

// note keeps the first text.
func (p *Pipeline) note(into *string, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if *into == "" {
		*into = text
	}
}
