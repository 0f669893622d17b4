package main

import (
	"io"
	"os"
	"time"

	"airqa/llm"
	"airqa/llm/catalog"
	"airqa/llm/offline"
	"airqa/qa"
	"airqa/run/runlog"
)

// offlineModel is the name of the rule-based model, and of the lexical judge, that ship with the program.
const offlineModel = "offline"

// Temperatures of the paper (Appendix C.2): the second for models that reason.
const (
	usualTemperature     = 0.7
	reasoningTemperature = 0.6
)

// Limits of a reply in tokens where none is given: that of the paper, which its authors used for all models, and one that leaves
// models that reason room for a reply.
const (
	usualReply     = 1500
	reasoningReply = 8000
)

// modelFlags say which model to ask and how.
type modelFlags struct {
	Model string `required:"" placeholder:"PROVIDER:NAME" help:"Model: openai:NAME at any OpenAI-compatible endpoint, anthropic:NAME, google:NAME, ollama:NAME, scripted:FILE, or offline (rules, no language model)."`
	endpointFlags
}

// summaryTemperature is that of summaries, which are to be the same each time.
const summaryTemperature = 0.1

// open makes the model for summaries and describes it.
func (f modelFlags) open(a *app) (qa.Model, map[string]any, error) {
	o := f.opener()
	o.temperature, o.notice = summaryTemperature, a.notice
	m, err := o.open(f.Model, a.getenv)
	return m.model, m.described, err
}

// endpointFlags say how models are asked.
type endpointFlags struct {
	BaseURL string `name:"base-url" placeholder:"URL" help:"Address in front of /chat/completions, /messages or /api/chat. Without it OPENAI_BASE_URL, ANTHROPIC_BASE_URL, ... and the provider's own. Keys come from OPENAI_API_KEY, ANTHROPIC_API_KEY, ..."`
	qa.Sampling
	Reasoning      bool          `help:"Treat the model as a reasoning model, if airqa models does not list it as one."`
	ContextWindow  int           `name:"context-window" placeholder:"N" help:"Window to ask for at servers that take one, in tokens (ollama)."`
	MaxConnections int           `name:"max-connections" placeholder:"N" help:"Maximum concurrent requests to one model. Without it 64, or -j if that is more. Refusals (429) lower it for a while."`
	Timeout        time.Duration `default:"5m" help:"Timeout of one request."`
	Retries        int           `default:"5" help:"Retries of a request after a transient failure."`
	Models         string        `placeholder:"FILE" help:"List of models with prices and limits on top of the built-in one; see airqa models."`
}

// opener makes models that share connections, limits and the list of models.
type opener struct {
	flags endpointFlags
	pool  *llm.Pool
	// temperature stands for a flag that is not given.
	temperature float64
	// notice is told what an endpoint turns out to refuse; nil is told nothing.
	notice func(text string)
}

func (f endpointFlags) opener() *opener {
	return &opener{flags: f, pool: llm.NewPool(f.MaxConnections), temperature: usualTemperature}
}

// openedModel is a model with what the record of a run says of it.
type openedModel struct {
	spec      string
	model     qa.Model
	described map[string]any
	// price is nil when it is unknown.
	price *qa.Price
	// waits counts its calls that wait; nil for a model that never does.
	waits *waits
	// maxReply is the greatest number of tokens of a reply.
	maxReply int
}

// open makes the model of a spec. Its price is that of the list of models.
func (o *opener) open(spec string, getenv func(string) string) (openedModel, error) {
	if spec == offlineModel {
		return openedModel{spec, offline.New(), map[string]any{"provider": offlineModel}, &qa.Price{}, nil, o.replyLimit(catalog.Model{})}, nil
	}
	c, list, err := o.settled(spec, getenv)
	if err != nil {
		return openedModel{}, err
	}
	waiting := &waits{}
	c.OnWait, c.OnNotice = waiting.begin, o.notice
	m, err := llm.Open(c)
	if err != nil {
		return openedModel{}, coded{exitUsage, err}
	}
	described, err := llm.Describe(c)
	return openedModel{spec, m, described, listedPrice(list, spec), waiting, c.Sampling.MaxTokens}, err
}

