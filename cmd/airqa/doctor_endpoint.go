package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"airqa/env/embed"
	"airqa/internal/checkup"
	"airqa/llm"
	"airqa/qa"
)

// check is a check that nothing can keep waiting.
func check(name string, run func() checkup.Finding) checkup.Check {
	return checkup.Check{Name: name, Run: func(context.Context) checkup.Finding { return run() }}
}

// pingTokens is the longest reply to a ping; models that reason need some before the first word.
const pingTokens = 64

func ping() []qa.Message {
	return []qa.Message{{Role: qa.User, Text: "Reply with the one word OK."}}
}

func (c doctorCmd) modelChecks(a *app, spec string) []checkup.Check {
	flags := endpointFlags{BaseURL: c.BaseURL, TopP: 0.95, MaxTokens: pingTokens, MaxConnections: 1, Timeout: c.Timeout}
	m, err := flags.opener().open(spec, a.getenv)
	if err != nil {
		return []checkup.Check{check("model "+spec, func() checkup.Finding {
			return checkup.Bad(err, "name a model as PROVIDER:NAME and set the key of its provider")
		})}
	}
	checks := []checkup.Check{{Name: "model " + spec, Run: func(ctx context.Context) checkup.Finding {
		return asked(ctx, m.model, "--base-url")
	}}}
	if c.Tools {
		checks = append(checks, checkup.Check{Name: "tools of " + spec, Run: func(ctx context.Context) checkup.Finding {
			return calls(ctx, m.model)
		}})
	}
	return checks
}

func (c doctorCmd) judgeChecks(a *app, spec string) []checkup.Check {
	name := "judge " + spec
	if !asksModel(spec) {
		return []checkup.Check{check(name, func() checkup.Finding { return checkup.Good("asks no endpoint") })}
	}
	flags := judgeFlags{JudgeBaseURL: c.JudgeBaseURL}
	config, access := flags.config(a, spec)
	config.Timeout, config.MaxRetries, config.Sampling.MaxTokens = c.Timeout, -1, pingTokens
	m, err := llm.Open(config)
	if errors.Is(err, llm.ErrNoKey) {
		err = missingKey(access, judgeKey, "--judge-base-url")
	}
	if wrong := flags.checkHosts(a, c.Judge); err == nil {
		err = wrong
	}
	if err != nil {
		return []checkup.Check{check(name, func() checkup.Finding {
			return checkup.Bad(err, "set "+judgeKey+" or give --judge-base-url; --judge offline stands in without an endpoint")
		})}
	}
	return []checkup.Check{{Name: name, Run: func(ctx context.Context) checkup.Finding { return asked(ctx, m, "--judge-base-url") }}}
}

// asked asks a model for a word.
func asked(ctx context.Context, m llm.Model, address string) checkup.Finding {
	start := time.Now()
	reply, err := m.Complete(ctx, ping())
	took := time.Since(start).Round(time.Millisecond)
	if err != nil {
		return checkup.Bad(err, remedy(err, address))
	}
	served := "an unnamed model"
	if reply.Model != "" {
		served = reply.Model
	}
	text := fmt.Sprintf("%s answers in %s", served, took)
	if reply.Usage.Estimated {
		return checkup.Doubtful(text+" and reports no usage", "tokens are counted here with another vocabulary; budgets and costs are estimates (vLLM and others report usage by default)")
	}
	return checkup.Good("%s and reports usage (%d + %d tokens)", text, reply.Usage.Prompt, reply.Usage.Completion)
}

// remedy says what to do about a failed call.
func remedy(err error, address string) string {
	var status *llm.HTTPError
	if errors.As(err, &status) && status.Status == 404 {
		return "look at the model's name and at " + address + ": GET /models there lists the names; most addresses end in /v1"
	}
	switch llm.Class(err) {
	case llm.ClassAuth:
		return "the key is refused: look at the provider's variable (airqa config lists them), and whether the key is for this endpoint"
	case llm.ClassNetwork:
		return "the connection breaks: is something between here and " + address + " (a proxy, a tunnel), and does the server stay up?"
	case llm.ClassUnreachable:
		return "nobody listens there: is the server running, and is " + address + " right?"
	case llm.ClassTimeout, llm.ClassCancelled:
		return "the endpoint does not answer: is the model still loading? A longer --timeout tells slow from stuck"
	case llm.ClassRateLimit:
		return "the endpoint is busy or the quota is used up: wait, or run with a lower --max-connections"
	case llm.ClassServer:
		return "the endpoint is at fault: look at its own log"
	case llm.ClassGarbage:
		return "what answers there is no chat endpoint: most addresses end in /v1"
	}
	return "look at the model's name and at " + address
}

// calls asks a model for a native tool call.
func calls(ctx context.Context, m llm.Model) checkup.Finding {
	const use = "use --protocol react"
	native, ok := m.(llm.ToolModel)
	if !ok {
		return checkup.Doubtful("cannot be offered tools", use)
	}
	spec := qa.ToolSpec{
		Name: "Say", Description: "Say a word to the user.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
	}
	reply, err := native.CompleteTools(ctx, []qa.Message{{Role: qa.User, Text: `Call the tool Say with the word "OK".`}}, []qa.ToolSpec{spec})
	switch {
	case err != nil:
		return checkup.Bad(err, "the endpoint takes no tools ("+use+"), or must be told to: vLLM needs --enable-auto-tool-choice and --tool-call-parser")
	case len(reply.ToolCalls) == 0:
		return checkup.Doubtful("the model answers in text where a tool call was asked for", use+" or mixed, or start the server with a parser of tool calls")
	}
	return checkup.Good("calls tools natively")
}

// embedderCheck turns a text into a vector.
func (c doctorCmd) embedderCheck(a *app) func(context.Context) checkup.Finding {
	return func(ctx context.Context) checkup.Finding {
		texts, err := c.once(a)
		if err != nil {
			return checkup.Bad(err, "--embedder is minilm or openai:NAME")
		}
		start := time.Now()
		vectors, err := texts.Embed(ctx, []string{"a short text"})
		if err != nil {
			return checkup.Bad(err, "look at --embedder, --embed-base-url and AIRQA_EMBED_API_KEY; --embedder minilm needs no endpoint")
		}
		return checkup.Good("%s: vectors of %d numbers, in %s", texts.Info().Model, len(vectors[0]), time.Since(start).Round(time.Millisecond))
	}
}

// once is the embedder, which asks an endpoint once and no more.
func (c doctorCmd) once(a *app) (embed.Embedder, error) {
	f := c.dataFlags()
	name, remote := strings.CutPrefix(c.Embedder, "openai:")
	if !remote || name == "" {
		return f.embedder(a)
	}
	config, err := f.remoteConfig(a, name)
	if err != nil {
		return nil, err
	}
	config.Attempts = 1
	return embed.NewOpenAI(config)
}

// dataFlags are the flags as other commands take them.
func (c doctorCmd) dataFlags() dataFlags {
	f := dataFlags{Data: c.Data, Vectors: c.Vectors, Embedder: c.Embedder, EmbedModel: c.EmbedModel, EmbedBaseURL: c.EmbedBaseURL}
	if f.Data == "" {
		f.Data = "." // none is opened
	}
	return f
}
