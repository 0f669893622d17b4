package extractor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"airqa/eval/judge"
	"airqa/extractor/candidate"
	"airqa/internal/ledger"
	"airqa/llm/cache"
	"airqa/prompts"
	"airqa/qa"
	"airqa/run/models"
)

// calls is the model of one stage of one candidate. It notes in the stage's line which replies were used. It is not safe
// for concurrent use.
type calls struct {
	p     *Pipeline
	model models.Model
	line  *candidate.Line
}

// Complete asks the model.
func (c *calls) Complete(ctx context.Context, r qa.Request) (qa.Reply, error) {
	key, err := cache.KeyOf(c.model.Described, string(qa.ReActText), r)
	if err != nil {
		return qa.Reply{}, err
	}
	reply, err := c.model.Endpoint.Complete(ctx, r)
	if err == nil {
		c.line.Calls = append(c.line.Calls, key.String())
		c.line.Usage = c.line.Usage.Add(reply.Usage)
	}
	return reply, err
}

// Ask is Complete for judges.
func (c *calls) Ask(ctx context.Context, system, user string) (qa.Reply, error) {
	return c.Complete(ctx, qa.Request{Messages: judge.Messages(system, user)})
}

// askUntil asks until parse accepts a reply, at most the configured number of times; later requests state the fault of the
// last reply. The line gets the number of replies, and the fault of the last one if none can be used.
func askUntil[T any](ctx context.Context, c *calls, first qa.Message, parse func(candidate.Forms, string) (T, error)) (any, error) {
	message, line := first, c.line
	for attempt := range c.p.c.Attempts {
		reply, err := c.Complete(ctx, qa.Request{Messages: []qa.Message{message}, Repeat: attempt})
		if err != nil {
			return nil, err
		}
		line.Attempt = attempt + 1
		parsed, fault := parse(c.p.c.Forms, reply.Text)
		if fault == nil {
			line.Reason, line.Detail = "", ""
			return parsed, nil
		}
		if reply.Finish == qa.FinishLength {
			fault = fmt.Errorf("it was cut off at the token limit: %w", fault)
		}
		again, err := c.p.c.Prompts.Render("synth_again", prompts.Data{"fault": fault.Error()})
		if err != nil {
			return nil, err
		}
		message.Text = first.Text + "\n\n" + again
		line.Reason, line.Detail = candidate.BadReply, fault.Error()
	}
	return nil, nil
}

// stage is a part of a candidate's way whose result the ledger keeps.
type stage struct {
	name string
	// input is what the stage reads besides its recipe.
	input any
	// run returns the result. It sets Attempt in the line, and, for a candidate that is rejected, Reason and Detail.
	run func(*calls) (result any, err error)
	// product points to what the result is decoded into if the candidate continues.
	product any
}

// takeStage runs a stage and writes its line.
func (p *Pipeline) takeStage(ctx context.Context, w *work, s stage) error {
	line, err := p.runStage(ctx, w, s)
	if err != nil {
		return err
	}
	return p.record(w, line)
}

// record writes lines of stages to the ledger, and ends the candidate if the last stage did.
func (p *Pipeline) record(w *work, lines ...candidate.Line) error {
	if n := len(lines); n > 0 && lines[n-1].Outcome != candidate.Done {
		last := lines[n-1]
		w.Outcome, w.Reason, w.Detail = last.Outcome, last.Reason, last.Detail
	}
	return p.c.Ledger.Add(lines...)
}

// runStage runs a stage, or takes its line from the ledger if neither the stage nor its input has changed.
func (p *Pipeline) runStage(ctx context.Context, w *work, s stage) (line candidate.Line, err error) {
	recipe := s.name
	if recipe == candidate.Explore {
		recipe = exploreRecipe(w.Category)
	}
	line = w.Identity()
	line.Stage, line.Fingerprint = s.name, p.fingerprints[recipe]
	if line.Input, err = Hash([]any{p.c.Library.Fingerprint(), s.input}); err != nil {
		return line, err
	}
	old, ok, err := p.c.Ledger.Get(line.Candidate, s.name)
	if err != nil {
		return line, err
	}
	final := old.Outcome == candidate.Done || old.Outcome == candidate.Rejected
	if ok && final && old.Fingerprint == line.Fingerprint && old.Input == line.Input {
		line = old
	} else if line, err = p.computeStage(ctx, line, s); err != nil {
		return line, err
	}
	if line.Outcome == candidate.Done {
		err = json.Unmarshal(line.Data, s.product)
	}
	return line, err
}

// computeStage runs a stage and completes its line.
func (p *Pipeline) computeStage(ctx context.Context, line candidate.Line, s stage) (candidate.Line, error) {
	model := p.c.Model
	if s.name == candidate.Track {
		model = p.c.Tracker
	}
	result, err := s.run(&calls{p, model, &line})
	if model.Price != nil {
		line.USD = new(model.Price.Of(line.Usage))
	}
	if err != nil {
		return explainFailure(ctx, line, err)
	}
	line.Outcome = candidate.Done
	if line.Reason != "" {
		line.Outcome = candidate.Rejected
	}
	if result != nil {
		if line.Data, err = json.Marshal(result); err != nil {
			return line, err
		}
	}
	if p.c.Redact == nil {
		return line, nil
	}
	// A resumed run works with the texts in the ledger, so the first one does, too.
	raw, err := ledger.Encode(line)
	if err != nil {
		return line, err
	}
	var clean candidate.Line
	return clean, json.Unmarshal(ledger.RedactStrings(raw, p.c.Redact), &clean)
}

// explainFailure turns the error of a call into the candidate's outcome. One that stops the pipeline, or that is not about a
// call, is returned.
func explainFailure(ctx context.Context, line candidate.Line, err error) (candidate.Line, error) {
	var call *qa.CallError
	if ctx.Err() != nil || qa.IsStop(err) || !errors.As(err, &call) {
		return line, err
	}
	line.Outcome, line.Reason, line.Detail = candidate.Failed, candidate.CallFailed, strings.TrimSpace(err.Error())
	if call.Class == qa.FailContextOverflow || call.Class == qa.FailImages {
		line.Outcome, line.Reason = candidate.Rejected, candidate.CallRefused
	}
	return line, nil
}