// settled checks the flags and puts together how a model is asked.
func (o *opener) settled(spec string, getenv func(string) string) (llm.Config, *catalog.Catalog, error) {
	f := o.flags
	if f.Timeout <= 0 || f.Retries < 0 || f.MaxTokens < 0 || f.MaxConnections < 0 || f.ContextWindow < 0 {
		return llm.Config{}, nil, misuse("--timeout must be above 0; --max-tokens, --retries, --max-connections and --context-window must not be negative")
	}
	list, err := catalog.Open(f.Models)
	if err != nil {
		return llm.Config{}, nil, coded{exitUsage, err}
	}
	return o.config(spec, list, getenv), list, nil
}

func (o *opener) config(spec string, list *catalog.Catalog, getenv func(string) string) llm.Config {
	f := o.flags
	retries := f.Retries
	if retries == 0 {
		retries = -1 // in llm.Config 0 is the default and a negative number is none
	}
	access := llm.FromEnvironment(spec, getenv).Pair(f.BaseURL)
	known, _ := list.Find(spec)
	sampling := f.Sampling
	sampling.MaxTokens = o.replyLimit(known)
	if sampling.Temperature == nil {
		sampling.Temperature = &o.temperature
		if f.Reasoning || known.Reasoning {
			sampling.Temperature = new(reasoningTemperature)
		}
	}
	return llm.Config{
		Spec: spec, BaseURL: access.BaseURL, APIKey: access.Key, Timeout: f.Timeout, MaxRetries: retries, Reasoning: f.Reasoning,
		ContextWindow: f.ContextWindow, Catalog: list, Pool: o.pool,
		Sampling: sampling,
		// Named so that an unknown provider's error lists it; open makes it without an endpoint's settings.
		Providers: map[string]llm.Provider{
			offlineModel: func(llm.Config) (qa.Model, error) { return offline.New(), nil },
		},
	}
}

// replyLimit is the greatest number of tokens of a reply of a model.
func (o *opener) replyLimit(known catalog.Model) int {
	limit := usualReply
	switch {
	case o.flags.MaxTokens > 0:
		return o.flags.MaxTokens
	case o.flags.Reasoning || known.Reasoning:
		limit = reasoningReply
	}
	if known.Output > 0 {
		limit = min(limit, known.Output)
	}
	return limit
}

// listedPrice is the price of a model by the list; a script costs nothing.
func listedPrice(list *catalog.Catalog, spec string) *qa.Price {
	if provider, _ := llm.SplitSpec(spec); provider == "scripted" {
		return &qa.Price{}
	}
	listed := list.Price(spec)
	if listed == nil {
		return nil
	}
	price := &qa.Price{Prompt: listed.Input, Completion: listed.Output, Cached: listed.Input}
	if listed.Cached != nil {
		price.Cached = *listed.Cached
	}
	return price
}

// redactor keeps keys and the home directory out of what is written.
func (a *app) redactor() func([]byte) []byte {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return runlog.Redactor(keys(a.getenv), home)
}

// keys are those in the environment.
func keys(getenv func(string) string) []string {
	var found []string
	for _, name := range keyVariables() {
		found = append(found, getenv(name))
	}
	return found
}

// discreet is standard error without keys: an endpoint's error may repeat those of others.
type discreet struct {
	to     io.Writer
	redact func([]byte) []byte
}

func newDiscreet(to io.Writer, getenv func(string) string) discreet {
	return discreet{to, runlog.Redactor(keys(getenv), "")}
}

// Write implements io.Writer. What is written at once must hold a key whole, as lines do.
func (d discreet) Write(p []byte) (int, error) {
	if _, err := d.to.Write(d.redact(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
