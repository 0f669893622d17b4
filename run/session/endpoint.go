package session

import (
	"time"

	"airqa/internal/exit"
	"airqa/internal/progress"
	"airqa/llm"
	"airqa/llm/catalog"
	"airqa/llm/offline"
	"airqa/qa"
)

// OfflineModel is the name of the rule-based model, and of the lexical judge, that ship with the program.
const OfflineModel = "offline"

// Temperatures of the paper (Appendix C.2); the second is for reasoning models.
const (
	usualTemperature     = 0.7
	reasoningTemperature = 0.6
)

// Default reply limits in tokens: the paper's, which its authors used for all models, and a higher one for reasoning
// models.
const (
	usualReply     = 1500
	reasoningReply = 8000
)

// Endpoint configures how models are called. Its fields are flags.
type Endpoint struct {
	BaseURL string `names:"endpoint" name:"base-url" placeholder:"URL" help:"Base URL of the endpoint. Default: OPENAI_BASE_URL, ANTHROPIC_BASE_URL and so on, or the provider's. Keys: OPENAI_API_KEY, ANTHROPIC_API_KEY and so on."`
	qa.Sampling
	Reasoning      bool          `help:"Treat the model as a reasoning model, if airqa models does not list it as such."`
	ContextWindow  int           `name:"context-window" placeholder:"N" help:"Context window to request, in tokens (ollama only)."`
	MaxConnections int           `name:"max-connections" placeholder:"N" help:"Maximum concurrent requests per model; lowered temporarily after a 429. Default: 64, or -j if larger."`
	Timeout        time.Duration `default:"5m" help:"Timeout of one request."`
	Retries        int           `default:"5" help:"Retries after transient failures."`
	Models         string        `names:"input" placeholder:"FILE" help:"Your own list of models, merged over the built-in one (see airqa models)."`
}

// Models opens models that share connections, limits and the catalog.
type Models struct {
	flags Endpoint
	own   string
	pool  *llm.Pool
	// Temperature is the default if no flag sets one.
	Temperature float64
	// Notify receives settings that an endpoint rejects.
	Notify progress.Notify
}

// Opener returns the Models for the flags. own is the base URL that the command line or the environment gives: keys are
// for that address, or for those of their providers. A base URL of a file gets none of them unless it is one of these.
func (f Endpoint) Opener(own string) *Models {
	return &Models{flags: f, own: own, pool: llm.NewPool(f.MaxConnections), Temperature: usualTemperature}
}

// Opened is a model with its description for run.json.
type Opened struct {
	Spec      string
	Model     qa.Model
	Described map[string]any
	// Price is nil if unknown.
	Price *qa.Price
	// waits counts its waiting calls; nil for a model that never waits.
	waits *waits
	// MaxReply is the maximum number of tokens of a reply.
	MaxReply int
}

// Open makes the model of a spec, with the catalog's price.
func (o *Models) Open(spec string, getenv func(string) string) (Opened, error) {
	if spec == OfflineModel {
		return Opened{spec, offline.New(), map[string]any{"provider": OfflineModel}, &qa.Price{}, nil, o.replyLimit(catalog.Model{})}, nil
	}
	c, list, err := o.Settled(spec, getenv)
	if err != nil {
		return Opened{}, err
	}
	waiting := &waits{}
	c.OnWait = waiting.begin
	c.OnNotice = func(text string) { o.Notify.Notef("%s", text) }
	m, err := llm.Open(c)
	if err != nil {
		return Opened{}, exit.With(exit.Usage, err)
	}
	described, err := llm.Describe(c)
	return Opened{spec, m, described, ListedPrice(list, spec), waiting, c.Sampling.MaxTokens}, err
}

// Settled validates the flags and returns the model's configuration.
func (o *Models) Settled(spec string, getenv func(string) string) (llm.Config, *catalog.Catalog, error) {
	f := o.flags
	if f.Timeout <= 0 || f.Retries < 0 || f.MaxTokens < 0 || f.MaxConnections < 0 || f.ContextWindow < 0 {
		return llm.Config{}, nil, exit.Misuse("--timeout must be above 0; --max-tokens, --retries, --max-connections and --context-window must not be negative")
	}
	list, err := catalog.Open(f.Models)
	if err != nil {
		return llm.Config{}, nil, exit.With(exit.Usage, err)
	}
	return o.config(spec, list, getenv), list, nil
}

func (o *Models) config(spec string, list *catalog.Catalog, getenv func(string) string) llm.Config {
	f := o.flags
	retries := f.Retries
	if retries == 0 {
		retries = -1 // in llm.Config, 0 is the default and a negative number is none
	}
	access := llm.FromEnvironment(spec, getenv).Pair(o.own)
	if f.BaseURL != "" {
		access = access.At(f.BaseURL)
	}
	known, _ := list.Find(spec)
	sampling := f.Sampling
	sampling.MaxTokens = o.replyLimit(known)
	if sampling.Temperature == nil {
		sampling.Temperature = &o.Temperature
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
			OfflineModel: func(llm.Config) (qa.Model, error) { return offline.New(), nil },
		},
	}
}

// replyLimit is the maximum number of tokens of a model's reply.
func (o *Models) replyLimit(known catalog.Model) int {
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

// ListedPrice is the catalog's price of a model; a script costs nothing.
func ListedPrice(list *catalog.Catalog, spec string) *qa.Price {
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
