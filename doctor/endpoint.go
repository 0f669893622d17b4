package doctor

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"airqa/env/embed"
	"airqa/internal/python"
	"airqa/qa"
)

// PingTokens is the maximum length of a reply to a ping; reasoning models need some before the first word.
const PingTokens = 512

// Model checks a short reply and, if requested, a native tool call and an image.
func Model(spec string, m qa.Model, tools, images bool) []Check {
	checks := []Check{Judge("model "+spec, m)}
	if tools {
		checks = append(checks, Check{Name: "tools of " + spec, Run: func(ctx context.Context) Finding { return calls(ctx, m) }})
	}
	if images {
		checks = append(checks, Check{Name: "images of " + spec, Run: func(ctx context.Context) Finding { return looks(ctx, m) }})
	}
	return checks
}

// Judge requests a one-word reply.
func Judge(name string, m qa.Model) Check {
	return Check{Name: name, Run: func(ctx context.Context) Finding {
		start := time.Now()
		reply, err := m.Complete(ctx, qa.Request{Messages: []qa.Message{{Role: qa.User, Text: "Reply with the one word OK."}}})
		took := time.Since(start).Round(time.Millisecond)
		if err != nil {
			return unasked(err)
		}
		served := cmp.Or(reply.Model, "an unnamed model")
		text := fmt.Sprintf("%s answers in %s", served, took)
		switch {
		case strings.TrimSpace(reply.Text) == "" && reply.Finish == qa.FinishLength:
			return Doubtful(fmt.Sprintf("%s, but %d tokens of reasoning left no room for a reply", text, PingTokens),
				"run it with a higher --max-tokens: a reply that is cut off contains no action")
		case reply.Finish == qa.FinishFilter || reply.Finish == qa.FinishRefusal:
			return Bad(fmt.Errorf("%s refused to answer (%s)", served, reply.Finish), "check the content filter of the endpoint")
		case strings.TrimSpace(reply.Text) == "":
			return Bad(fmt.Errorf("%s returned an empty reply", served), "check the chat template of the server, or choose another model")
		case reply.Usage.Estimated:
			return Doubtful(text+" and reports no usage", "tokens are counted here with another vocabulary; budgets and costs are estimates (vLLM and others report usage by default)")
		}
		return Good("%s and reports usage (%d + %d tokens)", text, reply.Usage.Prompt, reply.Usage.Completion)
	}}
}

// unasked reports a failed call with its fix.
func unasked(err error) Finding {
	fix, class := "", qa.ClassOf(err)
	var call *qa.CallError
	if errors.As(err, &call) {
		err, fix = call.Err, call.Hint
	}
	if class == qa.FailCancelled {
		fix = "no answer in time; the model may still be loading: try a longer --timeout"
	}
	return Bad(err, fix)
}

// number is the number in numberImage, black on white. Its digits are the same in a sentence of any language.
const number = "7294"

//go:embed number.png
var numberImage []byte

// looks asks for the number in an image: a model that does not get the image, or cannot see it, replies all the same.
func looks(ctx context.Context, m qa.Model) Finding {
	reply, err := m.Complete(ctx, qa.Request{Messages: []qa.Message{{
		Role: qa.User, Text: "Which number is in the image? Reply with its digits.", Images: []qa.Image{{MIME: "image/png", Data: numberImage}},
	}}})
	digits := strings.Map(func(r rune) rune {
		if r = python.PlainDigit(r); r < '0' || r > '9' {
			return -1
		}
		return r
	}, reply.Text)
	switch {
	case err != nil:
		return unasked(err)
	case strings.Contains(digits, number):
		return Good("reads images, as agentic-hybrid-view needs")
	case reply.Finish == qa.FinishLength:
		return Doubtful(fmt.Sprintf("accepts images, but %d tokens left no room for a reply about one", PingTokens), "ask it about an image yourself")
	}
	return Doubtful(fmt.Sprintf("accepts images, but does not read them: asked for the number %s in one, it replied %.80q", number, reply.Text),
		"the model or its server ignores images; agentic-hybrid-view needs another one")
}

// calls requests a native tool call, and returns its result to the model: some endpoints refuse only that.
func calls(ctx context.Context, m qa.Model) Finding {
	const use = "use --protocol react"
	spec := qa.ToolSpec{
		Name: "Say", Description: "Say a word to the user.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
	}
	request := qa.Request{
		Messages: []qa.Message{{Role: qa.User, Text: `Call the tool Say with the word "OK".`}}, Tools: []qa.ToolSpec{spec},
	}
	reply, err := m.Complete(ctx, request)
	switch {
	case err != nil && !refuses(err):
		return unasked(err)
	case err != nil:
		return Bad(err, "the endpoint accepts no tools ("+use+") or needs configuration: vLLM needs --enable-auto-tool-choice and --tool-call-parser")
	case len(reply.ToolCalls) == 0:
		return Doubtful("the model answers with text instead of a tool call", use+" or mixed, or start the server with a tool-call parser")
	}
	said := qa.Step{Reply: &reply, Kept: len(reply.Text), Called: &reply.ToolCalls[0], Observation: &qa.Observation{Text: "said"}}
	for _, call := range reply.ToolCalls[1:] {
		said.Others = append(said.Others, qa.CallResult{ID: call.ID, Text: qa.NotRunResult})
	}
	request.Messages = append(request.Messages, said.Message(), said.ObservationMessage())
	_, err = m.Complete(ctx, request)
	switch {
	case err != nil && !refuses(err):
		return unasked(err)
	case err != nil:
		return Bad(fmt.Errorf("the endpoint refuses the result of a tool call: %w", err), use)
	}
	return Good("calls tools natively and reads their results")
}

// refuses reports whether a call failed for what it contains: not for time, a connection, a key or a rate limit.
func refuses(err error) bool {
	return slices.Contains([]qa.FailureClass{qa.FailBadRequest, qa.FailServer, qa.FailGarbage, qa.FailImages}, qa.ClassOf(err))
}

// Embedder turns a text into a vector.
func Embedder(open func() (embed.Embedder, error)) Check {
	return Check{Name: "embedder", Run: func(ctx context.Context) Finding {
		texts, err := open()
		if err != nil {
			return Bad(err, "--embedder must be minilm or openai:NAME")
		}
		start := time.Now()
		vectors, err := texts.Embed(ctx, []string{"a short text"})
		if err != nil {
			return Bad(err, "check --embedder, --embed-base-url and AIRQA_EMBED_API_KEY; --embedder minilm needs no endpoint")
		}
		return Good("%s: vectors of %d dimensions, in %s", texts.Info().Model, len(vectors[0]), time.Since(start).Round(time.Millisecond))
	}}
}
