package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"strings"
	"time"

	"airqa/env/embed"
	"airqa/internal/checkup"
	"airqa/llm"
	"airqa/qa"
	"airqa/run/session"
)

// check is a check that nothing can keep waiting.
func check(name string, run func() checkup.Finding) checkup.Check {
	return checkup.Check{Name: name, Run: func(context.Context) checkup.Finding { return run() }}
}

// pingTokens is the longest reply to a ping; models that reason need some before the first word.
const pingTokens = 256

func ping() []qa.Message {
	return []qa.Message{{Role: qa.User, Text: "Reply with the one word OK."}}
}

func (c doctorCmd) modelChecks(a *app, spec string) []checkup.Check {
	flags := session.Endpoint{BaseURL: c.BaseURL, Sampling: qa.Sampling{TopP: new(0.95), MaxTokens: pingTokens}, MaxConnections: 1, Timeout: c.Timeout}
	m, err := flags.Opener().Open(spec, a.getenv)
	if err != nil {
		return []checkup.Check{check("model "+spec, func() checkup.Finding {
			return checkup.Bad(err, openFix(err))
		})}
	}
	checks := []checkup.Check{{Name: "model " + spec, Run: func(ctx context.Context) checkup.Finding {
		return asked(ctx, m.Model)
	}}}
	if c.Tools {
		checks = append(checks, checkup.Check{Name: "tools of " + spec, Run: func(ctx context.Context) checkup.Finding {
			return calls(ctx, m.Model)
		}})
	}
	if c.Images {
		checks = append(checks, checkup.Check{Name: "images of " + spec, Run: func(ctx context.Context) checkup.Finding {
			return looks(ctx, m.Model)
		}})
	}
	return checks
}

// openFix is what to do about a model that cannot be asked; errors about the address say it themselves.
func openFix(err error) string {
	if strings.Contains(err.Error(), "base URL") && !errors.Is(err, llm.ErrNoKey) {
		return "check --base-url and the provider's variable (OPENAI_BASE_URL, ...)"
	}
	return "name a model as PROVIDER:NAME and set the key of its provider"
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
	return []checkup.Check{{Name: name, Run: func(ctx context.Context) checkup.Finding { return asked(ctx, m) }}}
}

// asked asks a model for a word.
func asked(ctx context.Context, m qa.Model) checkup.Finding {
	start := time.Now()
	reply, err := m.Complete(ctx, qa.Request{Messages: ping()})
	took := time.Since(start).Round(time.Millisecond)
	if err != nil {
		return unasked(err)
	}
	served := "an unnamed model"
	if reply.Model != "" {
		served = reply.Model
	}
	text := fmt.Sprintf("%s answers in %s", served, took)
	switch {
	case strings.TrimSpace(reply.Text) == "" && reply.Finish == qa.FinishLength:
		return checkup.Doubtful(fmt.Sprintf("%s, but %d tokens of reasoning left no room for a reply", text, pingTokens),
			"run it with a higher --max-tokens: a reply that is cut off holds no action")
	case reply.Finish == "content_filter" || reply.Finish == "refusal":
		return checkup.Bad(fmt.Errorf("%s refuses to answer (%s)", served, reply.Finish), "check the content filter of the endpoint")
	case strings.TrimSpace(reply.Text) == "":
		return checkup.Bad(fmt.Errorf("%s answers with an empty text", served), "check the chat template of the server, or choose another model")
	case reply.Usage.Estimated:
		return checkup.Doubtful(text+" and reports no usage", "tokens are counted here with another vocabulary; budgets and costs are estimates (vLLM and others report usage by default)")
	}
	return checkup.Good("%s and reports usage (%d + %d tokens)", text, reply.Usage.Prompt, reply.Usage.Completion)
}

// unasked is a call that failed, and what to do about it.
func unasked(err error) checkup.Finding {
	fix, class := "", qa.ClassOf(err)
	var call *qa.CallError
	if errors.As(err, &call) {
		err, fix = call.Err, call.Hint
	}
	if class == qa.FailCancelled {
		fix = "the endpoint does not answer in time: is the model still loading? A longer --timeout tells slow from stuck"
	}
	return checkup.Bad(err, fix)
}

// looks asks a model about an image.
func looks(ctx context.Context, m qa.Model) checkup.Finding {
	var square bytes.Buffer
	if err := png.Encode(&square, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		return checkup.Bad(err, "")
	}
	_, err := m.Complete(ctx, qa.Request{Messages: []qa.Message{{
		Role: qa.User, Text: "Name the colour of the image in one word.", Images: []qa.Image{{MIME: "image/png", Data: square.Bytes()}},
	}}})
	if err != nil {
		return unasked(err)
	}
	return checkup.Good("takes images, as agentic-hybrid-view sends them")
}

// calls asks a model for a native tool call.
func calls(ctx context.Context, m qa.Model) checkup.Finding {
	const use = "use --protocol react"
	spec := qa.ToolSpec{
		Name: "Say", Description: "Say a word to the user.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`),
	}
	reply, err := m.Complete(ctx, qa.Request{
		Messages: []qa.Message{{Role: qa.User, Text: `Call the tool Say with the word "OK".`}}, Tools: []qa.ToolSpec{spec},
	})
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
	f := dataFlags{Vectors: c.Vectors, embedderFlags: embedderFlags{
		Data: c.Data, Embedder: c.Embedder, EmbedModel: c.EmbedModel, EmbedBaseURL: c.EmbedBaseURL, EmbedTokens: embed.DefaultTokens,
	}}
	if f.Data == "" {
		f.Data = "." // none is opened
	}
	return f
}
